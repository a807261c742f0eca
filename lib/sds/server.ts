/**
 * The secret discovery service (SDS) on a Unix socket: the workload's certificate (`default`) and its
 * trusted roots (`ROOTCA`), each sent again when it changes.
 *
 * @module
 */
import { encode, fromBinary, packAny } from "../proto/mod.ts";
import { type RpcCall, RpcError, type RpcServer, startRpc } from "../rpc/mod.ts";
import { scope } from "../log/mod.ts";
import {
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type Secret, SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { create } from "../proto/mod.ts";
import type { WorkloadCertificate, WorkloadCertificates } from "./workload.ts";

/** Settings of the server. */
export interface SdsOptions {
  /** Path of the Unix socket. */
  readonly socket: string;
  readonly certificates: WorkloadCertificates;
}

/** A running server. */
export interface SdsServer {
  stop(): Promise<void>;
}

/** Names of the secrets. */
const WORKLOAD = "default";
const ROOTS = "ROOTCA";
const METHOD = "/envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets";
const TYPE = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";
/** Requests are small: a node, and a name. */
const MAX_REQUEST = 1024 * 1024;
const MAX_NAMES = 100;

const log = scope("sds");

/** Starts the server. Throws `MeshError` `rpc-bind` when the socket cannot be made. */
export async function startSds({ socket, certificates }: SdsOptions): Promise<SdsServer> {
  const server: RpcServer = await startRpc({
    address: `unix:${socket}`,
    services: [{ path: METHOD, handle: (call) => serve(call, certificates) }],
    limits: { maxReceive: MAX_REQUEST, maxStreams: 10_000 },
    keepalive: { interval: 300_000, timeout: 20_000 },
  });
  await Deno.chmod(socket, 0o600);
  return {
    async stop() {
      await server.stop(0);
      await Deno.remove(socket).catch(() => {});
    },
  };
}

/** One stream: the names of its last request, and a response to each change of what they have. */
async function serve(call: RpcCall, certificates: WorkloadCertificates): Promise<void> {
  let names: readonly string[] = [];
  let sent = "";
  let nonce = 0;
  const push = () => {
    const certificate = certificates.current();
    const version = `${certificate.version} ${names.join(" ")}`;
    if (names.length === 0 || version === sent) return;
    sent = version;
    call.send(encode(DiscoveryResponseSchema, {
      typeUrl: TYPE,
      versionInfo: certificate.version,
      nonce: `${++nonce}`,
      resources: names.map((name) => packAny(SecretSchema, secretOf(name, certificate))),
    }));
  };
  const stop = certificates.onChange(push);
  try {
    for await (const message of call.messages) {
      const request = fromBinary(DiscoveryRequestSchema, message);
      if (request.errorDetail) {
        log.warn("the proxy rejected a secret", { reason: request.errorDetail.message });
      }
      names = checked(request.resourceNames);
      push();
    }
  } finally {
    stop();
  }
}

function checked(names: readonly string[]): readonly string[] {
  const unknown = names.find((name) => name !== WORKLOAD && name !== ROOTS);
  if (unknown !== undefined || names.length > MAX_NAMES) {
    throw new RpcError("INVALID_ARGUMENT", "only the secrets default and ROOTCA are served");
  }
  return names;
}

/** A secret in the form that a proxy takes. */
export function secretOf(name: string, { chain, key, roots }: WorkloadCertificate): Secret {
  const inline = (text: string) => ({
    specifier: { case: "inlineString" as const, value: text },
  });
  return create(SecretSchema, {
    name,
    type: name === WORKLOAD
      ? {
        case: "tlsCertificate",
        value: { certificateChain: inline(chain), privateKey: inline(key) },
      }
      : { case: "validationContext", value: { trustedCa: inline(roots) } },
  });
}
