/**
 * Counts of the mesh's objects and of likely mistakes. They are computed from rows and
 * indexes when a metric or page needs them, and are no part of the configuration served.
 *
 * @module
 */
import { type Graph, type KeyCodec, keyOf, text } from "../graph/mod.ts";
import {
  byAge,
  type ConfigObject,
  coveringPatterns,
  fullHost,
  hasLabels,
  isWildcard,
  localityFromLabels,
  namedHost,
  topologyLabels,
  type Visibility,
} from "../model/mod.ts";
import type { DestinationRule } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  type ServiceEntry,
  ServiceEntry_Resolution as Resolution,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { Indexes } from "./indexes/mod.ts";
import type { WorkloadEntry } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import {
  boundToMesh,
  MESH_ROW,
  protocolOf,
  type Tables,
  visibilityOf,
  workloadLabels,
} from "./inputs/mod.ts";
import {
  localityOf,
  mergedPorts,
  networkOf,
  type Networks,
  portConflicts,
} from "./services/mod.ts";

/** The tables that the counts are computed from. */
interface Counted {
  readonly tables: Tables;
  readonly indexes: Indexes;
  /** The mesh's DNS suffix. */
  readonly domain: string;
  /** The cluster that all endpoints belong to; empty: none. */
  readonly clusterId: string;
  readonly graph: Graph;
  readonly networks: Networks;
}

/** The state of the mesh in numbers. */
export interface StateCounts {
  /** Hosts, once for each namespace that defines them. */
  readonly services: number;
  readonly virtualServices: number;
  /** Clusters (of subsets, too) without endpoints, where endpoints are resources of their own (EDS). */
  readonly emptyClusters: number;
  /** The same for clusters whose endpoints proxies resolve by DNS. */
  readonly emptyDnsClusters: number;
  /** Ports of hosts that several ServiceEntries define, each time after the first. */
  readonly duplicateClusters: number;
  /** Ports of ServiceEntries that are not served because an older entry of the host differs. */
  readonly unservedPorts: number;
  /** Subsets that several DestinationRules of a namespace name for a host, each time after the first. */
  readonly duplicateSubsets: number;
  /** Hosts that several VirtualServices name to the same callers, each time after the first. */
  readonly duplicateDomains: number;
}

/** The counts. Takes some milliseconds for thousands of objects. */
export function countState(counted: Counted): StateCounts {
  return {
    virtualServices: counted.tables.virtualServices.size,
    duplicateSubsets: duplicateSubsets(counted),
    duplicateDomains: duplicateDomains(counted),
    unservedPorts: portConflicts(counted).reduce((sum, { ports }) => sum + ports.length, 0),
    ...countServices(counted),
  };
}

/** Names of authorization providers whose service does not exist. */
export function lostProviders({ tables, indexes }: Counted): readonly string[] {
  const lost: string[] = [];
  for (const { name, provider } of tables.mesh.peek(MESH_ROW)?.extensionProviders ?? []) {
    if (provider.case !== "dataproxyExtAuthzGrpc" && provider.case !== "dataproxyExtAuthzHttp") {
      continue;
    }
    const { service } = provider.value;
    const host = namedHost(service, (host) => indexes.entriesByHost.peek(host));
    if (host === undefined) lost.push(name);
  }
  return lost;
}

type Entry = ConfigObject<ServiceEntry>;
type Labels = Readonly<Record<string, string>>;

function countServices(counted: Counted) {
  const { tables, indexes } = counted;
  let [services, emptyClusters, emptyDnsClusters, duplicateClusters] = [0, 0, 0, 0];
  for (const host of indexes.hostsByNamespace.peek("*")) {
    const rows = indexes.entriesByHost.peek(host)
      .map((key) => tables.serviceEntries.peek(key))
      .filter((row) => row !== undefined);
    const ports = rows.flatMap((row) => portsOf(row));
    duplicateClusters += ports.length - new Set(ports).size;
    for (const own of Map.groupBy(rows, (row) => row.meta.namespace).values()) {
      services++;
      const [first] = own.sort(byAge) as [Entry];
      const { resolution } = first.spec;
      if (resolution === Resolution.NONE || first.service?.alias !== undefined) continue;
      const ports = mergedPorts(own).filter(({ protocol }) => protocol !== "UDP");
      const empty = emptyOf(counted, host, own) * ports.length;
      if (resolution === Resolution.STATIC) emptyClusters += empty;
      else emptyDnsClusters += empty;
    }
  }
  return { services, emptyClusters, emptyDnsClusters, duplicateClusters };
}

/** Ports that have clusters. */
function portsOf({ spec }: Entry): number[] {
  return spec.ports.filter((port) => protocolOf(port.protocol) !== "UDP").map((p) => p.number);
}

/** The number of clusters of a host (its subsets and the whole) without endpoints. */
function emptyOf(counted: Counted, host: string, rows: readonly Entry[]): number {
  const endpoints = rows.flatMap((row) => endpointLabels(counted, host, row));
  const wanted = [{}, ...subsetsOf(counted, host).values()];
  return wanted.filter((labels) => !endpoints.some((one) => hasLabels(one, labels))).length;
}

function endpointLabels(counted: Counted, host: string, row: Entry): Labels[] {
  const { tables, indexes } = counted;
  const { spec, meta } = row;
  const selector = spec.workloadSelector?.labels;
  if (selector !== undefined) {
    return indexes.workloadsByNamespace.peek(meta.namespace)
      .flatMap((key) => tables.workloadEntries.peek(key) ?? [])
      .filter((workload) => hasLabels(workloadLabels(workload), selector))
      .map((workload) => withTopology(counted, workload, workload.spec, workloadLabels(workload)));
  }
  // A name without endpoints is itself what is resolved.
  const itself = spec.resolution !== Resolution.STATIC && spec.endpoints.length === 0 &&
    !isWildcard(host);
  return itself
    ? [{}]
    : spec.endpoints.map((entry) => withTopology(counted, row, entry, entry.labels));
}

/** Labels of an endpoint with those of its locality, network and cluster, by which subsets may select it. */
function withTopology(
  { graph, networks, clusterId }: Counted,
  { meta: { origin: { cluster } } }: Pick<ConfigObject, "meta">,
  { address, locality, network }: WorkloadEntry,
  labels: Labels,
): Labels {
  const located = localityOf(locality || localityFromLabels(labels));
  const map = graph.peek(networks.all, "");
  const reached = networkOf(
    map,
    { address, network, ...(cluster === undefined ? {} : { cluster }) },
    clusterId,
  );
  return { ...labels, ...topologyLabels(located, reached, cluster ?? clusterId) };
}

/** Subsets of a host, by the rules that name it most exactly. */
function subsetsOf({ tables, indexes }: Counted, host: string): Map<string, Labels> {
  const found = new Map<string, Labels>();
  for (const name of [host, ...coveringPatterns(host)]) {
    const rules = indexes.rulesByHost.peek(name);
    for (const key of rules) {
      for (const subset of tables.destinationRules.peek(key)?.spec.subsets ?? []) {
        if (!found.has(subset.name)) found.set(subset.name, subset.labels);
      }
    }
    if (rules.length > 0) break;
  }
  return found;
}

/** A subset of a host, in the namespace of its rules. */
interface SubsetKey {
  readonly namespace: string;
  readonly host: string;
  readonly name: string;
}

const subsetKeys: KeyCodec<SubsetKey> = keyOf<SubsetKey>({
  namespace: text,
  host: text,
  name: text,
});

function duplicateSubsets({ tables, domain }: Counted): number {
  const seen = new Set<string>();
  let repeated = 0;
  for (const key of tables.destinationRules.keys()) {
    const { meta, spec } = tables.destinationRules.peek(key) as ConfigObject<DestinationRule>;
    // Rules for selected clients are separate from the others.
    if (spec.workloadSelector !== undefined) continue;
    const host = fullHost(spec.host, meta.namespace, domain);
    for (const { name } of spec.subsets) {
      const subset = subsetKeys.encode({ namespace: meta.namespace, host, name });
      if (seen.has(subset)) repeated++;
      seen.add(subset);
    }
  }
  return repeated;
}

function duplicateDomains({ tables, domain }: Counted): number {
  const claims = new Map<string, Set<string>>();
  let repeated = 0;
  for (const key of tables.virtualServices.keys()) {
    const row = tables.virtualServices.peek(key);
    if (row === undefined || !boundToMesh(row.spec)) continue;
    const visibility = visibilityOf(row.spec.exportTo, row.meta.namespace);
    for (const named of row.spec.hosts) {
      const host = fullHost(named, row.meta.namespace, domain);
      const claimed = claims.get(host) ?? new Set();
      claims.set(host, claimed);
      if (meets(claimed, visibility)) repeated++;
      for (const namespace of visibility === "public" ? ["*"] : visibility) claimed.add(namespace);
    }
  }
  return repeated;
}

/**
 * Reports if some namespace sees both a host that is claimed (`*`: by all) and one with this
 * visibility.
 */
function meets(claimed: ReadonlySet<string>, visibility: Visibility): boolean {
  if (visibility === "public") return claimed.size > 0;
  return visibility.some((one) => claimed.has(one) || claimed.has("*"));
}
