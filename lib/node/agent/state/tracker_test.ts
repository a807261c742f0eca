import assert from "node:assert/strict";
import { eventually } from "../../../../scripts/harness/mod.ts";
import { encode, fromBinary } from "../../../kit/proto/mod.ts";
import { parseProxyState, PROXY_STATE_TYPE_URL, type ProxyState } from "../../../mesh/model/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { trackState } from "./tracker.ts";

const DELTA = "/x/DeltaAggregatedResources";
const SOTW = "/x/StreamAggregatedResources";

/** A proxy whose readiness and statistics the test sets. */
function proxy() {
  const at = { reason: "it starts" as string | undefined, answers: true };
  const admin = {
    stats: () =>
      at.answers
        ? Promise.resolve(new Map([["server.memory_physical_size", 7]]))
        : Promise.reject(new Error("no answer")),
    drainListeners: () => Promise.resolve(),
  };
  const tracker = trackState({
    admin,
    readiness: { check: () => Promise.resolve(at.reason) },
    certificate: () => ({ notBefore: 1, notAfter: 2 }),
    pauses: { starting: 1, ready: 1 },
  });
  return { at, tracker };
}

function read(message: Uint8Array | undefined): ProxyState | undefined {
  if (message === undefined) return undefined;
  const { typeUrl, errorDetail } = fromBinary(DeltaDiscoveryRequestSchema, message);
  assert.equal(typeUrl, PROXY_STATE_TYPE_URL);
  return parseProxyState(errorDetail!.message);
}

Deno.test("a proxy is followed from its start to its end; each change is reported once", async () => {
  const { at, tracker } = proxy();
  const reports = tracker.on(DELTA);
  assert.equal(reports.message(), undefined, "nothing was started");
  const seen: string[] = [];
  reports.onChange(() => seen.push(read(reports.message())!.phase));
  tracker.started();
  await eventually("the reason", () => Promise.resolve(tracker.state()?.reason === "it starts"));
  at.reason = undefined;
  await eventually("ready", () => Promise.resolve(tracker.state()?.phase === "ready"));
  const { memory, certificate } = read(reports.message())!;
  assert.equal(memory?.proxy, 7);
  assert.ok(memory.agent! > 0);
  assert.deepEqual(certificate, { notBefore: 1, notAfter: 2 });
  at.answers = false;
  await eventually("silent", () => Promise.resolve(tracker.state()?.phase === "silent"));
  at.answers = true;
  await eventually("ready again", () => Promise.resolve(tracker.state()?.phase === "ready"));
  tracker.exited({ code: 137, signal: "SIGKILL", lines: [] });
  assert.equal(tracker.state()?.exit?.signal, "SIGKILL");
  // The end is reported over another connection.
  assert.deepEqual(seen, ["starting", "starting", "ready", "silent", "ready"]);
});

Deno.test("a proxy that drains is reported so, whatever it answers", () => {
  const { tracker } = proxy();
  tracker.draining();
  assert.equal(tracker.state(), undefined, "it was not started");
  tracker.started();
  tracker.draining();
  assert.equal(tracker.state()?.phase, "draining");
});

Deno.test("a daemon that answers the reports does not know them: its stream carries no more", () => {
  const { tracker } = proxy();
  tracker.started();
  tracker.stop();
  for (
    const [path, schema] of [[DELTA, DeltaDiscoveryRequestSchema], [
      SOTW,
      DiscoveryRequestSchema,
    ]] as const
  ) {
    const reports = tracker.on(path);
    assert.ok(reports.message());
    const response = (typeUrl: string) =>
      encode(DiscoveryResponseSchema, { typeUrl, nonce: "n1", versionInfo: "1" });
    assert.equal(reports.take(response("type.googleapis.com/other")), undefined);
    const answer = reports.take(response(PROXY_STATE_TYPE_URL));
    const { typeUrl, responseNonce, errorDetail } = fromBinary(schema, answer!);
    assert.deepEqual([typeUrl, responseNonce, errorDetail], [
      PROXY_STATE_TYPE_URL,
      "n1",
      undefined,
    ]);
    assert.equal(reports.message(), undefined);
    assert.ok(tracker.on(path).message(), "another stream may lead to another daemon");
  }
});
