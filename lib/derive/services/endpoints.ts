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
} from "../../model/mod.ts";
import { create } from "../../proto/mod.ts";
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
  /** Number of its port → name of that port at the service; see `portNames`. */
  readonly names: ReadonlyMap<number, string>;
  /**
   * The host, if other entries define it, too: an entry without endpoints whose host is resolved
   * then has the host itself as its endpoint, at ports where no earlier entry has it.
   */
  readonly itself: { readonly host: string; readonly ports: Set<string> } | undefined;
}

/** The endpoints of a ServiceEntry: its own, or the workloads that it selects. */
export function endpointsOf(
  read: Read,
  inputs: MeshInputs,
  { row, names, itself }: DefiningEntry,
): Endpoint[] {
  const { spec, meta } = row;
  const { namespace, name } = meta;
  // One decision for each endpoint, in their order: `lib/envoy/endpoints` relies on it.
  if (spec.workloadSelector === undefined) {
    if (itself !== undefined && spec.endpoints.length === 0) {
      return hostItself(read, { row, names, itself });
    }
    return spec.endpoints.map((entry, i) => {
      const field = `spec.endpoints[${i}]`;
      read.decide?.({ group: "endpoint", ...fromObject(row, field), value: entry.address });
      const source = { meta: { namespace, name, origin: meta.origin }, labels: entry.labels };
      return endpointOf(spec, entry, names, source);
    });
  }
  const { labels } = spec.workloadSelector;
  const selected: Endpoint[] = [];
  for (const key of candidates(read, inputs, meta.namespace, labels)) {
    const workload = read.get(inputs.tables.workloadEntries, key);
    if (workload === undefined) continue;
    const own = { meta: workload.meta, labels: workloadLabels(workload) };
    if (!hasLabels(own.labels, labels)) continue;
    const { address } = workload.spec;
    read.decide?.({ group: "endpoint", ...fromObject(workload, "spec"), value: address });
    selected.push(endpointOf(spec, workload.spec, names, own));
  }
  return selected;
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
}

function endpointOf(
  spec: ServiceEntry,
  workload: WorkloadEntry,
  names: ReadonlyMap<number, string>,
  { meta, labels }: EndpointSource,
): Endpoint {
  const ports: Record<string, number> = {};
  for (const { number, name, targetPort } of spec.ports) {
    ports[names.get(number) ?? name] = workload.ports[name] || targetPort || number;
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
    workload: meta.name,
    ...(meta.origin.cluster === undefined ? {} : { cluster: meta.origin.cluster }),
  };
}

/** Reads `region/zone/subzone`; parts that are missing are empty. */
export function localityOf(text: string): Locality {
  const [region = "", zone = "", subzone = ""] = text.split("/");
  return { region, zone, subzone };
}
