/**
 * Names for completion, from a cluster and from the orchestrator's configuration file.
 *
 * @module
 */
import type { CandidateRequest, Io } from "../../kit/cli/mod.ts";
import { listAll, type ListItem, loadKubeconfig, types } from "../../kit/orch/mod.ts";
import { openCluster, orchconfigFiles } from "./access.ts";
import { hasProxy, podId, podsOf } from "./pods.ts";

/** Time for the answer of the cluster, in milliseconds; completion itself waits two seconds. */
const TIMEOUT_MS = 1_500;

/** Completion writes nothing but names. */
const SILENT: Io = { out: () => {}, err: () => {} };

/** Pods with a proxy, as `name.namespace`: of `--namespace`, or of all namespaces. */
export async function podNames(
  { flags, signal }: Pick<CandidateRequest, "flags" | "signal">,
): Promise<readonly string[]> {
  using cluster = await openCluster({ flags, io: SILENT, signal }, { timeoutMs: TIMEOUT_MS });
  const pods = await podsOf(cluster, { namespace: flags.string("namespace") });
  return pods.filter(hasProxy).map(podId).sort();
}

/** Names of a resource type, of `--namespace` or the namespace of the context. */
async function objectNames(
  { flags, signal }: CandidateRequest,
  type: "NAMESPACE" | "SERVICE" | "POD",
): Promise<readonly string[]> {
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
  const config = await loadKubeconfig(await orchconfigFiles(flags));
  return [...config.contexts.keys()].sort();
}
