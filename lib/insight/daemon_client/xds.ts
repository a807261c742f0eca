import { encode, fromBinary } from "../../kit/proto/mod.ts";
import { openStream, RPC, RpcError } from "../../kit/rpc/mod.ts";
import {
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import type { DaemonAnswer, DaemonEndpoint } from "./types.ts";
import { notFound, refused, unexpected, unreachable } from "./errors.ts";

const METHOD = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
/** The type whose resource name is the query. */
const DEBUG_TYPE = "mesh.io/debug";
/** Largest answer, bytes: a dump of a large proxy has tens of megabytes. */
const MAX_ANSWER = 256 * 1024 * 1024;

/** Asks a query on a separate discovery stream. */
export async function askOverXds(
  endpoint: DaemonEndpoint,
  query: string,
  signal: AbortSignal,
): Promise<DaemonAnswer> {
  const { address, tls, token, namespace = "mesh-system" } = endpoint;
  signal.throwIfAborted();
  const stream = openStream({
    target: address,
    tls,
    path: METHOD,
    maxReceive: MAX_ANSWER,
    ...token !== undefined && { metadata: { authorization: `Bearer ${token}` } },
  });
  const close = (): void => stream.close();
  signal.addEventListener("abort", close);
  try {
    stream.send(encode(DiscoveryRequestSchema, {
      node: {
        id: `sidecar~127.0.0.1~meshctl.${namespace}~${namespace}.svc.cluster.local`,
        metadata: { GENERATOR: "event", NAMESPACE: namespace },
      },
      typeUrl: DEBUG_TYPE,
      resourceNames: [query],
    }));
    for await (const message of stream.messages) {
      const { resources: [resource], controlPlane } = fromBinary(DiscoveryResponseSchema, message);
      const text = new TextDecoder().decode(resource?.value);
      return { text, identifier: controlPlane?.identifier };
    }
    signal.throwIfAborted();
    throw unexpected(address, "the stream ended without an answer");
  } catch (error) {
    throw asMeshError(address, error);
  } finally {
    signal.removeEventListener("abort", close);
    stream.close();
    await stream.ended;
  }
}

function asMeshError(address: string, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  switch (error.code) {
    case RPC.NOT_FOUND:
    case RPC.INVALID_ARGUMENT:
      return notFound(error.details);
    case RPC.PERMISSION_DENIED:
    case RPC.UNAUTHENTICATED:
      return refused(address, error.details);
    default:
      return unreachable("xds", address, error.details);
  }
}
