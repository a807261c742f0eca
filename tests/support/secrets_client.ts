/**
 * A gateway's subscription to secrets over delta discovery.
 *
 * @module
 */
import { encode, fromBinary } from "../../lib/kit/proto/mod.ts";
import { openStream, type RpcClientTls } from "../../lib/kit/rpc/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";

const METHOD = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
const SECRETS = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";

/** A gateway of the namespace `shop`. */
export interface SecretsClient {
  readonly target: string;
  /** Default: plain text. */
  readonly tls?: RpcClientTls;
  /** Default: none. */
  readonly token?: string;
  readonly account: string;
  readonly names: readonly string[];
  /** The cluster that it claims. */
  readonly cluster?: string;
  /** The cluster that reviews its token; default: that of the daemon. */
  readonly reviewer?: string;
}

/** The secrets that the gateway has received, encoded, by name. */
export interface WatchedSecrets extends AsyncDisposable {
  readonly held: ReadonlyMap<string, Uint8Array>;
  /** Resolves with the first response. */
  readonly answered: Promise<void>;
}

/** Subscribes to secrets. */
export function watchSecrets(
  { target, tls, token, account, names, cluster, reviewer }: SecretsClient,
): WatchedSecrets {
  const metadata = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(reviewer === undefined ? {} : { clusterid: reviewer }),
  };
  const stream = openStream({ target, tls, path: METHOD, metadata });
  const held = new Map<string, Uint8Array>();
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  stream.send(encode(DeltaDiscoveryRequestSchema, {
    node: {
      id: `router~10.0.0.1~${account}.shop~shop.svc.cluster.local`,
      metadata: {
        NAMESPACE: "shop",
        SERVICE_ACCOUNT: account,
        LABELS: { at: "edge" },
        ...(cluster === undefined ? {} : { CLUSTER_ID: cluster }),
      },
    },
    typeUrl: SECRETS,
    resourceNamesSubscribe: [...names],
  }));
  const receive = async (): Promise<void> => {
    for await (const message of stream.messages) {
      const response = fromBinary(DeltaDiscoveryResponseSchema, message);
      for (const { name, resource } of response.resources) {
        if (resource !== undefined) held.set(name, resource.value);
      }
      for (const name of response.removedResources) held.delete(name);
      const { nonce: responseNonce, typeUrl } = response;
      stream.send(encode(DeltaDiscoveryRequestSchema, { typeUrl, responseNonce }));
      resolve();
    }
  };
  const done = receive().catch(() => {});
  return {
    held,
    answered,
    async [Symbol.asyncDispose]() {
      stream.close();
      await stream.ended;
      await done;
    },
  };
}
