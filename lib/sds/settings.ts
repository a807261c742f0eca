/**
 * Settings of the workload's certificate, read from environment and files.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import type { KeyKind } from "../pki/mod.ts";
import { readTrustBundle } from "../pki/mod.ts";
import type { RpcClientTls } from "../rpc/mod.ts";
import * as env from "./variables.ts";
import type { WorkloadOptions } from "./workload.ts";

/** Files below the working directory that the platform mounts. */
const TOKEN_FILE = "./var/run/secrets/tokens/mesh-token";
const ROOT_FILE = "./var/run/secrets/mesh/root-cert.pem";
/** Largest token file, bytes. */
const MAX_TOKEN = 64 * 1024;

/**
 * Settings of the workload certificate.
 *
 * @param discovery `host:port` of the daemon
 */
export function workloadOptions(discovery: string, clusterId: string | undefined): WorkloadOptions {
  return {
    target: env.CA_ADDR.get() || discovery,
    clusterId,
    tls: () => serverTls(env.CA_ROOT_CA.get() || rootFile()),
    token: readToken,
    key: keyKind(),
    ttlMs: env.SECRET_TTL.get(),
    ratio: env.SECRET_GRACE_PERIOD_RATIO.get(),
    jitter: env.SECRET_GRACE_PERIOD_RATIO_JITTER.get(),
  };
}

/** Verification of the daemon's certificate. Throws `MeshError` `agent-root`. */
export function daemonTls(): Promise<Pick<RpcClientTls, "ca" | "serverName">> {
  return serverTls(rootFile());
}

function rootFile(): string {
  return env.XDS_ROOT_CA.get() || ROOT_FILE;
}

async function serverTls(file: string): Promise<Pick<RpcClientTls, "ca" | "serverName">> {
  let text: string;
  try {
    text = await Deno.readTextFile(file);
  } catch (cause) {
    throw new MeshError("agent-root", `${file}: the root certificates of the daemon are missing`, {
      remedy: "Mount them there, or name their file by XDS_ROOT_CA.",
      cause,
    });
  }
  const serverName = env.MESHD_SAN.get() || undefined;
  return { ca: readTrustBundle(text, file).pem, serverName };
}

/** The token is read for each request, because the platform renews the file. */
async function readToken(): Promise<string | undefined> {
  try {
    const { size } = await Deno.stat(TOKEN_FILE);
    if (size > MAX_TOKEN) throw new Error(`${TOKEN_FILE} is larger than 64 KiB`);
    return (await Deno.readTextFile(TOKEN_FILE)).trim() || undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function keyKind(): KeyKind {
  if (env.ECC_SIGNATURE_ALGORITHM.get()) {
    return { type: "ecdsa", curve: env.ECC_CURVE.get() === "P384" ? "P384" : "P256" };
  }
  return { type: "rsa", bits: env.WORKLOAD_RSA_KEY_SIZE.get() };
}
