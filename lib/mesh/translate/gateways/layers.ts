/**
 * The layers of gateways: the outbound ones of their namespace, and the listeners and route tables of
 * their Gateways.
 *
 * @module
 */
import { type LabelsKey, labelsKeys } from "../../derive/mod.ts";
import { type Collection, text } from "../../graph/mod.ts";
import {
  automaticLocality,
  type ClassBinding,
  type ClusterVariant,
  clusterVariantOf,
  clusterVariants,
  familyOf,
  listenerVariants,
  sendsTunnels,
  variantOf,
} from "../context/mod.ts";
import { collection, type ListenerTable, TYPE_URLS } from "../resources/mod.ts";
import {
  type AutomaticTables,
  type DatagramTables,
  type GatewayClusterTables,
  gatewayLocalityKeys,
  gatewayParts,
  type GatewayTables,
  gatewayTables,
} from "./keys.ts";
import {
  type ClusterKey,
  clusterLayers,
  type ClusterLayerTables,
  localClusters,
} from "../clusters/mod.ts";
import { endpointLayers, type EndpointLayerTables, localEndpoints } from "../endpoints/mod.ts";
import {
  gatewayCredentials,
  referredCredentials,
  ruleCredentials,
  secretLayer,
  type SecretLayerTables,
} from "../secrets/mod.ts";
import type { Context } from "./features.ts";

/** The tables that layers of gateways are made of. */
export interface GatewayLayerTables
  extends ClusterLayerTables, EndpointLayerTables, SecretLayerTables {
  readonly context: Context;
  readonly gateways: GatewayTables;
  readonly gatewayClusters: GatewayClusterTables;
  readonly automatic: AutomaticTables<ClusterKey>;
  /** Key of a class → listeners of its tunnels. */
  readonly tunnelListeners: ListenerTable;
  readonly datagrams: DatagramTables;
}

/** The layers of a gateway. */
export function routerLayers(
  tables: GatewayLayerTables,
  binding: ClassBinding,
): Map<string, readonly Collection[]> {
  const { cls } = binding;
  const { features } = tables.context;
  const { namespace } = cls;
  const variant = clusterVariantOf(cls);
  const scope: LabelsKey = {
    namespace,
    labels: cls.labels,
  };
  return new Map([
    [TYPE_URLS.cluster, [
      ...tunnelLayer(tables, binding, "cluster"),
      ...ownClusters(tables, binding, scope),
      ...features.filterGatewayClusters ? usedClusters(tables, binding, scope) : [
        ...localClusters(tables, binding),
        ...clusterLayers(tables, namespace, variant),
      ],
    ]],
    [TYPE_URLS.endpoint, [
      automaticEndpoints(tables, binding, scope),
      ...localEndpoints(tables, binding),
      ...endpointLayers(tables, cls),
    ]],
    [TYPE_URLS.secret, [
      secretLayer(tables, cls),
      ...(cls.options.CREDENTIALS === "true"
        ? [gatewayCredentials(tables, cls, scope), ruleCredentials(tables, cls)]
        : []),
      ...(cls.options.REFERRED === "true" ? referredCredentials(tables, cls, scope) : []),
    ]],
    [TYPE_URLS.listener, [
      ...tunnelLayer(tables, binding, "listener"),
      gatewayListeners(tables, binding, scope),
    ]],
    ...routeLayers(tables, binding, scope),
  ]);
}

/** The listener and the cluster by which a gateway sends through tunnels. */
function tunnelLayer(
  { context, classClusters, tunnelListeners }: GatewayLayerTables,
  { cls }: ClassBinding,
  type: "cluster" | "listener",
): Collection[] {
  if (!sendsTunnels(context.features, cls)) return [];
  return [collection({ context }, `${type}/tunnels/${cls.key}`, () => ({
    members: { list: [cls.key] },
    resources: type === "cluster" ? classClusters.tunnels : tunnelListeners,
  }))];
}

function gatewayListeners(
  tables: GatewayLayerTables,
  { cls, telemetry }: ClassBinding,
  scope: LabelsKey,
): Collection {
  const { namespace } = cls;
  const variant = variantOf(cls, telemetry);
  const name = `${listenerVariants.encode(variant)}/${namespace}/${labelsKeys.encode(scope)}`;
  return collection(tables, `listener/gateway/${name}`, () => ({
    members: { listFrom: [tables.gateways.portKeys, scope], codec: text },
    resources: tables.gateways.listeners,
    keyOf: (port) => ({ variant, namespace, port, scope }),
  }));
}

/** Whole route tables, or skeletons and virtual hosts for proxies that support VHDS. */
function routeLayers(
  tables: GatewayLayerTables,
  { cls: { namespace, options } }: ClassBinding,
  scope: LabelsKey,
): Map<string, readonly Collection[]> {
  const { tableKeys, routes, skeletons, parts, partKeys } = tables.gateways;
  const name = `${namespace}/${labelsKeys.encode(scope)}`;
  const tablesOf = (kind: string, resources: typeof routes): Collection =>
    collection(tables, `${kind}/gateway/${name}`, () => ({
      members: { listFrom: [tableKeys, scope], codec: gatewayTables },
      resources,
      keyOf: (table) => ({ namespace, table, scope }),
    }));
  if (options.VHDS !== "true") return new Map([[TYPE_URLS.route, [tablesOf("route", routes)]]]);
  const hosts = collection(tables, `vhds/gateway/${name}`, () => ({
    members: { listFrom: [partKeys, { namespace, scope }], codec: gatewayParts },
    resources: parts,
    keyOf: ({ host, table }) => ({ host, of: { namespace, table, scope } }),
  }));
  return new Map([
    [TYPE_URLS.route, [tablesOf("skeleton", skeletons)]],
    [TYPE_URLS.virtualHost, [hosts]],
  ]);
}

/** Clusters that every gateway has, and those of servers that forward by server name. */
function ownClusters(
  { context, classClusters, automatic, datagrams }: GatewayLayerTables,
  { cls }: ClassBinding,
  scope: LabelsKey,
): Collection[] {
  const { namespace, network } = cls;
  const family = familyOf(cls);
  const { lacksUtilization } = clusterVariantOf(cls);
  const variant: ClusterVariant = { role: "router", family, lacksUtilization };
  const name = `${clusterVariants.encode(variant)}/${namespace}/${labelsKeys.encode(scope)}`;
  return [
    collection({ context }, `cluster/router/${family}`, () => ({
      members: { list: [family] },
      resources: classClusters.gateways,
    })),
    collection({ context }, `cluster/automatic/${name}`, () => ({
      members: { listFrom: [automatic.hosts, { namespace, scope }], codec: text },
      resources: automatic.clusters,
      keyOf: (host) => ({ variant, namespace, host }),
    })),
    collection({ context }, `cluster/datagrams/${JSON.stringify(network)}/${name}`, () => ({
      members: { listFrom: [datagrams.ports, { namespace, scope }], codec: text },
      resources: datagrams.clusters,
      keyOf: (port) => ({ namespace, scope, port, network }),
    })),
  ];
}

/** Endpoints of the services to which servers forward by server name. */
function automaticEndpoints(
  { context, automatic }: GatewayLayerTables,
  { cls: { namespace }, locality: at }: ClassBinding,
  scope: LabelsKey,
): Collection {
  const locality = automaticLocality(at);
  const name = gatewayLocalityKeys.encode({ namespace, scope, locality });
  return collection({ context }, `endpoint/automatic/${name}`, () => ({
    members: { listFrom: [automatic.hosts, { namespace, scope }], codec: text },
    resources: automatic.endpoints,
    keyOf: (host) => ({ namespace, host, locality }),
  }));
}

/** Only the clusters that a gateway can send requests to. */
function usedClusters(
  { context, gatewayClusters, clusters }: GatewayLayerTables,
  { cls, locality }: ClassBinding,
  scope: LabelsKey,
): Collection[] {
  const { namespace } = cls;
  const variant = clusterVariantOf(cls);
  const prefix = `cluster/${clusterVariants.encode(variant)}/used`;
  const name = `${namespace}/${labelsKeys.encode(scope)}`;
  const everywhere = collection({ context }, `${prefix}/${name}`, () => ({
    members: { listFrom: [gatewayClusters.hosts, { namespace, scope }], codec: text },
    resources: clusters.base,
    keyOf: (host) => ({ variant, namespace, host }),
  }));
  if (locality === "") return [everywhere];
  const key = { namespace, scope, locality };
  const layerName = `${prefix}/placed/${gatewayLocalityKeys.encode(key)}`;
  const here = collection({ context }, layerName, () => ({
    members: {
      listFrom: [gatewayClusters.localHosts, key],
      codec: text,
    },
    resources: clusters.local,
    keyOf: (host) => ({ variant, namespace, host, locality }),
  }));
  return [here, everywhere];
}
