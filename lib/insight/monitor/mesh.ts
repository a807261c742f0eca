/**
 * Metrics of the content of the mesh and of likely mistakes in it. They are counted when they are
 * scraped, once for each revision, so that a change costs nothing.
 *
 * @module
 */
import { countState, lostProviders, type Mesh, type StateCounts } from "../../mesh/derive/mod.ts";
import { counter, gauge } from "../../kit/metrics/mod.ts";
import type { ProxyClass } from "../../mesh/model/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import { inboundConflicts, type Translation } from "../../mesh/translate/mod.ts";
import { unlessFaulty } from "./positions.ts";

export interface MeshMetricsInputs {
  readonly translation: Translation;
  /** Connected proxies. */
  readonly sessions: () => readonly SessionInfo[];
}

/** Registers the metrics. Disposing ends the count of lost providers. */
export function observeMesh({ translation, sessions }: MeshMetricsInputs): Disposable {
  const { mesh } = translation;
  const count = memoised(mesh);
  for (const [name, field, help] of COUNTED) {
    gauge({ name, help, collect: () => count()[field] });
  }
  gauge({
    name: "pilot_no_ip",
    help: "Connected sidecars of which no service has an address among its endpoints.",
    collect: () =>
      sessions().filter(({ node, classKey }) =>
        node.role === "sidecar" && classOf(classKey).targets.length === 0
      ).length,
  });
  gauge({
    name: "pilot_conflict_inbound_listener",
    help: "Ports of connected workloads at which services declare different protocols.",
    collect: () => {
      const keys = new Set(sessions().map(({ classKey }) => classKey));
      return [...keys].reduce((sum, key) => sum + conflictsAt(mesh, key), 0);
    },
  });
  return { [Symbol.dispose]: countLostProviders(translation) };
}

const COUNTED: readonly (readonly [name: string, field: keyof StateCounts, help: string])[] = [
  ["pilot_services", "services", "Services known."],
  ["pilot_virt_services", "virtualServices", "VirtualServices known."],
  [
    "pilot_eds_no_instances",
    "emptyClusters",
    "Clusters of services and subsets that have no endpoints.",
  ],
  [
    "pilot_dns_cluster_without_endpoints",
    "emptyDnsClusters",
    "Clusters of services and subsets that have no names to resolve.",
  ],
  [
    "pilot_duplicate_dataproxy_clusters",
    "duplicateClusters",
    "Ports of hosts that several ServiceEntries define, each time after the first.",
  ],
  [
    "mesh_service_ports_unserved",
    "unservedPorts",
    "Ports of ServiceEntries that are not served because an older entry of the host differs.",
  ],
  [
    "pilot_destrule_subsets",
    "duplicateSubsets",
    "Subsets that several DestinationRules name for a host, each time after the first.",
  ],
  [
    "pilot_vservice_dup_domain",
    "duplicateDomains",
    "Hosts that several VirtualServices name to the same callers, each time after the first.",
  ],
];

/** The counts of the current revision, counted on the first call for it. */
function memoised(mesh: Mesh): () => StateCounts {
  let known: { readonly revision: number; readonly counts: StateCounts } | undefined;
  return () => {
    const { revision } = mesh.graph;
    if (known?.revision !== revision) known = { revision, counts: countState(mesh) };
    return known.counts;
  };
}

/** The key of a class is its content as JSON. */
function classOf(key: string): ProxyClass {
  return { ...JSON.parse(key) as Omit<ProxyClass, "key">, key };
}

function conflictsAt(mesh: Mesh, classKey: string): number {
  return unlessFaulty(() => inboundConflicts(mesh, classOf(classKey)), 0);
}

/** Counts providers whose service is not known, each time it becomes unknown. */
function countLostProviders({ mesh, source }: Translation): () => void {
  const failures = counter({
    name: "provider_lookup_cluster_failures",
    help: "Times that the service of an extension provider was looked for and is not known.",
    labels: ["name"],
  });
  let lost: ReadonlySet<string> = new Set();
  const update = () => {
    const now = new Set(lostProviders(mesh));
    for (const name of now) if (!lost.has(name)) failures.inc({ name });
    lost = now;
  };
  update();
  return source.onPublish(update);
}
