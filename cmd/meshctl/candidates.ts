/**
 * Names for completion, from a daemon and from the orchestrator's configuration file.
 *
 * @module
 */
import type { CandidateRequest, Io } from "../../lib/kit/cli/mod.ts";
import type { ListItem } from "../../lib/kit/orch/mod.ts";

/** Time for the answer of the daemon, in milliseconds; completion itself waits two seconds. */
const TIMEOUT_MS = 1_500;

/** Completion writes nothing but names. */
const SILENT: Io = { out: () => {}, err: () => {} };

/** Proxies of the daemon that the flags or the settings name. */
export async function proxyNames({ flags, signal }: CandidateRequest): Promise<readonly string[]> {
  const { namesDaemon, openDaemons } = await import("./connect.ts");
  if (!flags.has("xds-address") || !namesDaemon(flags)) return await podNames({ flags, signal });
  const { askDaemon } = await import("../../lib/insight/daemon_client/mod.ts");
  await using daemons = await openDaemons({ flags, io: SILENT, signal });
  const { endpoint } = daemons.all[0];
  const { text } = await askDaemon(endpoint, { query: "syncz", timeoutMs: TIMEOUT_MS, signal });
  const rows = JSON.parse(text) as readonly { readonly proxy: string }[];
  return rows.map(({ proxy }) => proxy).sort();
}

/** Pods with a proxy, as `name.namespace`: of `--namespace`, or of all namespaces. */
async function podNames(
  { flags, signal }: Pick<CandidateRequest, "flags" | "signal">,
): Promise<readonly string[]> {
  const { openCluster } = await import("./cluster/access.ts");
  const { hasProxy, podId, podsOf } = await import("./cluster/pods.ts");
  using cluster = await openCluster({ flags, io: SILENT, signal }, { timeoutMs: TIMEOUT_MS });
  const pods = await podsOf(cluster, { namespace: flags.string("namespace") });
  return pods.filter(hasProxy).map(podId).sort();
}

/** Names of a resource type, of `--namespace` or the namespace of the context. */
async function objectNames(
  { flags, signal }: CandidateRequest,
  type: "NAMESPACE" | "SERVICE" | "POD",
): Promise<readonly string[]> {
  const { openCluster } = await import("./cluster/access.ts");
  const { listAll, types } = await import("../../lib/kit/orch/mod.ts");
  using cluster = await openCluster({ flags, io: SILENT, signal }, { timeoutMs: TIMEOUT_MS });
  const namespace = type === "NAMESPACE" ? "" : cluster.namespace;
  const objects = await listAll<ListItem>(cluster.client, types[type], { namespace });
  return objects.map(({ metadata }) => metadata.name).sort();
}

/** Namespaces of the cluster. */
export async function namespaceNames(request: CandidateRequest): Promise<readonly string[]> {
  return await objectNames(request, "NAMESPACE");
}

/** Services of the namespace. */
export async function serviceNames(request: CandidateRequest): Promise<readonly string[]> {
  return await objectNames(request, "SERVICE");
}

/** Pods of the namespace, with and without a proxy. */
export async function allPodNames(request: CandidateRequest): Promise<readonly string[]> {
  return await objectNames(request, "POD");
}

/** Contexts of the orchestrator's configuration file. */
export async function contextNames({ flags }: CandidateRequest): Promise<readonly string[]> {
  const { loadKubeconfig } = await import("../../lib/kit/orch/mod.ts");
  const { orchconfigFiles } = await import("./cluster/access.ts");
  const config = await loadKubeconfig(await orchconfigFiles(flags));
  return [...config.contexts.keys()].sort();
}
