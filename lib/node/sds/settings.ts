/**
 * Settings of the workload's certificate, read from environment and files.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import type { KeyKind } from "../../kit/pki/mod.ts";
import { complianceSuites, readTrustBundle, spiffeText } from "../../kit/pki/mod.ts";
import type { RpcClientTls } from "../../kit/rpc/mod.ts";
import type { MountedOptions } from "./mounted.ts";
import { filesIn, type MountedFiles, SYSTEM_ROOTS, writeFiles } from "./pem_files.ts";
import { tokenSource } from "./tokens.ts";
import * as env from "./variables.ts";
import type { WorkloadOptions } from "./workload.ts";

/** The daemon's roots, in a file that the platform mounts. */
const ROOT_FILE = "./var/run/secrets/mesh/root-cert.pem";
/** Folder of mounted certificates. */
const MOUNTED_DIR = "./etc/certs";

/** Settings of the proxy that concern its certificate. */
export interface ProxyOptions
  extends Pick<WorkloadOptions, "clusterId" | "extraRoots" | "workload"> {
  /** Namespace of the workload. */
  readonly namespace: string | undefined;
  /** Service account of the workload; without it requests have no identity. */
  readonly serviceAccount: string | undefined;
}

/**
 * Settings of the workload certificate.
 *
 * @param discovery `host:port` of the daemon
 * @throws MeshError `agent-identity` if the workload cannot have a SPIFFE id
 */
export function workloadOptions(discovery: string, proxy: ProxyOptions): WorkloadOptions {
  const output = env.OUTPUT_CERTS.get();
  return {
    target: env.CA_ADDR.get() || discovery,
    clusterId: proxy.clusterId,
    extraRoots: proxy.extraRoots,
    workload: proxy.workload,
    identity: identityOf(proxy),
    signer: env.CERT_SIGNER.get() || undefined,
    tls: () => serverTls(env.CA_ROOT_CA.get() || rootFile()),
    token: workloadToken(),
    // The daemon is the authority: its roots change, and the mounted file may lag behind.
    trustsAnswers: !env.CA_ADDR.get(),
    key: keyKind(),
    keyForm: env.PKCS8_KEY.get() ? "pkcs8" : "traditional",
    ttlMs: env.SECRET_TTL.get(),
    ratio: env.SECRET_GRACE_PERIOD_RATIO.get(),
    jitter: env.SECRET_GRACE_PERIOD_RATIO_JITTER.get(),
    ...env.PROV_CERT.get() && { provisioned: filesIn(env.PROV_CERT.get()!) },
    ...output && { obtained: (certificate) => writeFiles(filesIn(output), certificate) },
  };
}

/** The SPIFFE id; `undefined` without a namespace or a service account. */
function identityOf({ namespace, serviceAccount }: ProxyOptions): string | undefined {
  if (!namespace || !serviceAccount) return undefined;
  // The files of a bundle for a machine may set it without a value.
  const trustDomain = env.TRUST_DOMAIN.get() || env.DEFAULT_TRUST_DOMAIN;
  try {
    return spiffeText({ trustDomain, namespace, serviceAccount });
  } catch (cause) {
    throw new MeshError("agent-identity", `the workload has no identity: ${messageOf(cause)}`, {
      remedy: "Correct TRUST_DOMAIN, POD_NAMESPACE or SERVICE_ACCOUNT. A trust domain has " +
        "lower-case letters, digits, dots, - and _.",
      cause,
    });
  }
}

/** The files of `FILE_MOUNTED_CERTS`; `undefined`: certificates are not mounted. */
export function mountedOptions(): MountedOptions | undefined {
  if (!env.FILE_MOUNTED_CERTS.get()) return undefined;
  return { files: mountedFiles(), debounceMs: env.FILE_DEBOUNCE_DURATION.get() };
}

function mountedFiles(): MountedFiles {
  const standard = filesIn(MOUNTED_DIR);
  return {
    chain: env.TLS_CLIENT_CERT_CHAIN.get() || standard.chain,
    key: env.TLS_CLIENT_KEY.get() || standard.key,
    roots: env.TLS_CLIENT_ROOT_CERT.get() || standard.roots,
  };
}

/** Source of the workload's token. Throws `MeshError` `credential-url`. */
export function workloadToken(): WorkloadOptions["token"] {
  return tokenSource({
    policy: env.JWT_POLICY.get(),
    fetcher: env.CREDENTIAL_FETCHER_TYPE.get(),
    url: env.MESH_CREDENTIAL_URL.get(),
    audience: env.TOKEN_AUDIENCES.get().split(",")[0]!.trim(),
  });
}

/** Quiet time after a change of files, ms. */
export function fileDebounceMs(): number {
  return env.FILE_DEBOUNCE_DURATION.get();
}

/** Verification of the daemon's certificate. Throws `MeshError` `agent-root`. */
export function daemonTls(): Promise<Pick<RpcClientTls, "ca" | "serverName" | "cipherSuites">> {
  return serverTls(rootFile());
}

function rootFile(): string {
  const named = env.XDS_ROOT_CA.get();
  if (named) return named;
  const provisioned = env.PROV_CERT.get();
  if (provisioned) return filesIn(provisioned).roots;
  return env.FILE_MOUNTED_CERTS.get() ? mountedFiles().roots : ROOT_FILE;
}

async function serverTls(
  named: string,
): Promise<Pick<RpcClientTls, "ca" | "serverName" | "cipherSuites">> {
  const file = named === "SYSTEM" ? SYSTEM_ROOTS : named;
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
  const ca = file === SYSTEM_ROOTS ? text : readTrustBundle(text, file).pem;
  return { ca, serverName, cipherSuites: complianceSuites() };
}

function keyKind(): KeyKind {
  if (env.ECC_SIGNATURE_ALGORITHM.get()) {
    return { type: "ecdsa", curve: env.ECC_CURVE.get() === "P384" ? "P384" : "P256" };
  }
  return { type: "rsa", bits: env.WORKLOAD_RSA_KEY_SIZE.get() };
}
