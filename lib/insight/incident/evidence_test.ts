import assert from "node:assert/strict";
import { readEvidence } from "./evidence.ts";
import { lineWith } from "./log_search.ts";
import type { Evidence } from "./types.ts";

function read(text: string): Evidence {
  const evidence = readEvidence(text);
  assert.ok(typeof evidence !== "string", `${evidence}`);
  return evidence;
}

function fault(text: string): string {
  const evidence = readEvidence(text);
  assert.ok(typeof evidence === "string", JSON.stringify(evidence));
  return evidence;
}

/** Command line → method, URL, headers. */
const COMMANDS: readonly (readonly [string, string, string, readonly string[]])[] = [
  ["curl http://a.test/x", "GET", "http://a.test/x", []],
  ["$ curl -sS -v a.test:80/x?y=1", "GET", "http://a.test:80/x?y=1", []],
  ["curl -XDELETE 'http://a.test/x y'", "DELETE", "http://a.test/x y", []],
  [`curl -H "x-user: \\"a\\"" -H'b: c' http://a/`, "GET", "http://a/", ['x-user: "a"', "b: c"]],
  ["curl -d '{}' \\\n  --url http://a/", "POST", "http://a/", []],
  ["curl -G -d a=b http://a/", "GET", "http://a/", []],
  ["curl --json '{}' http://a/ | jq .", "POST", "http://a/", ["content-type: application/json"]],
  ["curl -I https://a.test", "HEAD", "https://a.test", []],
  ["curl -skAagent http://a/", "GET", "http://a/", ["user-agent: agent"]],
  ["curl http://u:p@a/", "GET", "http://a/", ["authorization: Basic dTpw"]],
  [
    "curl --request=PUT --max-time=3 -o /dev/null -w '%{http_code}' http://a/",
    "PUT",
    "http://a/",
    [],
  ],
];
for (const [line, method, url, headers] of COMMANDS) {
  Deno.test(`curl: ${line.replaceAll("\n", " ")}`, () => {
    const found = read(line);
    assert.deepEqual([found.method, found.url, found.headers], [method, url, headers]);
    assert.deepEqual(found.unknown, []);
  });
}

Deno.test("curl: parts that are missing or not known are said", () => {
  assert.match(fault("curl -H 'x: y"), /is not whole: a quote \('\) is not closed/);
  assert.match(fault('curl "http://a'), /a quote \("\) is not closed/);
  assert.match(fault("curl -H"), /the option --header has no value/);
  assert.match(fault("curl -s -H 'a: b'"), /it has no URL/);
  assert.match(fault("curl http://a \\"), /ends with a backslash/);
  const token = read('curl -H "authorization: Bearer $TOKEN" http://a/');
  assert.match(token.unknown.join(), /the value of \$TOKEN, which only the shell knew/);
  assert.match(
    read("curl --resolve a:80:10.0.0.1 http://a/ --new-one").unknown.join(),
    /--new-one/,
  );
});

/** Operators of the built-in text format after the request line; real lines are in tests/e2e. */
const TAIL = [
  ...["RESPONSE_CODE", "RESPONSE_FLAGS", "RESPONSE_CODE_DETAILS"],
  ...["CONNECTION_TERMINATION_DETAILS", '"UPSTREAM_TRANSPORT_FAILURE_REASON"', "BYTES_RECEIVED"],
  ...["BYTES_SENT", "DURATION", "UPSTREAM_SERVICE_TIME", '"X_FORWARDED_FOR"', '"USER_AGENT"'],
  ...[
    '"REQUEST_ID"',
    '"AUTHORITY"',
    '"UPSTREAM_HOST"',
    "UPSTREAM_CLUSTER",
    "UPSTREAM_LOCAL_ADDRESS",
  ],
  ...["DOWNSTREAM_LOCAL_ADDRESS", "DOWNSTREAM_REMOTE_ADDRESS", "REQUESTED_SERVER_NAME"],
  "ROUTE_NAME",
].join(" ");

/** A line of the built-in text format with some fields. */
function line(fields: Readonly<Record<string, string>>): string {
  const format = `[START_TIME] "METHOD PATH PROTOCOL" ${TAIL}`;
  return format.replace(/[A-Z_]{4,}/g, (name) => fields[name] ?? "-");
}

const OUTBOUND = {
  ...{ START_TIME: "2026-01-02T03:04:05.678Z", METHOD: "GET", PROTOCOL: "HTTP/1.1" },
  ...{ PATH: "/items/7", RESPONSE_CODE: "403", RESPONSE_FLAGS: "-" },
  ...{ RESPONSE_CODE_DETAILS: "via_upstream", AUTHORITY: "items.example" },
  UPSTREAM_CLUSTER: "outbound|8080||items.example",
  DOWNSTREAM_LOCAL_ADDRESS: "10.96.0.7:8080",
  DOWNSTREAM_REMOTE_ADDRESS: "10.0.0.5:41000",
  REQUEST_ID: "4f8b2c1e-1111-4222-8333-123456789abc",
  USER_AGENT: "curl/8 (x, y)",
};

Deno.test("access log: the text form of the proxies", () => {
  const found = read(line(OUTBOUND));
  assert.deepEqual([found.form, found.method, found.url], [
    "access log (text)",
    "GET",
    "http://items.example:8080/items/7",
  ]);
  assert.deepEqual(found.seen, {
    at: Date.parse("2026-01-02T03:04:05.678Z"),
    ...{ status: 403, flags: [], details: ["via_upstream"], direction: "outbound" },
    ...{ local: "10.96.0.7", remote: "10.0.0.5", requestId: OUTBOUND.REQUEST_ID },
  });
  assert.ok(found.headers.includes("user-agent: curl/8 (x, y)"));
  assert.match(found.unknown.join(), /tokens among them/);
});

Deno.test("access log: connections, and lines of the server's side", () => {
  const tcp = read(line({
    ...{ START_TIME: OUTBOUND.START_TIME, RESPONSE_CODE: "0", RESPONSE_FLAGS: "UF,URX" },
    UPSTREAM_CLUSTER: "outbound|5432||db.example",
    DOWNSTREAM_LOCAL_ADDRESS: "[fd00::1]:5432",
  }));
  assert.deepEqual([tcp.url, tcp.seen?.flags], ["tcp://db.example:5432", ["UF", "URX"]]);
  const inbound = read(line({ ...OUTBOUND, UPSTREAM_CLUSTER: "inbound|8080||" }));
  assert.equal(inbound.url, "http://items.example:80/items/7");
  assert.match(inbound.unknown.join(), /the port that the client called: 80 is taken/);
});

Deno.test("access log: the JSON form, also behind a prefix", () => {
  const fields = { method: "GET", path: "/", response_code: 503, response_flags: "UH" };
  const found = read(`2026 stdout F ${JSON.stringify({ ...fields, authority: "a.test:81" })}`);
  assert.deepEqual([found.form, found.url, found.seen?.status], [
    "access log (JSON)",
    "http://a.test:81/",
    503,
  ]);
  assert.match(fault(JSON.stringify(fields)), /names no host/);
});

Deno.test("other text is refused with the reason", () => {
  assert.match(fault(""), /there is no evidence/);
  const other = '10.0.0.1 - - [02/Jan/2026:03:04:05 +0000] "GET / HTTP/1.1" 403 12';
  assert.match(fault(other), /logs in another format cannot be read; ask by the address/);
  assert.match(fault('{"level":"info","msg":"x"}'), /logs in another format/);
  assert.match(fault(line(OUTBOUND).slice(0, 90)), /logs in another format/);
  assert.match(fault(`${line(OUTBOUND)}\n${line(OUTBOUND)}`), /several lines/);
  assert.match(fault("4bf92f3577b34da6a3ce929d0e0e4736"), /is an id, and neither/);
  assert.match(fault("x".repeat(70_000)), /more than 65536 characters/);
});

Deno.test("an id is looked for in a log; a traceparent by its trace id", () => {
  const log = `a\n${line(OUTBOUND)}\ntrace=4bf92f3577b34da6a3ce929d0e0e4736\n`;
  assert.deepEqual(lineWith(log, OUTBOUND.REQUEST_ID), { line: line(OUTBOUND) });
  const parent = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  assert.deepEqual(lineWith(log, parent), { line: "trace=4bf92f3577b34da6a3ce929d0e0e4736" });
  assert.ok("error" in lineWith(log, "absent"));
});
