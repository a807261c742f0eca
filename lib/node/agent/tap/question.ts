/**
 * Debug queries to the daemon on behalf of programs of this machine, over a connection of the agent's
 * own, which is authenticated as those of the proxy are.
 *
 * @module
 */
import {
  encode,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
} from "../../../kit/proto/mod.ts";
import { openStream, type RpcClientTls, RpcError, type RpcStream } from "../../../kit/rpc/mod.ts";
import { type Node, NodeSchema } from "#envoy/config/core/v3/base_pb.ts";
import {
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import type { BootstrapNode } from "../node.ts";

/** The daemon, and the agent's identity towards it. */
export interface DaemonLink {
  /** The daemon, `host:port`. */
  readonly target: string;
  /** TLS towards the daemon, read for each connection; default: none. */
  readonly tls?: () => Promise<RpcClientTls>;
  readonly node: BootstrapNode;
}

/** The type whose resource name is the query, for example `config_dump?proxyID=a.b`. */
export const DEBUG_TYPE = "mesh.io/debug";
/** Prefix of all types of debug queries. */
export const DEBUG_TYPES = "mesh.io/";

/** Service of the discovery methods. */
export const SERVICE = "/envoy.service.discovery.v3.AggregatedDiscoveryService/";
const METHOD = `${SERVICE}StreamAggregatedResources`;
/** Timeout of an answer, ms; less than that of an HTTP handler. */
const PATIENCE_MS = 25_000;
/** Largest answer, bytes: a dump of a large proxy has tens of megabytes. */
const MAX_ANSWER = 256 * 1024 * 1024;
/**
 * Metadata that the daemon compares with the identity of the connection. The rest would make a proxy
 * of the client, and register its workload again.
 */
const IDENTITY_KEYS = ["NAMESPACE", "SERVICE_ACCOUNT", "CLUSTER_ID", "MESH_VERSION"];

/** The node of a client that only asks debug queries. */
export function askingNode({ id, cluster, metadata }: BootstrapNode): Node {
  const kept: JsonObject = { GENERATOR: "event" };
  for (const key of IDENTITY_KEYS) if (metadata[key] !== undefined) kept[key] = metadata[key];
  return fromJson(NodeSchema, { id, cluster, metadata: kept } as JsonValue);
}

/** Opens a stream to the daemon. */
export async function openAsking(
  { target, tls }: DaemonLink,
  path: string = METHOD,
): Promise<RpcStream> {
  return openStream({ target, tls: await tls?.(), path, maxReceive: MAX_ANSWER });
}

/**
 * Asks the daemon a query such as `syncz` or `config_dump?proxyID=a.b`.
 *
 * @returns the bytes of the answer, mostly JSON
 * @throws RpcError with the daemon's status, `UNAVAILABLE` if it cannot be reached,
 * `DEADLINE_EXCEEDED` without an answer in time
 */
export async function askDaemon(
  link: DaemonLink,
  query: string,
  signal: AbortSignal,
  patienceMs: number = PATIENCE_MS,
): Promise<Uint8Array> {
  const stream = await openAsking(link);
  const late = AbortSignal.timeout(patienceMs);
  const within = AbortSignal.any([signal, late]);
  const close = () => stream.close();
  within.addEventListener("abort", close, { once: true });
  try {
    stream.send(encode(DiscoveryRequestSchema, {
      node: askingNode(link.node),
      typeUrl: DEBUG_TYPE,
      resourceNames: [query],
    }));
    for await (const message of stream.messages) {
      const [resource] = fromBinary(DiscoveryResponseSchema, message).resources;
      if (resource !== undefined) return resource.value;
    }
    throw late.aborted
      ? new RpcError("DEADLINE_EXCEEDED", `the daemon did not answer within ${patienceMs / 1000} s`)
      : new RpcError("UNAVAILABLE", "the daemon ended the stream without an answer");
  } finally {
    within.removeEventListener("abort", close);
    stream.close();
    await stream.ended;
  }
}
