/**
 * Pull secrets of images: the agent asks the daemon for them when it needs one, over a stream of its
 * own, and does not keep them.
 *
 * @module
 */
import { TYPE_URLS } from "../../mesh/model/mod.ts";
import { encode, fromBinary } from "../../kit/proto/mod.ts";
import { openStream, type RpcClientTls } from "../../kit/rpc/mod.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import {
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import type { BootstrapNode } from "./node.ts";
import { nodeMessage } from "./node_message.ts";

/** The daemon, and the proxy's identity towards it. */
export interface SecretSource {
  /** The daemon, `host:port`. */
  readonly target: string;
  /** TLS towards the daemon; default: none. */
  readonly tls?: () => Promise<RpcClientTls>;
  readonly node: BootstrapNode;
}

const METHOD = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
/** Time for an answer, ms. */
const PATIENCE_MS = 10_000;
/** Largest answer, bytes; the daemon reads at most 1 MiB from a file. */
const MAX_ANSWER = 2 * 1024 * 1024;

/**
 * Asks for a pull secret, such as `kubernetes://shop/registry`.
 *
 * @returns JSON of the form of `.dockerconfigjson`
 * @throws Error that names the secret, if the daemon does not give it in time
 */
export async function askPullSecret(
  { target, tls, node }: SecretSource,
  name: string,
  patienceMs: number = PATIENCE_MS,
): Promise<string> {
  const stream = openStream({ target, tls: await tls?.(), path: METHOD, maxReceive: MAX_ANSWER });
  const timer = setTimeout(() => stream.close(), patienceMs);
  // The workload is registered by the stream of its proxy.
  const { AUTO_REGISTER_GROUP: _, ...metadata } = node.metadata;
  try {
    stream.send(encode(DiscoveryRequestSchema, {
      node: nodeMessage({ ...node, metadata }),
      typeUrl: TYPE_URLS.secret,
      resourceNames: [name],
    }));
    for await (const message of stream.messages) {
      for (const { value } of fromBinary(DiscoveryResponseSchema, message).resources) {
        const secret = fromBinary(SecretSchema, value);
        const found = secret.type.case === "genericSecret" ? secret.type.value.secret : undefined;
        if (secret.name === name && found?.specifier.case === "inlineString") {
          return found.specifier.value;
        }
      }
    }
    throw new Error(`the daemon does not give the pull secret ${name} to this workload`);
  } finally {
    clearTimeout(timer);
    stream.close();
    await stream.ended;
  }
}
