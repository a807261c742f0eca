/**
 * A delta xDS client that asks for the endpoints of some clusters, acknowledges everything, and
 * records the addresses of each response.
 *
 * @module
 */
import { encode, fromBinary } from "../../lib/kit/proto/mod.ts";
import { openStream } from "../../lib/kit/rpc/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";

const PATH = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
const TYPE = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment";

/** Endpoints of one cluster that were received at one time. */
export interface ReceivedEndpoints {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly cluster: string;
  /** `address:port`, sorted. */
  readonly addresses: readonly string[];
  /** `region/zone` of each locality, sorted. */
  readonly localities: readonly string[];
}

/** A connected client. */
export interface EndpointWatcher extends Disposable {
  /** `address:port` of a cluster, sorted; `undefined` if it was not received. */
  addresses(cluster: string): readonly string[] | undefined;
  localities(cluster: string): readonly string[] | undefined;
  /** Everything that was received, in order. */
  readonly received: readonly ReceivedEndpoints[];
  /** Set after the stream ended. */
  readonly ended: boolean;
}

/** The proxy that a client claims to be. */
export interface WatchingNode {
  /** `watcher` by default. */
  readonly name?: string;
  readonly namespace?: string;
  /** Address of the workload. */
  readonly ip?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Subscribes to clusters, which need not exist yet. `target`: `host:port` of a daemon. */
export function watchEndpoints(
  target: string,
  clusters: readonly string[],
  { name = "watcher", namespace = "default", ip = "10.9.9.9", metadata = {} }: WatchingNode = {},
): EndpointWatcher {
  const received: ReceivedEndpoints[] = [];
  const latest = new Map<string, ReceivedEndpoints>();
  const stream = openStream({ target, path: PATH, window: 16 * 1024 * 1024 });
  const send = (init: Parameters<typeof encode<typeof DeltaDiscoveryRequestSchema>>[1]): boolean =>
    stream.send(encode(DeltaDiscoveryRequestSchema, init));
  let ended = false;
  const read = async (): Promise<void> => {
    for await (const bytes of stream.messages) {
      const { resources, typeUrl, nonce, removedResources } = fromBinary(
        DeltaDiscoveryResponseSchema,
        bytes,
      );
      const at = Date.now();
      for (const { name: cluster, resource } of resources) {
        const { endpoints } = fromBinary(ClusterLoadAssignmentSchema, resource!.value);
        const one: ReceivedEndpoints = {
          at,
          cluster,
          addresses: endpoints.flatMap(({ lbEndpoints }) => lbEndpoints.map(addressOf)).sort(),
          localities: endpoints.map(({ locality }) => `${locality?.region}/${locality?.zone}`)
            .sort(),
        };
        received.push(one);
        latest.set(cluster, one);
      }
      for (const cluster of removedResources) {
        received.push({ at, cluster, addresses: [], localities: [] });
        latest.delete(cluster);
      }
      send({ typeUrl, responseNonce: nonce });
    }
  };
  send({
    node: {
      id: `sidecar~${ip}~${name}.${namespace}~${namespace}.svc.cluster.local`,
      metadata: { NAMESPACE: namespace, ...metadata } as never,
    },
    typeUrl: TYPE,
    resourceNamesSubscribe: [...clusters],
  });
  read().catch(() => {}).finally(() => ended = true);
  return {
    addresses: (cluster) => latest.get(cluster)?.addresses,
    localities: (cluster) => latest.get(cluster)?.localities,
    received,
    get ended() {
      return ended;
    },
    [Symbol.dispose]: () => stream.close(),
  };
}

type LbEndpoint = ReturnType<
  typeof fromBinary<typeof ClusterLoadAssignmentSchema>
>["endpoints"][number][
  "lbEndpoints"
][number];

function addressOf({ hostIdentifier }: LbEndpoint): string {
  if (hostIdentifier.case !== "endpoint") return "";
  const address = hostIdentifier.value.address?.address;
  if (address?.case !== "socketAddress") return "";
  const { address: ip, portSpecifier } = address.value;
  return `${ip}:${portSpecifier.value}`;
}
