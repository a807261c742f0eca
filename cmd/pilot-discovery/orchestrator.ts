/**
 * The connection to the orchestrator: by a configuration file, or from a pod.
 *
 * @module
 */
import { REVISION } from "../../lib/cluster/controllers/mod.ts";
import type { Intake } from "../../lib/mesh/ingest/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import { REVISION_LABEL } from "../../lib/mesh/model/mod.ts";
import {
  type Access,
  accessOf,
  ALL_CREDENTIAL_OPTIONS,
  createClient,
  inClusterAccess,
  isInCluster,
  loadKubeconfig,
  type OrchClient,
} from "../../lib/kit/orch/mod.ts";
import {
  type Followed,
  type FollowedTags,
  followObjects,
  isOfRevision,
  MESH_WATCH_NAMESPACE,
  type OrchestratorObjects,
  type RevisionSelection,
  sharingWarnings,
} from "../../lib/mesh/sources/mod.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { DiscoveryOptions } from "./options.ts";
import { ORCH_SERVICE_HOST } from "./variables.ts";

const log = scope("orch");

/**
 * True if the options select an orchestrator: by the file of `--orchconfig`, or as a pod without
 * `--configDir`.
 *
 * @param dir files of the pod's service account; default: those of a pod
 */
export async function isOrchestrated(
  { orchConfig, configDir }: Pick<DiscoveryOptions, "orchConfig" | "configDir">,
  dir?: string,
): Promise<boolean> {
  return orchConfig !== "" || configDir === "" && await isInCluster(dir);
}

/**
 * The access that the options select: the file of `--orchconfig`; without it and without
 * `--configDir`, that of the pod. `undefined`: no orchestrator.
 *
 * @param dir files of the pod's service account; default: those of a pod
 * @throws MeshError for a file that cannot be used
 */
export async function orchestratorAccess(
  { orchConfig, configDir }: Pick<DiscoveryOptions, "orchConfig" | "configDir">,
  dir?: string,
): Promise<Access | undefined> {
  if (!await isOrchestrated({ orchConfig, configDir }, dir)) return undefined;
  if (orchConfig !== "") {
    const config = await loadKubeconfig([orchConfig]);
    return accessOf(config, { allowed: ALL_CREDENTIAL_OPTIONS });
  }
  return await inClusterAccess(ORCH_SERVICE_HOST.get(), dir);
}

/** Name of the source, in origins of objects and in metrics. */
export function sourceName(clusterId: string): string {
  return `cluster/${clusterId}`;
}

/**
 * The client of the orchestrator that the options select; `undefined` without one. It opens no
 * connection before the first request.
 *
 * @throws MeshError for a file that cannot be used
 */
export async function connectOrchestrator(
  options: DiscoveryOptions,
  stack: AsyncDisposableStack,
): Promise<OrchClient | undefined> {
  const access = options.configDir === "" ? await orchestratorAccess(options) : undefined;
  if (access === undefined) return undefined;
  const { orchApiQps: qps, orchApiBurst: burst } = options;
  const client = stack.use(createClient(access, { rate: { qps, burst } }));
  log.info("connecting to the orchestrator", { server: access.server, context: access.name });
  return client;
}

/**
 * Follows the custom resources of an orchestrator and waits until all were received. While the server
 * cannot be reached, it waits on.
 *
 * @returns `undefined` when `signal` was aborted while it waited
 */
export async function openOrchestrator(
  client: OrchClient,
  { options, intake, revision, networks, signal }: {
    readonly options: DiscoveryOptions;
    readonly intake: Intake;
    /** The custom resources that are used. */
    readonly revision: RevisionSelection;
    readonly networks: Followed<MeshNetworks>;
    readonly signal: AbortSignal;
  },
  stack: AsyncDisposableStack,
): Promise<OrchestratorObjects | undefined> {
  for (const sentence of sharingWarnings()) log.warn(sentence);
  const objects = followObjects({
    client,
    source: sourceName(options.clusterId),
    intake,
    namespace: MESH_WATCH_NAMESPACE.get() ?? "",
    systemNamespace: options.namespace,
    domain: options.domain,
    revision,
    networks,
  });
  stack.defer(() => objects.close());
  const aborted = new Promise<"aborted">((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
  return await Promise.race([objects.synced, aborted]) === "aborted" ? undefined : objects;
}

/** The custom resources of the daemon's revision. */
export function ownRevision(tags: FollowedTags): RevisionSelection {
  const revision = REVISION.get() || "default";
  return {
    isOwn: (labels) => isOfRevision(labels[REVISION_LABEL], revision, tags.current()),
    synced: tags.synced,
    onChange: (changed) => tags.onChange(changed),
  };
}
