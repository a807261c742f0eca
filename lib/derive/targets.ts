/**
 * Which service ports the workload at an address serves.
 *
 * @module
 */
import type { Derived, Graph, Read } from "../graph/mod.ts";
import type { ServiceTarget } from "../model/mod.ts";
import { hasLabels, type Services } from "./services.ts";
import type { Indexes } from "./indexes.ts";
import type { Tables } from "./tables.ts";

/**
 * Creates the table: addresses joined by a comma → the service ports served
 * there, sorted. An address is served by a ServiceEntry that lists it, or that
 * selects a WorkloadEntry with it.
 */
export function deriveTargets(
  graph: Graph,
  tables: Tables,
  indexes: Indexes,
  services: Services,
): Derived<readonly ServiceTarget[]> {
  return graph.derive<readonly ServiceTarget[]>("targets", (read, key) => {
    const found = new Map<string, ServiceTarget>();
    for (const address of key.split(",")) {
      for (const entry of entriesAt(read, tables, indexes, address)) {
        for (const target of targetsOf(read, tables, services, entry, address)) {
          found.set(`${target.service}|${target.port}`, target);
        }
      }
    }
    return [...found.keys()].sort().map((k) => found.get(k)!);
  });
}

/** Keys of the ServiceEntries with an endpoint at an address, inline or by selection. */
function entriesAt(read: Read, tables: Tables, indexes: Indexes, address: string): Set<string> {
  const entries = new Set(read.members(indexes.entriesByAddress, address));
  for (const key of read.members(indexes.workloadsByAddress, address)) {
    const workload = read.get(tables.workloadEntries, key);
    if (workload === undefined) continue;
    for (const entry of read.members(indexes.selectingEntries, workload.meta.namespace)) {
      const selector = read.get(tables.serviceEntries, entry)?.spec.workloadSelector;
      if (selector !== undefined && hasLabels(workload.spec.labels, selector.labels)) {
        entries.add(entry);
      }
    }
  }
  return entries;
}

function* targetsOf(
  read: Read,
  tables: Tables,
  services: Services,
  entry: string,
  address: string,
): Iterable<ServiceTarget> {
  const row = read.get(tables.serviceEntries, entry);
  if (row === undefined) return;
  for (const host of row.spec.hosts) {
    const key = `${row.meta.namespace}/${host.toLowerCase()}`;
    const service = read.get(services.service, key);
    if (service === undefined) continue;
    for (const endpoint of read.get(services.endpoints, key)) {
      if (endpoint.address !== address) continue;
      for (const port of service.ports) {
        const targetPort = endpoint.ports[port.name] ?? port.targetPort;
        yield { service: key, port: port.number, targetPort };
      }
    }
  }
}
