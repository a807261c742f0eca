/**
 * Fetches this proxy's values of ProxyConfigs from the daemon before the proxy starts.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { encode, fromBinary, typeUrl } from "../../kit/proto/mod.ts";
import { openStream, type RpcClientTls } from "../../kit/rpc/mod.ts";
import {
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type ProxyConfig, ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { dial } from "./dial.ts";
import type { BootstrapNode } from "./node.ts";
import { nodeMessage } from "./node_message.ts";

const METHOD = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
const TYPE = typeUrl(ProxyConfigSchema);

/** Timeout, ms; a daemon that does not respond must not block the proxy. */
const PATIENCE_MS = 10_000;

/** Enough for variables and a few certificates. */
const MAX_RESPONSE = 4 * 1024 * 1024;

const log = scope("default");

/**
 * Asks the daemon. Only `concurrency` and `proxyMetadata` of the message are used.
 *
 * @param target the daemon, `host:port`
 * @returns `undefined`, with a warning in the log, if there was no response in time
 */
export async function servedConfig(
  target: string,
  node: BootstrapNode,
  tls?: () => Promise<RpcClientTls>,
  patienceMs: number = PATIENCE_MS,
): Promise<ProxyConfig | undefined> {
  const patience = AbortSignal.timeout(patienceMs);
  try {
    if (!await dial(target, patience)) throw new Error("no program accepts connections there");
    return await ask(target, node, { patience, tls: await tls?.() });
  } catch (error) {
    log.warn("the daemon sent no ProxyConfig values; starting without them", {
      daemon: target,
      reason: messageOf(error),
    });
    return undefined;
  }
}

async function ask(
  target: string,
  node: BootstrapNode,
  { patience, tls }: { readonly patience: AbortSignal; readonly tls?: RpcClientTls },
): Promise<ProxyConfig> {
  const stream = openStream({ target, tls, path: METHOD, maxReceive: MAX_RESPONSE });
  const stop = () => stream.close();
  patience.addEventListener("abort", stop, { once: true });
  try {
    stream.send(encode(DiscoveryRequestSchema, {
      node: nodeMessage(node),
      typeUrl: TYPE,
    }));
    for await (const message of stream.messages) {
      const [resource] = fromBinary(DiscoveryResponseSchema, message).resources;
      if (resource !== undefined) return fromBinary(ProxyConfigSchema, resource.value);
    }
    throw new Error(patience.aborted ? "no answer in time" : "the stream ended without an answer");
  } finally {
    patience.removeEventListener("abort", stop);
    stream.close();
    await stream.ended;
  }
}
