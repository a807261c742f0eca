/**
 * `PILOT_MAX_REQUESTS_PER_SECOND` of a real daemon.
 *
 * @module
 */
import assert from "node:assert/strict";
import { encode } from "../../lib/kit/proto/mod.ts";
import { openStream, type RpcStream } from "../../lib/kit/rpc/mod.ts";
import { makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";

const PATH = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

/** Opens a stream and asks for clusters. */
function open(target: string, number: number): RpcStream {
  const stream = openStream({ target, path: PATH });
  stream.send(encode(DeltaDiscoveryRequestSchema, {
    node: { id: `sidecar~10.0.0.${number}~app-${number}.default~default.svc.cluster.local` },
    typeUrl: TYPE_URLS.cluster,
  }));
  return stream;
}

/** Milliseconds until the last of several simultaneous streams is answered. */
async function answeredWithin(rate: string, count: number): Promise<number> {
  await using config = await makeConfigDir();
  const env = { PILOT_MAX_REQUESTS_PER_SECOND: rate };
  await using daemon = await startDaemon({ configDir: config.path, env });
  const start = performance.now();
  const streams = Array.from({ length: count }, (_, i) => open(daemon.xds, i + 1));
  try {
    for (const stream of streams) {
      for await (const message of stream.messages) {
        assert.ok(message.byteLength > 0);
        break;
      }
    }
    return performance.now() - start;
  } finally {
    for (const stream of streams) stream.close();
  }
}

Deno.test("streams beyond PILOT_MAX_REQUESTS_PER_SECOND wait for their turn, and are served then", async () => {
  // Two and one more at once, then one each half second: the eighth comes after two and a half seconds.
  const slow = await answeredWithin("2", 8);
  assert.ok(slow >= 2400, `${slow} ms for eight streams at two a second`);
});
