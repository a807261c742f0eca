/**
 * Remote clusters: those that secrets in the orchestrator name.
 *
 * @module
 */
import { MeshError } from "../../lib/base/mod.ts";
import type { Intake } from "../../lib/ingest/mod.ts";
import {
  ALL_CREDENTIAL_OPTIONS,
  type CredentialOption,
  type OrchClient,
} from "../../lib/orch/mod.ts";
import {
  followClusters,
  MESH_WATCH_NAMESPACE,
  PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS,
  PILOT_REMOTE_CLUSTER_TIMEOUT,
  type RemoteCluster,
  type RemoteClusters,
} from "../../lib/sources/mod.ts";
import type { Expiry } from "../../lib/debug/mod.ts";
import type { DiscoveryOptions } from "./options.ts";

/**
 * Follows the remote clusters and waits until each was read, or was not read in time.
 *
 * @returns `undefined` when `signal` was aborted while it waited
 * @throws MeshError for an unknown name in PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS
 */
export async function openClusters(
  client: OrchClient,
  { options, open, signal }: {
    readonly options: DiscoveryOptions;
    readonly open: (source: string) => Intake;
    readonly signal: AbortSignal;
  },
  stack: AsyncDisposableStack,
): Promise<RemoteClusters | undefined> {
  const { clusterId, clusterRegistriesNamespace, domain, namespace, given } = options;
  const hasOwn = given.has("clusterRegistriesNamespace");
  const { orchApiQps: qps, orchApiBurst: burst } = options;
  const clusters = followClusters({
    client,
    secretNamespace: hasOwn ? clusterRegistriesNamespace : namespace,
    ownCluster: clusterId,
    open,
    namespace: MESH_WATCH_NAMESPACE.get() ?? "",
    domain,
    allowed: allowedOptions(PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS.get() ?? ""),
    rate: { qps, burst },
    timeoutMs: PILOT_REMOTE_CLUSTER_TIMEOUT.get(),
  });
  stack.defer(() => clusters.close());
  const aborted = new Promise<"aborted">((resolve) => {
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
  return await Promise.race([clusters.settled, aborted]) === "aborted" ? undefined : clusters;
}

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
