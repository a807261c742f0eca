/**
 * The layers of proxyless gRPC programs (`GENERATOR: grpc` in the node metadata): the listeners of
 * their own servers over their outbound resources.
 *
 * @module
 */
import { type HostKey, labelKeys, sidecarKeys } from "../../derive/mod.ts";
import { type Collection, text } from "../../graph/mod.ts";
import {
  type ClassBinding,
  clientScopes,
  imports,
  localImports,
  locatedKey,
  selectingRules,
} from "../context/mod.ts";
import { collection, type Layered, TYPE_URLS } from "../resources/mod.ts";
import { type Egress, egressHosts } from "../egress/mod.ts";
import type { GrpcTables } from "./keys.ts";
import {
  egressEndpoints,
  endpointLayers,
  type EndpointLayerTables,
  localEndpoints,
} from "../endpoints/mod.ts";

/** The tables that layers of programs are made of, beside {@link GrpcTables}. */
export interface GrpcLayerTables extends EndpointLayerTables {
  readonly egress: Egress;
}

/** The layers of a program. Only endpoints have the same form as those of proxies. */
export function grpcLayers(
  tables: GrpcLayerTables,
  grpc: GrpcTables,
  binding: ClassBinding,
): Map<string, readonly Collection[]> {
  const { cls, sidecar } = binding;
  const servers = collection(tables, `listener/grpc/class/${cls.key}`, () => ({
    members: { list: [cls.key] },
    resources: grpc.servers,
  }));
  const outbound = sidecar === ""
    ? namespaceLayers(tables, grpc, binding)
    : importedLayers(tables, grpc, binding);
  return new Map([
    [TYPE_URLS.cluster, [...localClusters(tables, grpc, binding), ...outbound.clusters]],
    [TYPE_URLS.endpoint, [...localEndpoints(tables, binding), ...outbound.endpoints]],
    [TYPE_URLS.listener, [servers, ...outbound.listeners]],
    [TYPE_URLS.route, [clientRoutes(tables, grpc, binding), ...outbound.routes]],
  ]);
}

interface OutboundLayers {
  readonly clusters: readonly Collection[];
  readonly endpoints: readonly Collection[];
  readonly listeners: readonly Collection[];
  readonly routes: readonly Collection[];
}

/** The layers of a namespace without a Sidecar: an overlay over the base layer. */
function namespaceLayers(
  tables: GrpcLayerTables,
  grpc: GrpcTables,
  { cls }: ClassBinding,
): OutboundLayers {
  const { namespace } = cls;
  const { indexes, scopes } = tables.context.mesh;
  const layers = (type: string, { base, overlay }: Layered<HostKey>): Collection[] => [
    collection(tables, `${type}/grpc/overlay/${namespace}`, () => ({
      members: { listFrom: [scopes.overlayHosts, namespace] },
      resources: overlay,
      keyOf: (host) => ({ namespace, host }),
    })),
    collection(tables, `${type}/grpc/public`, () => ({
      members: { index: indexes.hostsSeenBy, buckets: [""] },
      resources: base,
      keyOf: (host) => ({ namespace: "", host }),
    })),
  ];
  return {
    clusters: layers("cluster", grpc.clusters),
    endpoints: endpointLayers(tables, cls),
    listeners: layers("listener", grpc.listeners),
    routes: layers("route", grpc.routes),
  };
}

/** The layers of a Sidecar's imports: targets at the ports of its listeners, and their destinations. */
function importedLayers(
  tables: GrpcLayerTables,
  grpc: GrpcTables,
  { cls, sidecar }: ClassBinding,
): OutboundLayers {
  const { namespace } = cls;
  const scope = { namespace, sidecar };
  const name = sidecarKeys.encode(scope);
  const targets = (
    type: "listeners" | "routes",
    table: GrpcTables["targetListeners"],
  ): Collection =>
    collection(tables, `${type}/grpc/egress/${name}`, () => ({
      members: {
        listFrom: [tables.egress.virtualHostMembers, scope],
        codec: egressHosts,
      },
      resources: table,
      keyOf: ({ port, host }) => ({ namespace, port, host }),
      note: imports(scope),
    }));
  const clusters = collection(tables, `cluster/grpc/egress/${name}`, () => ({
    members: {
      listFrom: [tables.context.mesh.scopes.egressHosts, { ...scope, listener: undefined }],
    },
    resources: grpc.clusters.base,
    keyOf: (host) => ({ namespace, host }),
    note: imports(scope),
  }));
  return {
    clusters: [clusters],
    endpoints: egressEndpoints(tables, cls, scope),
    listeners: [targets("listeners", grpc.targetListeners)],
    routes: [targets("routes", grpc.targetRoutes)],
  };
}

/** Clusters with rules that select the workload. */
function localClusters(
  tables: GrpcLayerTables,
  grpc: GrpcTables,
  binding: ClassBinding,
): Collection[] {
  const { cls: { namespace }, locality } = binding;
  if (selectingRules(locality).length === 0) return [];
  const { clusterHosts } = tables.context.mesh.localities;
  const key = locatedKey(binding);
  return [collection(tables, `cluster/grpc/placed/${clusterHosts.keyCodec.encode(key)}`, () => ({
    members: { listFrom: [clusterHosts, key] },
    resources: grpc.clusters.local,
    keyOf: (host) => ({ namespace, host, locality }),
    ...localImports(binding),
  }))];
}

/** Routes that differ for the clients of a class. */
function clientRoutes(
  tables: GrpcLayerTables,
  grpc: GrpcTables,
  { cls, sidecar, locality }: ClassBinding,
): Collection {
  const { namespace } = cls;
  const rules = selectingRules(locality);
  const { labels } = cls;
  const key = { namespace, sidecar, rules };
  const name = `${clientScopes.encode(key)}/${labelKeys.encode(labels)}`;
  return collection(tables, `route/grpc/callers/${name}`, () => ({
    members: { listFrom: [grpc.clientHosts, key], codec: text },
    resources: grpc.clientRoutes,
    keyOf: (host) => ({ namespace, host, rules, labels }),
  }));
}
