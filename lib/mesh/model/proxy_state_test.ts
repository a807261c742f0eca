import assert from "node:assert/strict";
import {
  MAX_PROXY_STATE,
  parseProxyState,
  type ProxyState,
  proxyStateText,
} from "./proxy_state.ts";

const READY: ProxyState = {
  phase: "ready",
  ageMs: 12,
  memory: { proxy: 45, agent: 70 },
  certificate: { notBefore: 1, notAfter: 2 },
  rejected: { clusters: 0, listeners: 1 },
  warming: { clusters: 2, listeners: 0 },
};

Deno.test("a report is read as it was written", () => {
  const exited: ProxyState = {
    phase: "exited",
    ageMs: 0,
    exit: { code: 137, signal: "SIGKILL", lines: ["one", "two"] },
  };
  const silent: ProxyState = { phase: "silent", ageMs: 7, reason: "no answer", memory: {} };
  for (const state of [READY, exited, silent]) {
    assert.deepEqual(parseProxyState(proxyStateText(state)), state);
  }
});

Deno.test("a report has a bounded size, whatever the proxy wrote: the last lines stay", () => {
  const lines = Array.from({ length: 100 }, (_, i) => `${i} ${'"'.repeat(5000)}`);
  const text = proxyStateText({
    phase: "exited",
    ageMs: 1,
    exit: { code: 1, lines },
    reason: '"'.repeat(9000),
  });
  assert.ok(text.length <= MAX_PROXY_STATE, `${text.length} characters`);
  const read = parseProxyState(text)?.exit?.lines ?? [];
  assert.ok(read.length > 0);
  assert.match(read.at(-1)!, /^99 "/);
});

Deno.test("texts that are no report are not read, and unknown fields are left out", () => {
  const wrong = [
    "",
    "null",
    "[]",
    "{}",
    '{"phase":"ready"}',
    '{"phase":"merry","ageMs":1}',
    '{"phase":"ready","ageMs":-1}',
    '{"phase":"ready","ageMs":1e300}',
    '{"phase":"exited","ageMs":1}',
    '{"phase":"exited","ageMs":1,"exit":{"code":"1"}}',
  ];
  for (const text of wrong) assert.equal(parseProxyState(text), undefined, text);
  const odd = {
    ...READY,
    phase: "exited",
    reason: "a\u001b[2Jb",
    memory: { proxy: "much" },
    certificate: { notBefore: 1 },
    exit: { code: 1, signal: "<b>", lines: [1, "x\u0007y"] },
    later: true,
  };
  assert.deepEqual(parseProxyState(JSON.stringify(odd)), {
    phase: "exited",
    ageMs: 12,
    reason: "a [2Jb",
    exit: { code: 1, lines: ["x y"] },
    memory: {},
    rejected: READY.rejected,
    warming: READY.warming,
  });
});
