/**
 * A client of the secured listener: the outcome of opening a discovery stream.
 *
 * @module
 */
import assert from "node:assert/strict";
import { encode } from "../../lib/kit/proto/mod.ts";
import { openStream, type RpcClientTls, RpcError } from "../../lib/kit/rpc/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";

const METHOD = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
const CLUSTERS = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

/** A stream to open. */
export interface SecuredStream {
  readonly target: string;
  readonly tls?: RpcClientTls;
  readonly token?: string;
  /** The id of its cluster, in the metadata of the call. */
  readonly cluster?: string;
  readonly namespace?: string;
}

/** `served`, or the status and text that the stream of a sidecar ended with. */
export async function discover(
  { target, tls, token, cluster, namespace = "shop" }: SecuredStream,
): Promise<string> {
  const stream = openStream({
    target,
    tls,
    path: METHOD,
    metadata: {
      ...token !== undefined && { authorization: `Bearer ${token}` },
      ...cluster !== undefined && { clusterid: cluster },
    },
  });
  stream.send(encode(DeltaDiscoveryRequestSchema, {
    node: {
      id: `sidecar~10.0.0.1~cart.${namespace}~${namespace}.svc.cluster.local`,
      metadata: { NAMESPACE: namespace },
    },
    typeUrl: CLUSTERS,
  }));
  try {
    for await (const _ of stream.messages) return "served";
    return "ended";
  } catch (error) {
    assert.ok(error instanceof RpcError);
    return `${error.status} ${error.details}`;
  } finally {
    stream.close();
    await stream.ended;
  }
}
