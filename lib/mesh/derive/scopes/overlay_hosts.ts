/**
 * The hosts of a namespace overlay: those that may mean something else in a
 * namespace than for all others.
 *
 * @module
 */
import { type Derived, type Read, text } from "../../graph/mod.ts";
import { coveredHosts, type MeshInputs } from "../indexes/mod.ts";
import type { HostKey } from "../inputs/mod.ts";
import type { Services } from "../services/mod.ts";

/** Creates the table; see `Scopes.overlayHosts`. */
export function deriveOverlayHosts(
  inputs: MeshInputs,
  services: Services,
): Derived<readonly string[]> {
  const { graph, indexes, domain } = inputs;
  return graph.derive("scope.overlayHosts", text, (read, namespace): readonly string[] => {
    const hosts = new Set(read.members(indexes.hostsSeenBy, namespace));
    const add = (named: readonly string[]): void => {
      for (const name of named) {
        for (const host of coveredHosts(read, indexes, name)) hosts.add(host);
      }
    };
    add(read.members(indexes.ruleHostsSeenBy, namespace));
    // Hosts named as services of the namespace have one more short name there.
    add([`*.${namespace}.svc.${domain}`]);
    add(read.members(indexes.meshRouteHostsSeenBy, namespace));
    for (const host of [...hosts]) {
      for (const other of sharersOf(read, inputs, services, { namespace, host })) hosts.add(other);
    }
    // Aliases of aliases follow, too: the loop reaches what it adds.
    for (const host of hosts) add(read.members(indexes.aliases, host));
    // A host that means something else here does so as a destination, too.
    for (const host of [...hosts]) add(read.members(indexes.routeHostsByDestination, host));
    // Rules with delegates or source namespaces: their destinations are compared as a whole.
    add(read.members(indexes.particularRouteHosts, "all"));
    return [...hosts].sort();
  });
}

/**
 * The hosts with the same virtual address. The first of them by name has the
 * address, so that another one may gain or lose it where a host means something else.
 */
function* sharersOf(
  read: Read,
  { indexes }: MeshInputs,
  services: Services,
  { namespace, host }: HostKey,
): Iterable<string> {
  for (const seenBy of [namespace, ""]) {
    const key = read.get(services.resolve, { namespace: seenBy, host });
    const service = key === undefined ? undefined : read.get(services.service, key);
    const elsewhere = Object.values(service?.clusterAddresses ?? {}).flat();
    for (const address of [...service?.addresses ?? [], ...elsewhere]) {
      yield* read.members(indexes.hostsByVip, address);
    }
    // The same holds for headless services that share instances.
    for (const { number } of service?.headless === true ? service.ports : []) {
      yield* read.members(indexes.headlessHosts, number);
    }
  }
}
