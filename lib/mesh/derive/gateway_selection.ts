/**
 * Selection of workloads by Gateways: by their own selector, by those of the Services in front of a
 * gateway of the Gateway API, or by the label of the pods of one that Mesh deploys.
 *
 * @module
 */
import type { Gateway } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { GATEWAY_SERVICE } from "../gateway_api/mod.ts";
import type { Read } from "../graph/mod.ts";
import { type ConfigObject, GATEWAY_NAME_LABEL, hasLabels, namespaceOf } from "../model/mod.ts";
import type { MeshInputs } from "./indexes/mod.ts";
import type { Labels, LabelsKey } from "./inputs/mod.ts";

/** Labels of workloads, and their namespace; empty: all namespaces. */
export interface GatewaySelector {
  readonly namespace: string;
  readonly labels: Labels;
}

type Tables = Pick<MeshInputs, "indexes" | "tables">;
type Entry = ConfigObject<ServiceEntry> | undefined;

/** The selectors of a Gateway, each of which selects workloads. Untracked. */
export function gatewaySelectors(
  { indexes, tables }: Tables,
  row: ConfigObject<Gateway>,
): readonly GatewaySelector[] {
  return selectorsOf(
    row,
    (host) =>
      indexes.entriesByHost.peek(host).map((key) =>
        [key, tables.serviceEntries.peek(key)] as const
      ),
  );
}

/** Reports if a Gateway selects a workload. */
export function isSelectedBy(
  read: Read,
  { indexes, tables }: Tables,
  row: ConfigObject<Gateway>,
  workload: LabelsKey,
): boolean {
  if (row.meta.annotations[GATEWAY_SERVICE] === undefined) {
    return hasLabels(workload.labels, row.spec.selector);
  }
  const near = (host: string) =>
    read.members(indexes.entriesByHost, host).filter((key) =>
      namespaceOf(key) === workload.namespace
    )
      .map((key) => [key, read.get(tables.serviceEntries, key)] as const);
  return selectorsOf(row, near).some(({ namespace, labels }) =>
    namespace === workload.namespace && hasLabels(workload.labels, labels)
  );
}

/** Reports if a Gateway selects a workload. Untracked. */
export function selectsWorkload(
  mesh: Tables,
  row: ConfigObject<Gateway>,
  { namespace, labels }: LabelsKey,
): boolean {
  return gatewaySelectors(mesh, row).some((one) =>
    (one.namespace === "" || one.namespace === namespace) && hasLabels(labels, one.labels)
  );
}

function selectorsOf(
  { meta, spec, deployed }: ConfigObject<Gateway>,
  entriesOf: (host: string) => readonly (readonly [key: string, entry: Entry])[],
): GatewaySelector[] {
  const services = meta.annotations[GATEWAY_SERVICE];
  if (services === undefined) return [{ namespace: "", labels: spec.selector }];
  const entries = services.split(",").flatMap(entriesOf);
  // Files have the Gateway alone: its Service is known when Mesh has deployed it.
  if (entries.length === 0 && deployed !== undefined) {
    const { namespace, name } = deployed;
    return [{ namespace, labels: { [GATEWAY_NAME_LABEL]: name } }];
  }
  return entries.flatMap(([key, row]) => {
    const labels = row?.spec.workloadSelector?.labels ?? row?.service?.selector ?? {};
    return Object.keys(labels).length === 0 ? [] : [{ namespace: namespaceOf(key), labels }];
  });
}
