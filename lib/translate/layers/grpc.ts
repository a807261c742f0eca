/**
 * The layers of gRPC libraries that speak xDS themselves (`GENERATOR: grpc` in a node's metadata):
 * what their workload serves, over what they reach.
 *
 * @module
 */
import { labelKeys } from "../../derive/mod.ts";
import type { Collection } from "../../graph/mod.ts";
import type { Placement } from "../context/mod.ts";
import { type GrpcTables, selectingRules } from "../grpc/mod.ts";
import { collection, importedBy, type Layered, TYPE_URLS } from "../resources/mod.ts";
import { egressEndpoints, endpointLayers, placedEndpoints } from "./outbound.ts";
import type { Parts } from "./parts.ts";

/** A library's layers: of other forms than a proxy's, but for endpoints. */
export function libraryLayers(
  parts: Parts,
  tables: GrpcTables,
  placement: Placement,
): Map<string, readonly Collection[]> {
  const { cls, sidecar } = placement;
  const servers = collection(parts, `listener/grpc/class/${cls.key}`, () => ({
    members: { list: [cls.key] },
    resources: tables.servers,
  }));
  const reached = sidecar === ""
    ? namespaceLayers(parts, tables, cls.namespace)
    : importedLayers(parts, tables, cls.namespace, sidecar);
  return new Map([
    [TYPE_URLS.cluster, [...placedClusters(parts, tables, placement), ...reached.clusters]],
    [TYPE_URLS.endpoint, [...placedEndpoints(parts, placement), ...reached.endpoints]],
    [TYPE_URLS.listener, [servers, ...reached.listeners]],
    [TYPE_URLS.route, [callersRoutes(parts, tables, placement), ...reached.routes]],
  ]);
}

/** Layers of what is reached. */
type Reached = Readonly<
  Record<"clusters" | "endpoints" | "listeners" | "routes", readonly Collection[]>
>;

/** What a namespace reaches without a Sidecar: an overlay over what everybody sees. */
function namespaceLayers(parts: Parts, tables: GrpcTables, ns: string): Reached {
  const { indexes, scopes } = parts.context.mesh;
  const layers = (type: string, { base, overlay }: Layered): Collection[] => [
    collection(parts, `${type}/grpc/overlay/${ns}`, () => ({
      members: { listFrom: [scopes.overlayHosts, ns] },
      resources: overlay,
      keyOf: (host) => `${ns}|${host}`,
    })),
    collection(parts, `${type}/grpc/public`, () => ({
      members: { index: indexes.hostsSeenBy, buckets: [""] },
      resources: base,
      keyOf: (host) => `|${host}`,
    })),
  ];
  return {
    clusters: layers("cluster", tables.clusters),
    endpoints: endpointLayers(parts, ns),
    listeners: layers("listener", tables.listeners),
    routes: layers("route", tables.routes),
  };
}

/** What a Sidecar imports: targets at the ports of its listeners, and what calls to them may be led to. */
function importedLayers(parts: Parts, tables: GrpcTables, ns: string, sidecar: string): Reached {
  const scope = `${ns}|${sidecar}`;
  const targets = (type: "listeners" | "routes"): Collection =>
    importedBy(
      collection(parts, `${type}/grpc/egress/${scope}`, () => ({
        members: { listFrom: [parts.egress.virtualHostMembers, scope] },
        resources: tables.targets[type],
        keyOf: (member) => {
          const [port = "", , host = ""] = member.split("|");
          return `${ns}|${port}|${host}`;
        },
      })),
      scope,
    );
  const clusters = importedBy(
    collection(parts, `cluster/grpc/egress/${scope}`, () => ({
      members: {
        listFrom: [parts.context.mesh.scopes.egressHosts, {
          namespace: ns,
          sidecar,
          listener: undefined,
        }],
      },
      resources: tables.clusters.base,
      keyOf: (host) => `${ns}|${host}`,
    })),
    scope,
  );
  return {
    clusters: [clusters],
    endpoints: egressEndpoints(parts, ns, sidecar),
    listeners: [targets("listeners")],
    routes: [targets("routes")],
  };
}

/** Clusters of rules that select the workload. */
function placedClusters(
  parts: Parts,
  tables: GrpcTables,
  { cls, sidecar, place }: Placement,
): Collection[] {
  if (selectingRules(place) === "") return [];
  const { namespace } = cls;
  const scope = `${namespace}|${sidecar}|${place}`;
  const layer = collection(parts, `cluster/grpc/placed/${scope}`, () => ({
    members: {
      listFrom: [parts.context.mesh.localities.clusterHosts, {
        namespace,
        sidecar,
        locality: place,
      }],
    },
    resources: tables.clusters.placed,
    keyOf: (host) => `${cls.namespace}|${host}|${place}`,
  }));
  return [sidecar === "" ? layer : importedBy(layer, `${cls.namespace}|${sidecar}`)];
}

/** Routes that such callers have otherwise than their namespace. */
function callersRoutes(
  parts: Parts,
  tables: GrpcTables,
  { cls, sidecar, place }: Placement,
): Collection {
  const rules = selectingRules(place);
  const labels = labelKeys.encode(cls.labels);
  const scope = `${cls.namespace}|${sidecar}|${rules}`;
  return collection(parts, `route/grpc/callers/${scope}|${labels}`, () => ({
    members: { listFrom: [tables.particular, scope] },
    resources: tables.callers,
    keyOf: (host) => `${cls.namespace}|${host}|${rules}|${labels}`,
  }));
}
