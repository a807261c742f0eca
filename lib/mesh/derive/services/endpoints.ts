/**
 * Endpoints of services, from ServiceEntries and WorkloadEntries.
 *
 * @module
 */
import type { Read } from "../../graph/mod.ts";
import {
  type ConfigObject,
  type Endpoint,
  fromObject,
  hasLabels,
  isWildcard,
  type Locality,
  localityFromLabels,
  nameOfObject,
  WORKLOAD_NAME,
} from "../../model/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import {
  type ServiceEntry,
  ServiceEntry_Resolution as Resolution,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import {
  type WorkloadEntry,
  WorkloadEntrySchema,
} from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import { type Labels, workloadLabels } from "../inputs/mod.ts";

/** A ServiceEntry as one of those that define a service. */
export interface DefiningEntry {
  readonly row: ConfigObject<ServiceEntry>;
  /** Name of its port → name of that port at the service; see `portNames`. */
  readonly names: ReadonlyMap<string, string>;
  /**
   * The host, if other entries define it, too: an entry without endpoints whose host is resolved
   * then has the host itself as its endpoint, at ports where no earlier entry has it.
   */
  readonly itself: { readonly host: string; readonly ports: Set<string> } | undefined;
}

/**
 * The endpoints of a ServiceEntry: its own, or the workloads that it selects. A Service of an
 * orchestrator has its own ones and the WorkloadEntries that it selects.
 */
export function endpointsOf(read: Read, inputs: MeshInputs, entry: DefiningEntry): Endpoint[] {
  const all = allEndpoints(read, inputs, entry);
  return entry.row.service?.clusterOnly === true
    ? all.map((endpoint) => ({ ...endpoint, clusterOnly: true }))
    : all;
}

function allEndpoints(
  read: Read,
  inputs: MeshInputs,
  { row, names, itself }: DefiningEntry,
): Endpoint[] {
  const { spec, meta, service } = row;
  // One decision for each endpoint, in their order: `lib/mesh/envoy/endpoints` relies on it.
  if (spec.workloadSelector !== undefined) {
    return selectedBy(read, inputs, { row, names }, spec.workloadSelector.labels);
  }
  if (itself !== undefined && spec.endpoints.length === 0 && service === undefined) {
    return hostItself(read, { row, names, itself });
  }
  const own = spec.endpoints.map((entry, i) => {
    const field = service === undefined ? `spec.endpoints[${i}]` : "endpoints";
    read.decide?.({ group: "endpoint", ...fromObject(row, field), value: entry.address });
    // Endpoints of slices have only the ports of their slice.
    const listed = service !== undefined && spec.resolution !== Resolution.DNS;
    const endpoint = endpointOf(spec, entry, names, { meta, labels: entry.labels, listed });
    return service === undefined ? endpoint : { ...endpoint, ...service.endpoints[i] };
  });
  const selector = service?.selector ?? {};
  if (Object.keys(selector).length === 0) return own;
  return [...own, ...selectedBy(read, inputs, { row, names }, selector)];
}

/**
 * The workloads that a selector matches. A Service selects WorkloadEntries of its own cluster, and no
 * pods: its slices have those.
 */
function selectedBy(
  read: Read,
  inputs: MeshInputs,
  { row, names }: Pick<DefiningEntry, "row" | "names">,
  labels: Labels,
): Endpoint[] {
  const selected: Endpoint[] = [];
  for (const key of candidates(read, inputs, row.meta.namespace, labels)) {
    const workload = read.get(inputs.tables.workloadEntries, key);
    if (workload === undefined || (row.service !== undefined && !isForService(row, workload))) {
      continue;
    }
    const own = { meta: workload.meta, labels: workloadLabels(workload) };
    if (!hasLabels(own.labels, labels)) continue;
    const { address } = workload.spec;
    read.decide?.({ group: "endpoint", ...fromObject(workload, "spec"), value: address });
    const endpoint = endpointOf(row.spec, workload.spec, names, own);
    selected.push(workload.pod === undefined ? endpoint : { ...endpoint, ...workload.pod });
  }
  return selected;
}

function isForService({ meta }: ConfigObject, workload: ConfigObject): boolean {
  return workload.pod === undefined && workload.meta.origin.cluster === meta.origin.cluster;
}

/** The host as the endpoint of an entry that has none, if it is resolved by DNS. */
function hostItself(
  read: Read,
  { row, names, itself }: DefiningEntry,
): Endpoint[] {
  const { spec, meta } = row;
  const resolved = spec.resolution === Resolution.DNS ||
    spec.resolution === Resolution.DNS_ROUND_ROBIN;
  if (itself === undefined || !resolved || isWildcard(itself.host)) return [];
  const workload = create(WorkloadEntrySchema, { address: itself.host });
  const endpoint = endpointOf(spec, workload, names, { meta, labels: meta.labels });
  const ports = Object.entries(endpoint.ports).filter(([name]) => !itself.ports.has(name));
  if (ports.length === 0) return [];
  for (const [name] of ports) itself.ports.add(name);
  read.decide?.({ group: "endpoint", ...fromObject(row, "spec.hosts"), value: itself.host });
  return [{ ...endpoint, ports: Object.fromEntries(ports) }];
}

/** Keys of the WorkloadEntries that a selector may match: those with its first label. */
function candidates(
  read: Read,
  { indexes }: MeshInputs,
  namespace: string,
  labels: Labels,
): readonly string[] {
  const label = Object.keys(labels).sort()[0];
  return label === undefined
    ? read.members(indexes.workloadsByNamespace, namespace)
    : read.members(indexes.workloadsByLabel, { namespace, label, value: labels[label]! });
}

/** The object that an endpoint is from, and the endpoint's labels. */
interface EndpointSource {
  readonly meta: Pick<ConfigObject["meta"], "namespace" | "name" | "health" | "origin">;
  readonly labels: Labels;
  /** True if it has only the ports that it lists. */
  readonly listed?: boolean;
}

function endpointOf(
  spec: ServiceEntry,
  workload: WorkloadEntry,
  names: ReadonlyMap<string, string>,
  { meta, labels, listed = false }: EndpointSource,
): Endpoint {
  const ports: Record<string, number> = {};
  for (const { number, name, targetPort } of spec.ports) {
    const served = names.get(name);
    if (served === undefined || listed && workload.ports[name] === undefined) continue;
    ports[served] = workload.ports[name] || targetPort || number;
  }
  return {
    address: workload.address,
    ports,
    labels,
    network: workload.network,
    locality: localityOf(workload.locality || localityFromLabels(labels)),
    weight: workload.weight,
    serviceAccount: workload.serviceAccount,
    namespace: meta.namespace,
    health: meta.health ?? "healthy",
    ...workloadNames(nameOfObject(meta), labels),
    ...(meta.origin.cluster === undefined ? {} : { cluster: meta.origin.cluster }),
  };
}

/** The name of a workload, and its name below the host of a headless service if that differs. */
function workloadNames(own: string, labels: Labels): Pick<Endpoint, "workload" | "hostname"> {
  const named = labels[WORKLOAD_NAME] || own;
  return named === own ? { workload: own } : { workload: named, hostname: own };
}

/** Reads `region/zone/subzone`; parts that are missing are empty. */
export function localityOf(text: string): Locality {
  const [region = "", zone = "", subzone = ""] = text.split("/");
  return { region, zone, subzone };
}
