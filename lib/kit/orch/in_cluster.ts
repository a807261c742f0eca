/**
 * Access from a pod of the cluster, by its service account.
 *
 * @module
 */
import { join } from "node:path";
import { MeshError } from "../base/mod.ts";
import type { Access } from "./access.ts";
import { fileToken } from "./token.ts";

/** The files of the service account, which every pod has unless it opts out. */
const SERVICE_ACCOUNT_DIR = "/var/run/secrets/kubernetes.io/serviceaccount";
/** Name of the API server in the cluster's DNS; its certificate has this name. */
const DEFAULT_HOST = "kubernetes.default.svc";

/**
 * Access with the token of the pod's service account, which is read again as it is renewed.
 *
 * @param host host, or host and port, of the API server; default: its name in the cluster's DNS
 * @throws MeshError `orch-not-in-cluster` without a token
 */
export async function inClusterAccess(
  host: string = DEFAULT_HOST,
  dir: string = SERVICE_ACCOUNT_DIR,
): Promise<Access> {
  const token = join(dir, "token");
  const ca = join(dir, "ca.crt");
  try {
    await Deno.stat(token);
  } catch (cause) {
    throw new MeshError("orch-not-in-cluster", `there is no service account token in ${dir}`, {
      remedy: "Run in a pod with a service account, or name a configuration file.",
      cause,
    });
  }
  const namespace = await Deno.readTextFile(join(dir, "namespace")).catch(() => "default");
  return {
    server: serverUrl(host),
    name: "in-cluster",
    namespace: namespace.trim(),
    tls: async () => ({ ca: await Deno.readTextFile(ca) }),
    token: fileToken(token),
    proxyUrl: "",
  };
}

/** True if the files of a service account are there. */
export async function isInCluster(dir: string = SERVICE_ACCOUNT_DIR): Promise<boolean> {
  return await Deno.stat(join(dir, "token")).then(() => true, () => false);
}

/** `HOST`, `HOST:PORT` or an IPv6 address, as a URL. */
export function serverUrl(host: string): string {
  return /^[^:[\]]*:[^:]*:/.test(host) ? `https://[${host}]` : `https://${host}`;
}
