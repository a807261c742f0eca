/**
 * The layers of sidecars: those of their class over the outbound ones.
 *
 * @module
 */
import { labelKeys, type Labels, listenerMembers, localityKeys } from "../../derive/mod.ts";
import { type Collection, list, text } from "../../graph/mod.ts";
import {
  type ClassBinding,
  clusterVariantOf,
  listenerVariants,
  variantOf,
} from "../context/mod.ts";
import { collection, type ResourceTable, TYPE_URLS } from "../resources/mod.ts";
import { clientScopes, egressMembers, sidecarClassKeys } from "../tables/mod.ts";
import {
  egressLayers,
  localClusters,
  localEndpoints,
  namespaceLayers,
  type Variants,
} from "./outbound.ts";
import { detectedLayers, skeletonLayers, tableLayers, virtualHostLayers } from "./routes.ts";
import { localCredentials, secretLayer } from "./secrets.ts";
import type { LayerTables } from "./tables.ts";

/** The layers of a sidecar. */
export function sidecarLayers(
  tables: LayerTables,
  binding: ClassBinding,
): Map<string, readonly Collection[]> {
  const { cls, sidecar, locality, telemetry } = binding;
  const variants = { clusters: clusterVariantOf(cls), listeners: variantOf(cls, telemetry) };
  const { namespace } = cls;
  const clients = { namespace, sidecar, labels: cls.labels };
  const outbound = sidecar === ""
    ? namespaceLayers(tables, namespace, variants)
    : egressLayers(tables, { namespace, sidecar }, variants);
  return new Map([
    [TYPE_URLS.cluster, [
      classLayer(tables, binding, "cluster", tables.own.clusters),
      ...localClusters(tables, binding),
      ...outbound.clusters,
    ]],
    [TYPE_URLS.endpoint, [...localEndpoints(tables, binding), ...outbound.endpoints]],
    [TYPE_URLS.listener, [
      classLayer(tables, binding, "listener", tables.own.listeners),
      ...hiddenListeners(tables, binding),
      clientListeners(tables, binding, variants, clients.labels),
      ...outbound.listeners,
    ]],
    [TYPE_URLS.secret, [
      secretLayer(tables, cls),
      ...(cls.options.CREDENTIALS === "true" && locality !== ""
        ? [localCredentials(tables, binding)]
        : []),
    ]],
    ...(cls.options.VHDS === "true"
      ? [
        [TYPE_URLS.route, [
          httpProxyTables(tables, binding),
          ...detectedLayers(tables.routes, clients),
          ...skeletonLayers(tables.routes, { namespace, sidecar }),
        ]],
        [TYPE_URLS.virtualHost, virtualHostLayers(tables.routes, clients)],
      ] as const
      : [[TYPE_URLS.route, [
        httpProxyTables(tables, binding),
        ...detectedLayers(tables.routes, clients),
        ...tableLayers(tables.routes, clients),
      ]]] as const),
  ]);
}

/** The resources of a class. */
function classLayer(
  tables: LayerTables,
  { cls }: ClassBinding,
  type: "cluster" | "listener",
  table: ResourceTable,
): Collection {
  return collection(tables, `${type}/class/${cls.key}`, () => ({
    members: { list: [cls.key] },
    resources: table,
  }));
}

/** Hides the outbound listeners at the proxy's own addresses; the layers below stay shared. */
function hiddenListeners(
  tables: LayerTables,
  { ownListeners }: ClassBinding,
): readonly Collection[] {
  if (ownListeners.length === 0) return [];
  return [collection(tables, `listener/own/${list(text).encode(ownListeners)}`, () => ({
    members: { list: ownListeners },
    resources: tables.hiddenListeners,
  }))];
}

/** The route table of the HTTP proxy port of a class. */
function httpProxyTables({ context, httpProxy }: LayerTables, binding: ClassBinding): Collection {
  const key = { sidecar: binding.sidecar, cls: binding.cls.key };
  return collection({ context }, `route/httpProxy/${sidecarClassKeys.encode(key)}`, () => ({
    members: { listFrom: [httpProxy.members, key] },
    resources: httpProxy.tables,
  }));
}

/** Listeners that differ for clients with the labels of a class, or that rules select. */
function clientListeners(
  tables: LayerTables,
  { cls: { namespace }, sidecar, locality }: ClassBinding,
  { listeners: variant }: Variants,
  labels: Labels,
): Collection {
  const { members, listeners, egressMembers: ofEgress, egressListeners } =
    tables.sourceLabelListeners;
  const rules = locality === "" ? [] : localityKeys.decode(locality).rules;
  const name = `listener/${listenerVariants.encode(variant)}/source-labels`;
  const clients = clientScopes.encode({ namespace, sidecar, rules });
  if (sidecar === "") {
    return collection(tables, `${name}/${clients}/${labelKeys.encode(labels)}`, () => ({
      members: { listFrom: [members, { namespace, rules }], codec: listenerMembers },
      resources: listeners,
      keyOf: (member) => ({ variant, namespace, rules, ...member, labels }),
    }));
  }
  const { autoAddresses } = variant;
  return collection(
    tables,
    `${name}/${clients}/${labelKeys.encode(labels)}`,
    () => ({
      members: {
        listFrom: [ofEgress, { autoAddresses, namespace, sidecar, rules }],
        codec: egressMembers,
      },
      resources: egressListeners,
      keyOf: (member) => ({ variant, namespace, sidecar, rules, member, labels }),
    }),
  );
}
