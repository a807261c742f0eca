/**
 * The metrics of what the mesh is made of, and of what in it is likely a mistake. They are read off
 * the rows when they are scraped, once a revision, so that a change pays nothing for them.
 *
 * @module
 */
import { countState, lostProviders, type Mesh, type StateCounts } from "../../lib/derive/mod.ts";
import { DependencyFault } from "../../lib/graph/mod.ts";
import { counter, gauge } from "../../lib/metrics/mod.ts";
import type { ProxyClass } from "../../lib/model/mod.ts";
import type { SessionInfo } from "../../lib/serve/mod.ts";
import { inboundConflicts, type Translation } from "../../lib/translate/mod.ts";

/** What the metrics are read from. */
export interface StateInputs {
  readonly translation: Translation;
  /** Proxies connected now. */
  readonly sessions: () => readonly SessionInfo[];
}

/** Registers the metrics; disposing ends what they note at publications. */
export function observeState({ translation, sessions }: StateInputs): Disposable {
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

/** The counts as of the present revision, counted when they are first asked for. */
function memoised(mesh: Mesh): () => StateCounts {
  let known: { readonly revision: number; readonly counts: StateCounts } | undefined;
  return () => {
    const { revision } = mesh.graph;
    if (known?.revision !== revision) known = { revision, counts: countState(mesh) };
    return known.counts;
  };
}

/** A class's key is its content. */
function classOf(key: string): ProxyClass {
  return { ...JSON.parse(key) as Omit<ProxyClass, "key">, key };
}

/** None while a computation that it needs has a fault, which is told elsewhere. */
function conflictsAt(mesh: Mesh, classKey: string): number {
  try {
    return inboundConflicts(mesh, classOf(classKey));
  } catch (error) {
    if (error instanceof DependencyFault) return 0;
    throw error;
  }
}

/** Counts providers whose service is not there any more, or not from the start. */
function countLostProviders({ mesh, source }: Translation): () => void {
  const failures = counter({
    name: "provider_lookup_cluster_failures",
    help: "Times that the service of an extension provider was looked for and is not known.",
    labels: ["name"],
  });
  let lost: ReadonlySet<string> = new Set();
  const note = () => {
    const now = new Set(lostProviders(mesh));
    for (const name of now) if (!lost.has(name)) failures.inc({ name });
    lost = now;
  };
  note();
  return source.onPublish(note);
}
