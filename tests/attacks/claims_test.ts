/**
 * Claims of a client about itself, and the handling of its last answers.
 *
 * @module
 */
import assert from "node:assert/strict";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";
import { create, encode } from "../../lib/kit/proto/mod.ts";
import { openStream } from "../../lib/kit/rpc/mod.ts";
import { eventually } from "../../scripts/harness/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type Victim, victims } from "./victim.ts";

const PATH = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

/** Opens a stream of a proxy that says to have a version. */
function connect({ daemon }: Victim, name: string, version: string): ReturnType<typeof openStream> {
  const stream = openStream({ target: daemon.xds, path: PATH });
  const request = create(DeltaDiscoveryRequestSchema, {
    node: {
      id: `sidecar~10.0.0.1~${name}.test~test.svc.cluster.local`,
      userAgentVersionType: { case: "userAgentVersion", value: version },
    },
    typeUrl: TYPE_URLS.cluster,
  });
  stream.send(encode(DeltaDiscoveryRequestSchema, request));
  return stream;
}

async function metrics({ daemon }: Victim): Promise<string> {
  return await (await fetch(`${daemon.monitoring}/metrics`)).text();
}

Deno.test("long versions of clients are cut in metrics, and go with their clients", async () => {
  await using daemons = victims("native");
  const victim = await daemons.next();
  const before = (await metrics(victim)).length;
  const streams = Array.from(
    { length: 40 },
    (_, i) => connect(victim, `p${i}`, `${i}-${"v".repeat(60_000)}`),
  );
  for (const stream of streams) await stream.messages[Symbol.asyncIterator]().next();
  const connected = await metrics(victim);
  assert.ok(
    connected.length - before < 20_000,
    `${connected.length - before} more while connected`,
  );
  for (const stream of streams) {
    stream.close();
    await stream.ended;
  }
  await eventually("the versions to go", async () => !(await metrics(victim)).includes("vvvv"));
});
