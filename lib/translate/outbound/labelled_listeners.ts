/**
 * Listeners for some of the callers: those whose TCP or TLS rules lead elsewhere than
 * for the rest of the namespace, because of their labels, and those that a
 * DestinationRule selects. A class that no such rule is for has none, and shares its
 * namespace's.
 *
 * @module
 */
import { coveredHosts, deriveTelling, labelKeys, listenerMembers } from "../../derive/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import { mayBeTcp } from "../../model/mod.ts";
import { type Context, hasOwnListeners, parseFlavour, pickService } from "../context/mod.ts";
import { differences, sameResources, splitKey } from "../resources/mod.ts";
import type { Egress } from "../sidecars/mod.ts";
import { egressListeners } from "./egress_listeners.ts";
import { outboundKeys, outboundListener } from "./listeners.ts";

/**
 * The tables. `rules` are the keys of the DestinationRules that select the callers,
 * joined by commas; `labels` are as in `labelKeys`, and stand last, since they may hold
 * anything.
 */
export interface LabelledListeners {
  /** `NS|rules` → members that rules for certain callers may concern. */
  readonly members: Derived<readonly string[]>;
  /** `flavour|NS|rules|member|labels` → what differs. */
  readonly listeners: Derived<readonly Resource[]>;
  /** {@link egressCallersKey} of a scope → members of its listeners that such rules may concern. */
  readonly egressMembers: Derived<readonly string[]>;
  /** `flavour|NS|sidecar|rules|listener|port|kind|labels` → what differs. */
  readonly egressListeners: Derived<readonly Resource[]>;
}

/** Key of `egressMembers`: as `egressKey`, and the rules. */
export function egressCallersKey(egressKey: string, rules: string): string {
  return `${egressKey}|${rules}`;
}

/**
 * Creates the tables.
 *
 * @param plain `flavour|NS|member` → the listeners for callers that nothing selects
 * @param plainEgress the same of egress listeners, `flavour|scope|member`
 */
export function deriveLabelledListeners(
  context: Context,
  plain: Derived<readonly Resource[]>,
  egress: Egress,
  plainEgress: Derived<readonly Resource[]>,
): LabelledListeners {
  const { graph } = context.mesh;
  const options = { equal: sameResources };
  const members = graph.derive<readonly string[]>("lds.labelledMembers", (read, key) => {
    const [namespace = "", rules = ""] = splitKey(key, 2);
    return [...concerned(read, context, namespace, parseRules(rules))].sort();
  });
  const listeners = deriveTelling<readonly Resource[]>(
    graph,
    "lds.labelled",
    (read, key, tell) => {
      const [flavour = "", namespace = "", rules = "", port = "", host = "", labels = ""] =
        splitKey(key, 6);
      const callers = { labels: labelKeys.decode(labels), rules: parseRules(rules) };
      const member = { port: Number(port), host: host === "" ? undefined : host };
      const own = { flavour, namespace, member };
      return differences(
        outboundListener(read, context, { ...own, ...callers }, tell),
        read.get(plain, outboundKeys.encode(own)),
      );
    },
    options,
  );
  const egressMembers = graph.derive<readonly string[]>("lds.labelledEgress", (read, key) => {
    const [given = "", namespace = "", sidecar = "", rules = ""] = splitKey(key, 4);
    const all = concerned(read, context, namespace, parseRules(rules));
    if (all.size === 0) return [];
    return read.get(egress.listenerMembers, `${given}|${namespace}|${sidecar}`).filter((member) => {
      const [, port = "", kind = ""] = splitKey(member, 3);
      const host = kind.startsWith("vip/") ? kind.slice("vip/".length) : undefined;
      return all.has(listenerMembers.encode({ port: Number(port), host }));
    });
  });
  const ofEgress = deriveTelling<readonly Resource[]>(
    graph,
    "lds.labelled.egress",
    (read, key, tell) => {
      const [flavour = "", namespace = "", sidecar = "", rules = "", ...rest] = splitKey(key, 8);
      const [index = "", port = "", kind = "", labels = "{}"] = rest;
      const scope = `${namespace}|${sidecar}`;
      const member = `${index}|${port}|${kind}`;
      const mine = egressListeners(read, context, {
        flavour: parseFlavour(flavour),
        namespace,
        scope,
        member,
        labels: labelKeys.decode(labels),
        rules: parseRules(rules),
      }, tell);
      return differences(mine, read.get(plainEgress, `${flavour}|${scope}|${member}`));
    },
    options,
  );
  return { members, listeners, egressMembers, egressListeners: ofEgress };
}

function parseRules(key: string): readonly string[] {
  return key === "" ? [] : key.split(",");
}

/**
 * Texts of `listenerMembers` of the hosts that such rules are about, as a namespace
 * sees them: whose connections labels decide, which a DestinationRule names, and
 * from which connections are sent to one that it names.
 */
function concerned(
  read: Read,
  context: Context,
  namespace: string,
  rules: readonly string[],
): Set<string> {
  const found = new Set<string>();
  const hosts = new Set(read.get(context.mesh.scopes.sourceLabelConnections, namespace));
  const { indexes } = context.mesh;
  for (const named of read.get(context.mesh.localities.ruledHosts, rules)) {
    hosts.add(named);
    for (const from of read.members(indexes.routeHostsByDestination, named)) {
      for (const host of coveredHosts(read, indexes, from)) hosts.add(host);
    }
  }
  for (const host of hosts) {
    const service = pickService(read, context, namespace, host);
    if (service === undefined) continue;
    const alone = hasOwnListeners(read, context, service, { given: true, family: "dual" });
    for (const { number, protocol } of service.ports) {
      if (!mayBeTcp(protocol)) continue;
      found.add(listenerMembers.encode({ port: number, host: undefined }));
      if (alone) found.add(listenerMembers.encode({ port: number, host }));
    }
  }
  return found;
}
