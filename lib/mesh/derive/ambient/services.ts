/**
 * Messages of services.
 *
 * @module
 */
import type { Read } from "../../graph/mod.ts";
import { type ConfigObject, nameOfObject, type ServiceKey } from "../../model/mod.ts";
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { Service } from "#mesh/workload/workload_pb.ts";
import { addressTexts, serviceMessage } from "../../ambient/mod.ts";
import { definingEntries } from "../services/mod.ts";
import type { AmbientTables } from "./ambient.ts";

/** A service's message, and the names by which clients ask for it on demand. */
export interface ServiceAddress {
  readonly message: Service;
  /** `network/address` of each address. */
  readonly aliases: readonly string[];
}

/** The service of a key; undefined: there is none, or it stands for another host. */
export function serviceAt(
  read: Read,
  inputs: AmbientTables,
  key: ServiceKey,
): ServiceAddress | undefined {
  const rows = definingEntries(read, inputs.mesh, key);
  const [row] = rows;
  const service = read.get(inputs.services.service, key);
  if (row === undefined || service === undefined || service.alias !== undefined) return undefined;
  const addresses = addressesOf(read, inputs, rows);
  const facts = row.service?.ambient;
  const targets = Object.entries(facts?.targets ?? {})
    .filter((entry): entry is [string, number] => typeof entry[1] === "number");
  const message = serviceMessage({
    name: nameOfObject(row.meta),
    service,
    addresses,
    binding: read.get(inputs.waypoints.ofService, key),
    families: facts?.families ?? [],
    publishUnready: facts?.publishUnready ?? false,
    targets: Object.fromEntries(targets),
    isCanonical: service.registry === true || isPreferred(read, inputs, key),
  });
  const aliases = addresses.flatMap((one) => addressTexts(one.network, one.addresses));
  return { message, aliases };
}

function isPreferred(read: Read, { services }: AmbientTables, { namespace, host }: ServiceKey) {
  return read.get(services.resolve, { namespace: "", host })?.namespace === namespace;
}

/** Its addresses in the networks of the clusters that define it. */
function addressesOf(
  read: Read,
  { networks, clusterId }: AmbientTables,
  rows: readonly ConfigObject<ServiceEntry>[],
) {
  const { registries } = read.get(networks.rules, "");
  const own = read.get(networks.own, "");
  const found = new Map<string, Set<string>>();
  for (const { meta: { origin: { cluster } }, spec, service } of rows) {
    const network = service?.ambient?.network || registries.get(cluster ?? clusterId) ||
      (cluster === undefined ? own : "");
    const known = found.get(network) ?? new Set();
    for (const address of spec.addresses) known.add(address);
    found.set(network, known);
  }
  return [...found].map(([network, addresses]) => ({ network, addresses: [...addresses] }));
}
