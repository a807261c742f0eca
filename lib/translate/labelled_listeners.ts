/**
 * Listeners for callers of certain labels: those whose TCP or TLS rules lead
 * elsewhere than for the rest of the namespace. A class that no such rule is for
 * has none, and shares its namespace's.
 *
 * @module
 */
import { deriveTelling, parseLabels } from "../derive/mod.ts";
import type { Derived, Read, Resource } from "../graph/mod.ts";
import { mayBeTcp } from "../model/mod.ts";
import { type Context, hasOwnListeners, pickService, splitKey } from "./context.ts";
import { type Egress, egressListeners } from "./egress.ts";
import { parseFlavour } from "./flavour.ts";
import { outboundListener } from "./outbound_listeners.ts";
import { differences, sameResources } from "./resource.ts";

/** The tables. `labels` as in `labelsKey`; they stand last, since they may hold anything. */
export interface LabelledListeners {
  /** NS → members that rules for certain callers may concern. */
  readonly members: Derived<readonly string[]>;
  /** `flavour|NS|member|labels` → what differs. */
  readonly listeners: Derived<readonly Resource[]>;
  /** `egressKey` of a scope → members of its listeners that such rules may concern. */
  readonly egressMembers: Derived<readonly string[]>;
  /** `flavour|NS|sidecar|listener|port|kind|labels` → what differs. */
  readonly egressListeners: Derived<readonly Resource[]>;
}

/**
 * Creates the tables.
 *
 * @param plain `flavour|NS|member` → the listeners for callers without labels
 */
export function deriveLabelledListeners(
  context: Context,
  plain: Derived<readonly Resource[]>,
  egress: Egress,
): LabelledListeners {
  const { graph } = context.mesh;
  const options = { equal: sameResources };
  const members = graph.derive<readonly string[]>(
    "lds.labelledMembers",
    (read, namespace) => [...concerned(read, context, namespace)].sort(),
  );
  const listeners = deriveTelling<readonly Resource[]>(
    graph,
    "lds.labelled",
    (read, key, tell) => {
      const [flavour = "", namespace = "", member = "", labels = ""] = splitKey(key, 4);
      const place = { flavour, namespace, member, labels: parseLabels(labels) };
      return differences(
        outboundListener(read, context, place, tell),
        read.get(plain, `${flavour}|${namespace}|${member}`),
      );
    },
    options,
  );
  const egressMembers = graph.derive<readonly string[]>("lds.labelledEgress", (read, key) => {
    const [, namespace = ""] = splitKey(key, 3);
    const all = concerned(read, context, namespace);
    if (all.size === 0) return [];
    return read.get(egress.listenerMembers, key).filter((member) => {
      const [, port = "", kind = ""] = splitKey(member, 3);
      const host = kind.startsWith("vip/") ? kind.slice("vip/".length) : undefined;
      return host === undefined ? all.has(`port/${port}`) : all.has(`vip/${port}/${host}`);
    });
  });
  const ofEgress = deriveTelling<readonly Resource[]>(
    graph,
    "lds.labelled.egress",
    (read, key, tell) => {
      const [flavour = "", namespace = "", sidecar = "", index = "", port = "", kind = "", labels] =
        splitKey(key, 7);
      const scope = `${namespace}|${sidecar}`;
      const member = `${index}|${port}|${kind}`;
      const mine = egressListeners(read, context, {
        flavour: parseFlavour(flavour),
        namespace,
        scope,
        member,
        labels: parseLabels(labels ?? "{}"),
      }, tell);
      return differences(mine, read.get(egress.listeners, `${flavour}|${scope}|${member}`));
    },
    options,
  );
  return { members, listeners, egressMembers, egressListeners: ofEgress };
}

/** `port/PORT` and `vip/PORT/HOST` of the hosts with such rules, as a namespace sees them. */
function concerned(read: Read, context: Context, namespace: string): Set<string> {
  const found = new Set<string>();
  for (const host of read.get(context.mesh.scopes.labelledConnections, namespace)) {
    const service = pickService(read, context, namespace, host);
    if (service === undefined) continue;
    const alone = hasOwnListeners(read, context, service, { given: true, family: "dual" });
    for (const { number, protocol } of service.ports) {
      if (!mayBeTcp(protocol)) continue;
      found.add(`port/${number}`);
      if (alone) found.add(`vip/${number}/${host}`);
    }
  }
  return found;
}
