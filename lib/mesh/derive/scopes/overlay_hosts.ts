/**
 * The hosts of a namespace overlay: those that may mean something else in a
 * namespace than for all others.
 *
 * @module
 */
import { flatMapInParts } from "../../../kit/base/mod.ts";
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
    /** Adds what is found for each host or pattern. Returns the added hosts. */
    const add = (named: Iterable<string>, find: (one: string) => readonly string[]): string[] => {
      const found = flatMapInParts(read, [...named], find).filter((host) => !hosts.has(host));
      for (const host of found) hosts.add(host);
      return found;
    };
    const covered = (name: string) => coveredHosts(read, indexes, name);
    add(read.members(indexes.ruleHostsSeenBy, namespace), covered);
    // Hosts named as services of the namespace have one more short name there.
    add([`*.${namespace}.svc.${domain}`], covered);
    add(read.members(indexes.meshRouteHostsSeenBy, namespace), covered);
    add(hosts, (host) => [...sharersOf(read, inputs, services, { namespace, host })]);
    // Aliases of aliases follow, too.
    const aliases = (host: string) => read.members(indexes.aliases, host).flatMap(covered);
    for (let added = [...hosts]; added.length > 0;) added = add(added, aliases);
    // A host that means something else here does so as a destination, too.
    add(hosts, (host) => read.members(indexes.routeHostsByDestination, host).flatMap(covered));
    // Rules with delegates or source namespaces: their destinations are compared as a whole.
    add(read.members(indexes.particularRouteHosts, "all"), covered);
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
