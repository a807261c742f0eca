/**
 * The secret discovery service (SDS) on a Unix socket: the workload's certificate (`default`), its
 * trusted roots (`ROOTCA`) and secrets of files, each sent again when it changes.
 *
 * @module
 */
import { encode, packAny } from "../../kit/proto/mod.ts";
import { type RpcCall, type RpcServer, startRpc } from "../../kit/rpc/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { DiscoveryResponseSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { type FileSecrets, fileSecrets, type VersionedSecret } from "./file_secrets.ts";
import { readSecretRequest, ROOTS, WORKLOAD } from "./request.ts";
import { certificateSecret, rootsSecret } from "./secret.ts";
import type { WorkloadCertificate, WorkloadCertificates } from "./workload_certificate.ts";

/** Settings of the server. */
export interface SdsOptions {
  /** Path of the Unix socket. */
  readonly socket: string;
  readonly certificates: WorkloadCertificates;
  /** Quiet time after a change of files, ms. */
  readonly debounceMs: number;
}

/** A running server. */
export interface SdsServer {
  stop(): Promise<void>;
}

const METHOD = "/envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets";
const TYPE = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";
/** Requests are small: a node, and a name. */
const MAX_REQUEST = 1024 * 1024;

const log = scope("sds");

/** Sources of the secrets of streams. */
interface Sources {
  readonly certificates: WorkloadCertificates;
  readonly files: FileSecrets;
}

/** Starts the server. Throws `MeshError` `rpc-bind` when the socket cannot be made. */
export async function startSds(
  { socket, certificates, debounceMs }: SdsOptions,
): Promise<SdsServer> {
  const sources = { certificates, files: fileSecrets(debounceMs) };
  const server: RpcServer = await startRpc({
    address: `unix:${socket}`,
    services: [{ path: METHOD, handle: (call) => serve(call, sources) }],
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

/** One stream: the names of its last request, and a response to each change of their contents. */
async function serve(call: RpcCall, { certificates, files }: Sources): Promise<void> {
  let names: readonly string[] = [];
  let sent = "";
  let nonce = 0;
  const push = () => {
    const own = certificates.current();
    const found = names.map((name) => files.current(name) ?? workloadSecret(name, own))
      .filter((one) => one !== undefined);
    const versionInfo = found.map(({ version }) => version).join(" ");
    const state = `${names.join(" ")} ${versionInfo}`;
    if (found.length === 0 || state === sent) return;
    sent = state;
    call.send(encode(DiscoveryResponseSchema, {
      typeUrl: TYPE,
      versionInfo,
      nonce: `${++nonce}`,
      resources: found.map(({ secret }) => packAny(SecretSchema, secret)),
    }));
  };
  const used = new Map<string, () => void>();
  const stop = certificates.onChange(push);
  try {
    for await (const message of call.messages) {
      const request = readSecretRequest(message);
      if (request.rejection !== undefined) {
        log.warn("the proxy rejected a secret", { reason: request.rejection });
      }
      names = request.names;
      follow(used, names.filter(files.has), (name) => files.use(name, push));
      push();
    }
  } finally {
    stop();
    for (const end of used.values()) end();
  }
}

/** Ends the use of names that are not wanted any more, and begins that of new ones. */
function follow(
  used: Map<string, () => void>,
  names: readonly string[],
  use: (name: string) => () => void,
): void {
  for (const [name, end] of used) {
    if (names.includes(name)) continue;
    used.delete(name);
    end();
  }
  for (const name of names) if (!used.has(name)) used.set(name, use(name));
}

function workloadSecret(
  name: string,
  { chain, key, roots, version, rootsVersion }: WorkloadCertificate,
): VersionedSecret | undefined {
  if (name === WORKLOAD) return { version, secret: certificateSecret(name, chain, key) };
  if (name !== ROOTS) return undefined;
  return { version: rootsVersion, secret: rootsSecret(name, roots) };
}
