import assert from "node:assert/strict";
import { linesWithin } from "./log_range.ts";
import { fitting, rankOf } from "./logs.ts";
import { redacted, redactedSecret } from "./redact.ts";
import { selectionOf } from "./selection.ts";

Deno.test("bug-report: lines without a time belong to the line before, in text and JSON", () => {
  const text = "2026-01-01T00:00:01Z\ta\n  stack\n2026-01-01T00:00:02.5Z\tb\n" +
    '{"level":"info","time":"2026-01-01T00:00:03Z","msg":"c"}\n';
  const range = { start: "2026-01-01T01:00:02.5+01:00", end: "" };
  assert.match(linesWithin(text, range), /^2026-01-01T00:00:02\.5Z\tb\n\{.*c/);
  assert.equal(
    linesWithin(text, { start: "", end: "2026-01-01T00:00:01Z" }),
    "2026-01-01T00:00:01Z\ta\n  stack\n",
  );
});

Deno.test("bug-report: keys, tokens and passwords are removed", () => {
  const text = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY-----\n" +
    "authorization: Bearer abc.def\neyJhbGciOi.eyJzdWIi.c2ln\nhttp://u:pass@h/\npassword=hunter2\n";
  const left = redacted(text);
  for (const secret of ["MHcCAQ", "abc.def", "eyJ", "pass@", "hunter2"]) {
    assert.equal(left.includes(secret), false, secret);
  }
  assert.equal(redacted("a line about tokens"), "a line about tokens");
  const key = btoa("-----BEGIN PRIVATE KEY-----\nMHcC\n-----END PRIVATE KEY-----\n");
  const certificate = btoa("-----BEGIN CERTIFICATE-----\nMHcC\n-----END CERTIFICATE-----\n");
  assert.equal(
    redacted(`key: ${key}\ncert: ${certificate}`),
    `key: [redacted]\ncert: ${certificate}`,
  );
  for (
    const env of ["- name: DB_PASSWORD\n  value: hunter2\n", '{"name":"A_TOKEN", "value":"x y"}']
  ) {
    assert.match(redacted(env), /value"?: ?"\[redacted\]"[\n}]/);
  }
  const plain = "- name: PATH\n  value: /bin\n";
  assert.equal(redacted(plain), plain);
  const name = "kubectl.kubernetes.io/last-applied-configuration";
  const applied = { metadata: { name: "s", annotations: { [name]: "c2VjcmV0", kept: "1" } } };
  assert.deepEqual(redactedSecret(applied), {
    metadata: { name: "s", annotations: { kept: "1" } },
  });
  assert.deepEqual(redactedSecret({ kind: "Secret", data: { a: "c2VjcmV0" } }), {
    kind: "Secret",
    data: { a: "[redacted, 8 characters]" },
  });
});

Deno.test("bug-report: pods are selected by globs", () => {
  const pod = {
    namespace: "shop",
    name: "web-5d4f8c7b9d-x2x4z",
    labels: { app: "web" },
    annotations: {},
  };
  const cases: [text: string, is: boolean][] = [
    ["shop", true],
    ["sh*,other", true],
    ["other", false],
    ["/web", true],
    ["/w", false],
    ["//web-*", true],
    ["///app=web", true],
    ["///app=w", false],
    ["shop/////mesh-*", true],
  ];
  for (const [text, is] of cases) assert.equal(selectionOf(text)(pod, "mesh-proxy"), is, text);
});

Deno.test("bug-report: logs with critical lines come first, and too large ones are named", () => {
  const globs = { criticalErrors: ["*panic*"], ignoredErrors: ["*harmless*"] };
  const rank = (text: string) => rankOf(text, globs);
  assert.deepEqual([rank("a\terror\tx\n"), rank("error harmless"), rank("fine")], [1, 0, 0]);
  assert.ok(rank("panic: x") > rank("error\n".repeat(1000)));
  const logs = [
    { path: "a", text: "x".repeat(10), rank: 0 },
    { path: "b", text: "y".repeat(10), rank: 5 },
  ];
  const { kept, left } = fitting(logs, 15);
  assert.deepEqual([kept.map(({ path }) => path), left], [["b"], ["a"]]);
});
