/**
 * `PILOT_PUSH_THROTTLE` of a real daemon.
 *
 * @module
 */
import assert from "node:assert/strict";
import { writeCorpus } from "../support/corpus.ts";
import { encode } from "../../lib/kit/proto/mod.ts";
import { openStream, type RpcStream } from "../../lib/kit/rpc/mod.ts";
import { type Daemon, eventually, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";

const PATH = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

/** Services enough that a client which gives no credit for more holds its daemon up. */
const SERVICES = 600;
const CLIENTS = 8;

/** Opens a stream that asks for clusters and does not read. */
function open(target: string, number: number): RpcStream {
  const stream = openStream({ target, path: PATH, window: 65_535 });
  stream.send(encode(DeltaDiscoveryRequestSchema, {
    node: { id: `sidecar~10.0.0.${number}~app-${number}.default~default.svc.cluster.local` },
    typeUrl: TYPE_URLS.cluster,
  }));
  return stream;
}

/** Number of proxies with a running push. */
async function active(daemon: Daemon): Promise<number> {
  const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  return Number(/^mesh_xds_pushes_active (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** The most proxies seen to be sent to at once, until each of them was sent something. */
async function most(throttle: string): Promise<number> {
  await using config = await makeConfigDir();
  await writeCorpus(config.path, SERVICES);
  const env = { PILOT_PUSH_THROTTLE: throttle };
  await using daemon = await startDaemon({ configDir: config.path, env });
  const streams = Array.from({ length: CLIENTS }, (_, i) => open(daemon.xds, i + 1));
  let seen = 0;
  try {
    await eventually("all to be sent something", async () => {
      seen = Math.max(seen, await active(daemon));
      const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
      return Number(/^pilot_xds_pushes\{type="cds"\} (\d+)$/m.exec(text)?.[1]) >= CLIENTS;
    }, 60_000);
  } finally {
    for (const stream of streams) stream.close();
  }
  return seen;
}

/** Attempts to see the bound reached: a push may be over between two samples of the metric. */
const ATTEMPTS = 5;

/** Asserts that pushes at one time never exceed a bound, and reach it in one of several attempts. */
async function assertReaches(throttle: string, bound: number): Promise<void> {
  const seen: number[] = [];
  while (seen.length < ATTEMPTS && seen.at(-1) !== bound) {
    seen.push(await most(throttle));
    assert.ok(seen.at(-1)! <= bound, `${seen.at(-1)} pushes at one time, the bound is ${bound}`);
  }
  assert.equal(seen.at(-1), bound, `pushes seen at one time: ${seen.join(", ")}`);
}

Deno.test("PILOT_PUSH_THROTTLE bounds concurrent pushes; a proxy that does not read loses its slot", async () => {
  await assertReaches("2", 2);
});

Deno.test("three quarters of PILOT_PUSH_THROTTLE are for first syncs: edits find a slot", async () => {
  await assertReaches("8", 6);
});
