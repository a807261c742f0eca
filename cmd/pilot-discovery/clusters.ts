/**
 * Remote clusters: those that secrets in the orchestrator name.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { EXTERNAL_MESHD } from "../../lib/cluster/controllers/mod.ts";
import type { Intake } from "../../lib/mesh/ingest/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import {
  ALL_CREDENTIAL_OPTIONS,
  createClient,
  type CredentialOption,
  inClusterAccess,
  type OrchClient,
} from "../../lib/kit/orch/mod.ts";
import {
  followClusters,
  type Followed,
  LOCAL_CLUSTER_SECRET_WATCHER,
  MESH_WATCH_NAMESPACE,
  PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS,
  PILOT_REMOTE_CLUSTER_TIMEOUT,
  type RemoteCluster,
  type RemoteClusters,
  type RevisionSelection,
} from "../../lib/mesh/sources/mod.ts";
import type { Expiry } from "../../lib/insight/debug/mod.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { DiscoveryOptions } from "./options.ts";
import { ORCH_SERVICE_HOST } from "./variables.ts";

const log = scope("orch");

/**
 * Follows the remote clusters and waits until each was read, or was not read in time.
 *
 * @returns `undefined` when `signal` was aborted while it waited
 * @throws MeshError for an unknown name in PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS
 */
export async function openClusters(
  client: OrchClient,
  { options, open, revision, networks, signal }: {
    readonly options: DiscoveryOptions;
    /** The custom resources of remote clusters that are used. */
    readonly revision: RevisionSelection;
    readonly open: (source: string) => Intake;
    readonly networks: Followed<MeshNetworks>;
    readonly signal: AbortSignal;
  },
  stack: AsyncDisposableStack,
): Promise<RemoteClusters | undefined> {
  const { clusterId, clusterRegistriesNamespace, domain, namespace, given } = options;
  const hasOwn = given.has("clusterRegistriesNamespace");
  const { orchApiQps: qps, orchApiBurst: burst } = options;
  const clusters = followClusters({
    client: await secretClient(client, options, stack),
    secretNamespace: hasOwn ? clusterRegistriesNamespace : namespace,
    ownCluster: clusterId,
    open,
    namespace: MESH_WATCH_NAMESPACE.get() ?? "",
    systemNamespace: namespace,
    domain,
    allowed: allowedOptions(PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS.get() ?? ""),
    rate: { qps, burst },
    timeoutMs: PILOT_REMOTE_CLUSTER_TIMEOUT.get(),
    revision,
    networks,
  });
  stack.defer(() => clusters.close());
  const aborted = new Promise<"aborted">((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
  return await Promise.race([clusters.settled, aborted]) === "aborted" ? undefined : clusters;
}

/**
 * The client of the cluster whose secrets name remote clusters: the daemon's own cluster, or, with
 * `LOCAL_CLUSTER_SECRET_WATCHER` and `EXTERNAL_MESHD`, the cluster in which the daemon's pod runs.
 *
 * @param dir files of the pod's service account; default: those of a pod
 * @throws MeshError `orch-not-in-cluster` if the variables are set outside of a pod
 */
export async function secretClient(
  own: OrchClient,
  { orchConfig, orchApiQps: qps, orchApiBurst: burst }: SecretClientOptions,
  stack: AsyncDisposableStack,
  dir?: string,
): Promise<OrchClient> {
  if (!LOCAL_CLUSTER_SECRET_WATCHER.get()) return own;
  if (!EXTERNAL_MESHD.get()) {
    log.warn("LOCAL_CLUSTER_SECRET_WATCHER has no effect without EXTERNAL_MESHD; set both");
    return own;
  }
  // Without a file, the daemon's cluster is that of its pod.
  if (orchConfig === "") return own;
  const access = await inClusterAccess(ORCH_SERVICE_HOST.get(), dir);
  log.info("reading the secrets of remote clusters from the cluster of the pod", {
    server: access.server,
  });
  return stack.use(createClient(access, { rate: { qps, burst } }));
}

/** Options of {@link secretClient}. */
export type SecretClientOptions = Pick<
  DiscoveryOptions,
  "orchConfig" | "orchApiQps" | "orchApiBurst"
>;

/** Validity of the credentials of remote clusters. */
export function clusterExpiries(clusters: readonly RemoteCluster[]): Expiry[] {
  return clusters.flatMap(({ cluster, validity }) =>
    validity === undefined ? [] : [{ name: `credentials of the cluster ${cluster}`, ...validity }]
  );
}

/**
 * Names of credential options, separated by commas.
 *
 * @throws MeshError `env-invalid` for an unknown name
 */
export function allowedOptions(text: string): CredentialOption[] {
  return text.split(",").map((name) => name.trim()).filter((name) => name !== "").map((name) => {
    const known = ALL_CREDENTIAL_OPTIONS.find((one) => one === name);
    if (known !== undefined) return known;
    throw new MeshError(
      "env-invalid",
      `PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS has the unknown option ${name}`,
      {
        remedy: `Known are ${ALL_CREDENTIAL_OPTIONS.join(", ")}; auth providers are not supported.`,
      },
    );
  });
}
