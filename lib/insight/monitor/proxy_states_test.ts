import assert from "node:assert/strict";
import { proxyNode } from "../../../tests/support/translation_fixture.ts";
import { type ProxyNode, type ProxyState, proxyStateText } from "../../mesh/model/mod.ts";
import type { ObservedStream } from "../../mesh/xds/mod.ts";
import { createProxyStates, EXITED_MS, RESTART_MS, stateWithoutReport } from "./proxy_states.ts";

/** The states of proxies at a time that the test sets. */
function states() {
  let time = 1_000_000;
  const known = createProxyStates(() => [], () => time);
  const { observer } = known;
  return {
    known,
    pass: (ms: number) => time += ms,
    now: () => time,
    open(name: string): ObservedStream {
      const stream: ObservedStream = {
        ...{ id: `${name}-1`, node: nodeOf(name) },
        ...{ variant: "delta", binding: { classKey: "" } },
      };
      observer.opened!(stream);
      return stream;
    },
    close: (stream: ObservedStream) => observer.closed!(stream),
    report(name: string, state: ProxyState | string, stream?: ObservedStream) {
      const text = typeof state === "string" ? state : proxyStateText(state);
      observer.reportedState!({ node: nodeOf(name), text, ...stream && { stream } });
    },
  };
}

function nodeOf(name: string): ProxyNode {
  return proxyNode("shop", {
    name,
    id: `sidecar~10.0.0.1~${name}.shop~shop.svc.cluster.local`,
    ip: "10.0.0.1",
  });
}

const READY: ProxyState = { phase: "ready", ageMs: 500 };
const KILLED: ProxyState = {
  phase: "exited",
  ageMs: 100,
  exit: { code: 137, signal: "SIGKILL", lines: [] },
};
const ID = nodeOf("web").id;

Deno.test("the state of a connected proxy is the last report of its stream", () => {
  const { known, open, report, close, now } = states();
  assert.equal(known.of(ID), undefined);
  const stream = open("web");
  report("web", READY, stream);
  assert.deepEqual(known.of(ID)?.state, READY);
  assert.equal(known.of(ID)?.since, now() - 500);
  assert.equal(known.connected().length, 1);
  // The agent connects again before the daemon sees the end of the stream before.
  const next = open("web");
  report("web", READY, next);
  close(stream);
  assert.deepEqual(known.of(ID)?.state, READY);
  close(next);
  assert.equal(known.of(ID), undefined);
});

Deno.test("an exit is known whichever comes first, the end of the stream or the report", () => {
  for (const closesFirst of [true, false]) {
    const { known, open, report, close } = states();
    const stream = open("web");
    report("web", READY, stream);
    if (closesFirst) close(stream);
    report("web", KILLED);
    if (!closesFirst) close(stream);
    assert.deepEqual(known.exited().map(({ node }) => node.id), [ID]);
    assert.equal(known.exits(ID).length, 1);
    assert.equal(known.connected().length, 0);
  }
});

Deno.test("a proxy that is back is not exited, and its exits count for a while", () => {
  const { known, open, report, pass, close } = states();
  report("web", KILLED);
  pass(1000);
  const stream = open("web");
  assert.deepEqual([known.exited().length, known.of(ID)], [0, undefined], "not reported yet");
  report("web", READY, stream);
  close(stream);
  report("web", KILLED);
  assert.equal(known.exits(ID).length, 2);
  const last = open("web");
  report("web", READY, last);
  pass(RESTART_MS);
  assert.equal(known.exits(ID).length, 0);
  assert.deepEqual(known.of(ID)?.state, READY);
});

Deno.test("a proxy that does not come back is forgotten after a time", () => {
  const { known, report, pass } = states();
  report("web", KILLED);
  pass(EXITED_MS - 1);
  assert.equal(known.exited().length, 1);
  pass(1);
  assert.equal(known.exited().length, 0);
});

Deno.test("a client without a report is not known to be well, unless it has no Envoy", () => {
  const node = (GENERATOR?: string) => ({ role: "sidecar" as const, metadata: { GENERATOR } });
  assert.equal(stateWithoutReport(node()), "not reported");
  assert.equal(stateWithoutReport(node("grpc")), "no Envoy");
  assert.equal(stateWithoutReport({ role: "ztunnel", metadata: {} }), "no Envoy");
});

Deno.test("reports are bounded in number, in rate and in kind", () => {
  const { known, report, open } = states();
  for (let i = 0; i < 1500; i++) report(`web-${i}`, KILLED);
  assert.equal(known.exited().length, 1000);
  for (const text of ["", "{}", "x".repeat(5000)]) report("odd", text);
  // Only a stream can end the state of a proxy that runs.
  report("odd", READY);
  assert.equal(known.of(nodeOf("odd").id), undefined);
  const stream = open("often");
  for (let i = 0; i < 100; i++) report("often", { phase: "ready", ageMs: i }, stream);
  const { ageMs } = known.of(nodeOf("often").id)!.state;
  assert.ok(ageMs >= 19 && ageMs < 99, `the report ${ageMs} of 100 is the last that was taken`);
});
