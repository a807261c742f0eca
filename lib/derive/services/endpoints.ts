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
  type Locality,
} from "../../model/mod.ts";
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { WorkloadEntry } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import type { Labels } from "../inputs/mod.ts";

/** The endpoints of a ServiceEntry: its own, or the workloads that it selects. */
export function endpointsOf(
  read: Read,
  inputs: MeshInputs,
  row: ConfigObject<ServiceEntry>,
): Endpoint[] {
  const { spec, meta } = row;
  // One decision for each endpoint, in their order: `lib/envoy/endpoints` relies on it.
  if (spec.workloadSelector === undefined) {
    return spec.endpoints.map((entry, i) => {
      const field = `spec.endpoints[${i}]`;
      read.decide?.({ group: "endpoint", ...fromObject(row, field), value: entry.address });
      const { namespace, name } = meta;
      return endpointOf(spec, entry, { meta: { namespace, name }, labels: entry.labels });
    });
  }
  const { labels } = spec.workloadSelector;
  const selected: Endpoint[] = [];
  for (const key of candidates(read, inputs, meta.namespace, labels)) {
    const workload = read.get(inputs.tables.workloadEntries, key);
    if (workload === undefined || !hasLabels(workload.spec.labels, labels)) continue;
    const { address } = workload.spec;
    read.decide?.({ group: "endpoint", ...fromObject(workload, "spec"), value: address });
    const own = { meta: workload.meta, labels: workload.spec.labels };
    selected.push(endpointOf(spec, workload.spec, own));
  }
  return selected;
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
  readonly meta: Pick<ConfigObject["meta"], "namespace" | "name" | "health">;
  readonly labels: Labels;
}

function endpointOf(
  spec: ServiceEntry,
  workload: WorkloadEntry,
  { meta, labels }: EndpointSource,
): Endpoint {
  const ports: Record<string, number> = {};
  for (const port of spec.ports) {
    ports[port.name] = workload.ports[port.name] || port.targetPort || port.number;
  }
  return {
    address: workload.address,
    ports,
    labels,
    network: workload.network,
    locality: localityOf(workload.locality),
    weight: workload.weight,
    serviceAccount: workload.serviceAccount,
    namespace: meta.namespace,
    health: meta.health ?? "healthy",
    workload: meta.name,
  };
}

/** Reads `region/zone/subzone`; parts that are missing are empty. */
export function localityOf(text: string): Locality {
  const [region = "", zone = "", subzone = ""] = text.split("/");
  return { region, zone, subzone };
}
