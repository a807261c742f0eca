/**
 * Service ports that the workload at an address serves.
 *
 * @module
 */
import {
  type Derived,
  integer,
  type KeyCodec,
  keyOf,
  list,
  type Read,
  text,
} from "../../graph/mod.ts";
import { hasLabels, type ServiceKey, serviceKeys, type ServiceTarget } from "../../model/mod.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import { workloadLabels } from "../inputs/mod.ts";
import type { Services } from "./services.ts";

/** The order of the ports, and what makes two of them the same. */
const targetKeys: KeyCodec<{ readonly service: string; readonly port: number }> = keyOf<
  { readonly service: string; readonly port: number }
>({ service: text, port: integer });

/**
 * Creates the table: addresses → the service ports served there, sorted. An address
 * is served by a ServiceEntry or Service that lists it, or that selects a workload with it.
 */
export function deriveTargets(
  inputs: MeshInputs,
  services: Services,
): Derived<readonly ServiceTarget[], readonly string[]> {
  return inputs.graph.derive("targets", list(text), (read, addresses): readonly ServiceTarget[] => {
    const found = new Map<string, ServiceTarget>();
    for (const address of addresses) {
      for (const entry of entriesAt(read, inputs, address)) {
        for (const target of targetsOf(read, inputs, services, { entry, address })) {
          found.set(targetKeys.encode(target), target);
        }
      }
    }
    return [...found.keys()].sort().map((key) => found.get(key)!);
  });
}

/** Keys of the ServiceEntries with an endpoint at an address, inline or by selection. */
function entriesAt(read: Read, { tables, indexes }: MeshInputs, address: string): Set<string> {
  const entries = new Set(read.members(indexes.entriesByAddress, address));
  for (const key of read.members(indexes.workloadsByAddress, address)) {
    const workload = read.get(tables.workloadEntries, key);
    if (workload === undefined || workload.unselectable) continue;
    for (const entry of read.members(indexes.selectingEntries, workload.meta.namespace)) {
      const row = read.get(tables.serviceEntries, entry);
      const selector = row?.spec.workloadSelector?.labels ?? row?.service?.selector;
      if (selector !== undefined && hasLabels(workloadLabels(workload), selector)) {
        entries.add(entry);
      }
    }
  }
  return entries;
}

function* targetsOf(
  read: Read,
  { tables }: MeshInputs,
  services: Services,
  { entry, address }: { readonly entry: string; readonly address: string },
): Iterable<ServiceTarget> {
  const row = read.get(tables.serviceEntries, entry);
  if (row === undefined) return;
  for (const host of row.spec.hosts) {
    const key: ServiceKey = { namespace: row.meta.namespace, host: host.toLowerCase() };
    const service = read.get(services.service, key);
    if (service === undefined) continue;
    for (const endpoint of read.get(services.endpoints, key)) {
      if (endpoint.address !== address) continue;
      for (const port of service.ports) {
        const targetPort = endpoint.ports[port.name];
        if (targetPort === undefined) continue;
        yield { service: serviceKeys.encode(key), port: port.number, targetPort };
      }
    }
  }
}
