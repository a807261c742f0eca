/**
 * An ordinary proxy: the time until it has all its configuration.
 *
 * @module
 */
import { create, encode, fromBinary, type MessageInitShape } from "../../lib/kit/proto/mod.ts";
import { openStream } from "../../lib/kit/rpc/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";

let proxies = 0;

/**
 * Connects a sidecar, waits until it has the clusters, listeners, endpoints of all outbound clusters
 * and the route table of port 80, and disconnects.
 *
 * @returns the time that took, milliseconds
 * @throws RpcError when the stream fails, Error when it takes longer than `deadlineMs`
 */
export async function firstSync(
  target: string,
  clusters: number,
  deadlineMs = 60_000,
): Promise<number> {
  const started = performance.now();
  const number = ++proxies;
  const stream = openStream({
    target,
    path: "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
    window: 16 << 20,
  });
  const send = (request: MessageInitShape<typeof DeltaDiscoveryRequestSchema>) =>
    stream.send(encode(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, request)));
  send({
    node: {
      id: `sidecar~10.0.${number >> 8 & 255}.${
        number & 255
      }~app-${number}.test~test.svc.cluster.local`,
    },
    typeUrl: TYPE_URLS.cluster,
  });
  send({ typeUrl: TYPE_URLS.listener });
  send({ typeUrl: TYPE_URLS.route, resourceNamesSubscribe: ["80"] });
  const came = new Map<string, Set<string>>();
  const has = (typeUrl: string) => came.get(typeUrl)?.size ?? 0;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    stream.close();
  }, deadlineMs);
  try {
    for await (const bytes of stream.messages) {
      const { typeUrl, nonce, resources } = fromBinary(DeltaDiscoveryResponseSchema, bytes);
      const names = came.get(typeUrl) ?? new Set();
      came.set(typeUrl, names);
      const fresh = resources.map(({ name }) => name).filter((name) => !names.has(name));
      for (const name of fresh) names.add(name);
      send({ typeUrl, responseNonce: nonce });
      if (typeUrl === TYPE_URLS.cluster && fresh.length > 0) {
        const outbound = fresh.filter((name) => name.startsWith("outbound|"));
        send({ typeUrl: TYPE_URLS.endpoint, resourceNamesSubscribe: outbound });
      }
      const done = has(TYPE_URLS.cluster) >= clusters && has(TYPE_URLS.endpoint) >= clusters &&
        has(TYPE_URLS.listener) > 0 && has(TYPE_URLS.route) > 0;
      if (done) return performance.now() - started;
    }
    if (late) throw new Error(`no first sync in ${deadlineMs} ms: ${describe(came)}`);
    throw new Error(`the daemon ended the stream: ${describe(came)}`);
  } finally {
    clearTimeout(timer);
    stream.close();
    await stream.ended;
  }
}

function describe(came: ReadonlyMap<string, ReadonlySet<string>>): string {
  return [...came].map(([type, names]) => `${names.size} of ${type}`).join(", ");
}
