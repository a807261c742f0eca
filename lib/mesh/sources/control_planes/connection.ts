/**
 * One connection to another control plane: a state-of-the-world discovery stream that subscribes to
 * every kind of configuration objects.
 *
 * @module
 */
import { complianceSuites } from "../../../kit/pki/mod.ts";
import {
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { ClientTLSSettings_TLSmode as Mode } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { ConfigSource } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type Any, encode, fromBinary } from "../../../kit/proto/mod.ts";
import { openStream, type RpcClientTls } from "../../../kit/rpc/mod.ts";
import type { Kind } from "../../schema/mod.ts";
import { KINDS_BY_URL } from "./objects.ts";

/** This daemon, as it introduces itself. */
export interface ClientNode {
  readonly name: string;
  readonly namespace: string;
  readonly domain: string;
  readonly clusterId: string;
}

/** The control plane to connect to, and the receiver of its answers. */
export interface ConnectionOptions {
  /** `host:port`. */
  readonly target: string;
  readonly tls: ConfigSource["tlsSettings"];
  readonly node: ClientNode;
  /** Called with all objects of a kind: at first, and whenever some of them changed. */
  received(kind: Kind, resources: readonly Any[]): void;
}

const METHOD = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";

/** Largest response taken, bytes: it has all objects of a kind. */
const MAX_RESPONSE = 256 * 1024 * 1024;

/** A server that does not answer a ping is gone; milliseconds. */
const KEEPALIVE = { interval: 15_000, timeout: 10_000 };

/** Connects and receives until the stream ends. Rejects with the reason, also when a file is missing. */
export async function connectOnce(
  { target, tls, node, received }: ConnectionOptions,
  signal: AbortSignal,
): Promise<void> {
  const stream = openStream({
    target,
    tls: await readTls(tls),
    path: METHOD,
    maxReceive: MAX_RESPONSE,
    keepalive: KEEPALIVE,
  });
  const close = (): void => stream.close();
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    for (const typeUrl of KINDS_BY_URL.keys()) {
      stream.send(encode(DiscoveryRequestSchema, { typeUrl, node: nodeOf(node) }));
    }
    for await (const message of stream.messages) {
      const { typeUrl, nonce, versionInfo, resources } = fromBinary(
        DiscoveryResponseSchema,
        message,
      );
      const kind = KINDS_BY_URL.get(typeUrl);
      if (kind !== undefined) received(kind, resources);
      // Rejected objects are reported here, where the last good versions are.
      stream.send(encode(DiscoveryRequestSchema, { typeUrl, responseNonce: nonce, versionInfo }));
    }
  } finally {
    signal.removeEventListener("abort", close);
    stream.close();
    await stream.ended;
  }
}

function nodeOf({ name, namespace, domain, clusterId }: ClientNode) {
  return {
    // The address is not used: no listener is served to this client.
    id: `sidecar~127.0.0.1~${name}.${namespace}~${namespace}.svc.${domain}`,
    metadata: { GENERATOR: "api", NAMESPACE: namespace, CLUSTER_ID: clusterId },
  };
}

/** Reads the files of the settings, at each connection: they may have been renewed. */
async function readTls(tls: ConfigSource["tlsSettings"]): Promise<RpcClientTls | undefined> {
  if (tls === undefined || tls.mode === Mode.DISABLE) return undefined;
  const [name = tls.sni] = tls.subjectAltNames;
  const ca = await Deno.readTextFile(tls.caCertificates);
  return {
    ca,
    cipherSuites: complianceSuites(),
    ...(name === "" ? {} : { serverName: name }),
    ...(tls.mode === Mode.MUTUAL
      ? {
        cert: await Deno.readTextFile(tls.clientCertificate),
        key: await Deno.readTextFile(tls.privateKey),
      }
      : {}),
  };
}
