/**
 * Daemons of a cluster: their pods, and endpoints that lead to them.
 *
 * @module
 */
import { MeshError, printable } from "../../kit/base/mod.ts";
import type { FlagValues } from "../../kit/cli/mod.ts";
import type { DaemonEndpoint } from "./types.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import { getObject, type OrchObject, requestToken, types } from "../../kit/orch/mod.ts";
import {
  type ClusterAccess,
  forwardTo,
  isRunning,
  type Pod,
  podsOf,
} from "../cluster_access/mod.ts";

/** Labels of the daemon's pods. */
const DAEMON_LABELS = "app=meshd";
/** Port of metrics and debug pages. */
export const MONITORING_PORT = 15_014;
/** The ConfigMap with the trusted roots of the mesh (G07 of the interface), and its key. */
const ROOTS = { name: "mesh-ca-root-cert", key: "root-cert.pem" } as const;
/** The audience of tokens for the daemon. */
const AUDIENCE = "mesh-ca";
/** The account of the tokens: identities of the system namespace may ask debug queries. */
const ACCOUNT = "default";
const TOKEN_SECONDS = 600;

/** Flags of the connection over xDS. */
const XDS_FLAGS = ["plaintext", "insecure", "cert-dir", "authority", "xds-port"] as const;

/** True if the flags ask for xDS instead of the debug pages. */
export function wantsXds(flags: FlagValues): boolean {
  return XDS_FLAGS.some((name) => flags.given.has(name)) || flags.string("cert-dir") !== "" ||
    flags.bool("plaintext") || flags.bool("insecure");
}

/**
 * The running pods of the daemon.
 *
 * @param label labels of the pods; empty: those of the daemon
 * @param revision only daemons of this revision; empty: all
 * @throws {MeshError} `daemon-unknown` if there is none
 */
export async function daemonPods(
  cluster: ClusterAccess,
  { label = "", revision = "" }: { readonly label?: string; readonly revision?: string },
): Promise<readonly Pod[]> {
  const ofRevision = revision === "" ? "" : `,${REVISION_LABEL}=${revision}`;
  const labelSelector = `${label || DAEMON_LABELS}${ofRevision}`;
  const namespace = cluster.meshNamespace;
  const pods = (await podsOf(cluster, { namespace, labelSelector })).filter(isRunning);
  if (pods.length > 0) return pods;
  throw new MeshError(
    "daemon-unknown",
    printable(`no pod of the daemon (${labelSelector}) runs in namespace ${namespace}`),
    { remedy: "Check --meshNamespace and --revision, or name a daemon with --xds-address." },
  );
}

/** The revision of a daemon. */
export function revisionOf({ metadata: { labels } }: Pod): string {
  return labels?.[REVISION_LABEL] ?? "default";
}

/** The endpoint of the debug pages of a daemon's pod. */
export async function pagesEndpoint(
  cluster: ClusterAccess,
  pod: Pod,
  stack: AsyncDisposableStack,
): Promise<DaemonEndpoint> {
  const forward = stack.use(await forwardTo(cluster, pod, MONITORING_PORT));
  return { address: `http://127.0.0.1:${forward.port}` };
}

/** The endpoint of xDS of a daemon's pod, with the credentials that the flags name. */
export async function xdsEndpoint(
  cluster: ClusterAccess,
  pod: Pod,
  flags: FlagValues,
  stack: AsyncDisposableStack,
): Promise<DaemonEndpoint> {
  const forward = stack.use(await forwardTo(cluster, pod, flags.number("xds-port")));
  const address = `127.0.0.1:${forward.port}`;
  if (flags.bool("plaintext")) return { address };
  const serverName = flags.string("authority") || serviceName(cluster, pod);
  const checks = { insecure: flags.bool("insecure"), serverName };
  const dir = flags.string("cert-dir");
  if (dir !== "") {
    const { readClientCertificates } = await import("./certificates.ts");
    const { tls, namespace } = await readClientCertificates(dir);
    return { address, tls: { ...tls, ...checks }, namespace };
  }
  return { address, ...await clusterCredentials(cluster, checks) };
}

/** Trusted roots and a token, from the API server. */
export async function clusterCredentials(
  cluster: ClusterAccess,
  checks: { readonly insecure: boolean; readonly serverName?: string },
): Promise<Pick<DaemonEndpoint, "tls" | "token" | "namespace">> {
  const { client, meshNamespace: namespace } = cluster;
  const [ca, { token }] = await Promise.all([
    checks.insecure ? "" : rootsOf(cluster),
    requestToken(client, { namespace, name: ACCOUNT }, [AUDIENCE], TOKEN_SECONDS),
  ]);
  return { tls: { ca, ...checks }, token, namespace };
}

async function rootsOf({ client, meshNamespace }: ClusterAccess): Promise<string> {
  const name = { namespace: meshNamespace, name: ROOTS.name };
  const { data } = await getObject<OrchObject & { readonly data?: Record<string, string> }>(
    client,
    types.CONFIG_MAP,
    name,
  );
  return data?.[ROOTS.key] ?? "";
}

/** Name of the daemon's Service, which is in its certificate. */
function serviceName({ meshNamespace }: ClusterAccess, pod: Pod): string {
  const revision = revisionOf(pod);
  return `meshd${revision === "default" ? "" : `-${revision}`}.${meshNamespace}.svc`;
}
