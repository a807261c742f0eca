/**
 * Layers of listeners: of a class, of certain clients, of a namespace, of a Sidecar.
 *
 * @module
 */
import {
  labelKeys,
  type ListenerMember,
  listenerMembers,
  type ListenersKey,
  localityKeys,
  type SidecarKey,
  sidecarKeys,
} from "../../derive/mod.ts";
import { type Collection, type Derived, list, text } from "../../graph/mod.ts";
import {
  type ClassBinding,
  clientScopes,
  type ListenerVariant,
  listenerVariants,
} from "../context/mod.ts";
import type { Context } from "./features.ts";
import { type Egress, egressMembers } from "../egress/mod.ts";
import {
  collection,
  type Layered,
  type ListenerTable,
  resourceTable,
  tombstone,
} from "../resources/mod.ts";
import type { EgressListenerKey, ListenerKey, SourceLabelListeners } from "./keys.ts";

/** The tables that layers of listeners are made of. */
export interface ListenerLayerTables {
  readonly context: Context;
  readonly egress: Egress;
  readonly listeners: Layered<ListenerKey>;
  readonly overlayListeners: Derived<readonly ListenerMember[], ListenersKey>;
  /** Name of a listener → its tombstone. */
  readonly hiddenListeners: ListenerTable;
  readonly sourceLabelListeners: SourceLabelListeners;
  readonly egressListeners: ListenerTable<EgressListenerKey>;
  /** Key of a class → listeners of a sidecar. */
  readonly classListeners: ListenerTable;
}

/** The listeners of a sidecar's workload, and of redirected traffic. */
export function sidecarListenerLayer(
  tables: ListenerLayerTables,
  { cls }: ClassBinding,
): Collection {
  return collection(tables, `listener/class/${cls.key}`, () => ({
    members: { list: [cls.key] },
    resources: tables.classListeners,
  }));
}

/** Hides the outbound listeners at the proxy's own addresses; the layers below stay shared. */
export function hiddenListeners(
  tables: ListenerLayerTables,
  { ownListeners }: ClassBinding,
): readonly Collection[] {
  if (ownListeners.length === 0) return [];
  return [collection(tables, `listener/own/${list(text).encode(ownListeners)}`, () => ({
    members: { list: ownListeners },
    resources: tables.hiddenListeners,
  }))];
}

/** Creates the table of tombstones that {@link hiddenListeners} is made of. */
export function deriveHiddenListeners({ mesh }: Context): ListenerTable {
  return resourceTable(mesh.graph, "lds.hidden", text, (_read, name) => [tombstone(name)]);
}

/** The layers of a namespace without a Sidecar: an overlay over the base layer. */
export function listenerLayers(
  tables: ListenerLayerTables,
  namespace: string,
  variant: ListenerVariant,
): Collection[] {
  const { autoAddresses } = variant;
  const name = listenerVariants.encode(variant);
  return [
    collection(tables, `listener/${name}/overlay/${namespace}`, () => ({
      members: {
        listFrom: [tables.overlayListeners, { autoAddresses, namespace }],
        codec: listenerMembers,
      },
      resources: tables.listeners.overlay,
      keyOf: (member) => ({ variant, namespace, ...member }),
    })),
    collection(tables, `listener/${name}/public`, () => ({
      members: { index: tables.context.mesh.indexes.listenersSeenBy, buckets: [""] },
      resources: tables.listeners.base,
      keyOf: (member) => ({ variant, namespace: "", ...member }),
    })),
  ];
}

/** The listeners that the egress listeners of a Sidecar open. */
export function egressListenerLayers(
  tables: ListenerLayerTables,
  scope: SidecarKey,
  variant: ListenerVariant,
): Collection[] {
  const { autoAddresses } = variant;
  const name = `listener/${listenerVariants.encode(variant)}/egress/${sidecarKeys.encode(scope)}`;
  return [collection(tables, name, () => ({
    members: {
      listFrom: [tables.egress.listenerMembers, { autoAddresses, ...scope }],
      codec: egressMembers,
    },
    resources: tables.egressListeners,
    keyOf: (member) => ({ variant, ...scope, member }),
  }))];
}

/** Listeners that differ for clients with the labels of a class, or that rules select. */
export function clientListeners(
  tables: ListenerLayerTables,
  { cls: { namespace, labels }, sidecar, locality }: ClassBinding,
  variant: ListenerVariant,
): Collection {
  const { sourceLabelListeners: of } = tables;
  const rules = locality === "" ? [] : localityKeys.decode(locality).rules;
  const clients = clientScopes.encode({ namespace, sidecar, rules });
  const prefix = `listener/${listenerVariants.encode(variant)}/source-labels`;
  const name = `${prefix}/${clients}/${labelKeys.encode(labels)}`;
  if (sidecar === "") {
    return collection(tables, name, () => ({
      members: { listFrom: [of.members, { namespace, rules }], codec: listenerMembers },
      resources: of.listeners,
      keyOf: (member) => ({ variant, namespace, rules, ...member, labels }),
    }));
  }
  const { autoAddresses } = variant;
  return collection(tables, name, () => ({
    members: {
      listFrom: [of.egressMembers, { autoAddresses, namespace, sidecar, rules }],
      codec: egressMembers,
    },
    resources: of.egressListeners,
    keyOf: (member) => ({ variant, namespace, sidecar, rules, member, labels }),
  }));
}
