/**
 * Listeners for some of the clients: for those whose source labels TCP or TLS rules match, and for
 * those that DestinationRules select. A class that no such rule matches has none, and shares the
 * listeners of its namespace.
 *
 * @module
 */
import { coveredHosts, type ListenerMember, listenerMembers } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { Context } from "./features.ts";
import { differences, resourceTable, sortedKeys } from "../resources/mod.ts";
import {
  clientEgressKeys,
  clientListenerKeys,
  egressRulesKeys,
  type PlainListeners,
  type RulesKey,
  rulesKeys,
  type SourceLabelListeners,
} from "./keys.ts";
import type { Egress } from "../egress/mod.ts";
import { egressListeners } from "./egress.ts";
import { outboundListeners, tcpMembers } from "./outbound.ts";

/** Creates the tables. */
export function deriveSourceLabelListeners(
  context: Context,
  plain: PlainListeners,
  egress: Egress,
): SourceLabelListeners {
  const { graph } = context.mesh;
  return {
    members: graph.derive(
      "lds.sourceLabelsMembers",
      rulesKeys,
      (read, key) => sortedKeys(listenerMembers, [...changedMembers(read, context, key).values()]),
    ),
    listeners: resourceTable(graph, "lds.sourceLabels", clientListenerKeys, (read, key) => {
      const { rules, labels, ...shared } = key;
      const clients = { labels: labels, rules };
      const mine = outboundListeners(read, context, shared, clients);
      return differences(mine, read.get(plain.listeners, shared));
    }),
    egressMembers: graph.derive("lds.sourceLabelsEgress", egressRulesKeys, (read, key) => {
      const { rules, ...scope } = key;
      const changed = changedMembers(read, context, { namespace: key.namespace, rules });
      if (changed.size === 0) return [];
      return read.get(egress.listenerMembers, scope)
        .filter(({ port, host }) => changed.has(listenerMembers.encode({ port, host })));
    }),
    egressListeners: resourceTable(
      graph,
      "lds.sourceLabels.egress",
      clientEgressKeys,
      (read, key) => {
        const { rules, labels, ...shared } = key;
        const clients = { labels: labels, rules };
        const mine = egressListeners(read, context, shared, clients);
        return differences(mine, read.get(plain.egressListeners, shared));
      },
    ),
  };
}

/**
 * The listeners that such rules may change, by their text: of hosts whose connections source labels
 * route, of hosts that a selecting DestinationRule names, and of hosts with routes to those.
 */
function changedMembers(
  read: Read,
  context: Context,
  { namespace, rules }: RulesKey,
): Map<string, ListenerMember> {
  const members = new Map<string, ListenerMember>();
  const { indexes, localities, scopes } = context.mesh;
  const hosts = new Set(read.get(scopes.sourceLabelConnections, namespace));
  for (const named of read.get(localities.ruledHosts, rules)) {
    hosts.add(named);
    for (const from of read.members(indexes.routeHostsByDestination, named)) {
      for (const host of coveredHosts(read, indexes, from)) hosts.add(host);
    }
  }
  for (const host of hosts) {
    for (const member of tcpMembers(read, context, namespace, { host, autoAddresses: true })) {
      members.set(listenerMembers.encode(member), member);
    }
  }
  return members;
}
