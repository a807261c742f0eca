/**
 * Route layers: whole route tables, or, for proxies that support VHDS, skeletons and virtual hosts.
 *
 * @module
 */
import { labelsKeys, type PortKey, type SidecarKey, sidecarKeys } from "../../derive/mod.ts";
import { type Collection, integer } from "../../graph/mod.ts";
import type { ClassBinding, Context } from "../context/mod.ts";
import {
  collection,
  type HostPort,
  hostPorts,
  type Layered,
  type RouteTable,
} from "../resources/mod.ts";
import { egressHosts, egressTables } from "../egress/mod.ts";
import {
  type EgressTableKey,
  type HttpProxyTables,
  type Routes,
  sidecarClassKeys,
  type SidecarClientsKey,
  sidecarClientsKeys,
} from "./keys.ts";

/** Whole route tables. */
export function tableLayers(routes: Routes, clients: SidecarClientsKey): readonly Collection[] {
  const { tables, sourceLabels } = routes;
  const { namespace, sidecar, labels } = clients;
  if (sidecar === "") {
    const own = collection(routes, `route/source-labels/${labelsKeys.encode(clients)}`, () => ({
      members: { listFrom: [sourceLabels.ports, { namespace, labels }], codec: integer },
      resources: sourceLabels.tables,
      keyOf: (port) => ({ namespace, port, labels }),
    }));
    return [own, ...portTables(routes, namespace)];
  }
  const own = collection(
    routes,
    `route/source-labels/${sidecarClientsKeys.encode(clients)}`,
    () => ({
      members: {
        listFrom: [sourceLabels.egressMembers, { namespace, sidecar, labels }],
        codec: egressTables,
      },
      resources: sourceLabels.egressTables,
      keyOf: (table) => ({ namespace, sidecar, ...table, labels }),
    }),
  );
  return [own, sidecarTables(routes, "route", tables.egress, { namespace, sidecar })];
}

/** The route tables of ports whose protocol is detected. */
export function detectedLayers(
  { context, detected, sourceLabels }: Routes,
  clients: SidecarClientsKey,
): readonly Collection[] {
  const { namespace, sidecar, labels } = clients;
  const { base, overlay } = detected.tables;
  const table = ({ port, host }: HostPort) => ({ namespace, port, host });
  const own = collection(
    { context },
    `detected/labels/${sidecarClientsKeys.encode(clients)}`,
    () => ({
      ...(sidecar === ""
        ? {
          members: { listFrom: [sourceLabels.differing, { namespace, labels }], codec: hostPorts },
        }
        : {
          members: {
            listFrom: [sourceLabels.egressDiffering, { namespace, sidecar, labels }],
            codec: egressHosts,
          },
        }),
      resources: detected.sourceLabels,
      keyOf: (at: HostPort) => ({ ...table(at), labels }),
    }),
  );
  if (sidecar !== "") {
    const scope = { namespace, sidecar };
    return [
      own,
      collection({ context }, `detected/egress/${sidecarKeys.encode(scope)}`, () => ({
        members: { listFrom: [detected.egressMembers, scope], codec: hostPorts },
        resources: base,
        keyOf: table,
      })),
    ];
  }
  return [
    own,
    collection({ context }, `detected/overlay/${namespace}`, () => ({
      members: { listFrom: [detected.overlayMembers, namespace], codec: hostPorts },
      resources: overlay,
      keyOf: table,
    })),
    collection({ context }, "detected/public", () => ({
      members: { index: context.mesh.indexes.detectedSeenBy, buckets: [""] },
      resources: base,
      keyOf: ({ port, host = "" }) => ({ namespace: "", port, host }),
    })),
  ];
}

/** The route table of the HTTP proxy port of a class. */
export function httpProxyLayer(
  { context, httpProxy }: { readonly context: Context; readonly httpProxy: HttpProxyTables },
  binding: ClassBinding,
): Collection {
  const key = { sidecar: binding.sidecar, cls: binding.cls.key };
  return collection({ context }, `route/httpProxy/${sidecarClassKeys.encode(key)}`, () => ({
    members: { listFrom: [httpProxy.members, key] },
    resources: httpProxy.tables,
  }));
}

/** Route tables without their virtual hosts. */
export function skeletonLayers(routes: Routes, scope: SidecarKey): readonly Collection[] {
  const { skeletons, egressSkeletons } = routes.onDemand;
  return scope.sidecar === ""
    ? portSkeletons(routes, skeletons, scope.namespace)
    : [sidecarTables(routes, "skeleton", egressSkeletons, scope)];
}

/** The virtual hosts of skeletons. */
export function virtualHostLayers(
  routes: Routes,
  clients: SidecarClientsKey,
): readonly Collection[] {
  const { sourceLabels } = routes;
  const { namespace, sidecar, labels } = clients;
  if (sidecar === "") {
    const own = collection(routes, `vhds/source-labels/${labelsKeys.encode(clients)}`, () => ({
      members: { listFrom: [sourceLabels.differing, { namespace, labels }], codec: hostPorts },
      resources: sourceLabels.parts,
      keyOf: (at) => ({ namespace, ...at, labels }),
    }));
    return [own, ...hostLayers(routes, namespace)];
  }
  const own = collection(
    routes,
    `vhds/source-labels/${sidecarClientsKeys.encode(clients)}`,
    () => ({
      members: {
        listFrom: [sourceLabels.egressDiffering, { namespace, sidecar, labels }],
        codec: egressHosts,
      },
      resources: sourceLabels.egressParts,
      keyOf: (at) => ({ namespace, ...at, labels }),
    }),
  );
  return [own, sidecarHosts(routes, { namespace, sidecar })];
}

/** Route tables without any virtual host, for proxies that ask for virtual hosts by name. */
export function bareTables(routes: Routes, scope: SidecarKey): Collection {
  const { httpPortsSeenBy } = routes.context.mesh.indexes;
  const { namespace, sidecar } = scope;
  const { bare } = routes.asked;
  if (sidecar === "") {
    return collection(routes, `bare/${namespace}`, () => ({
      members: { index: httpPortsSeenBy, buckets: ["", namespace] },
      resources: bare,
      keyOf: (port) => `${port}`,
    }));
  }
  return collection(routes, `bare/egress/${sidecarKeys.encode(scope)}`, () => ({
    members: { listFrom: [routes.egress.routeMembers, scope], codec: egressTables },
    resources: bare,
    keyOf: ({ table }) => table,
  }));
}

/** The virtual hosts that proxies of a workload class asked for. */
export function askedLayer(
  routes: Routes,
  clients: SidecarClientsKey,
  workload: string,
): Collection {
  const { byWorkload } = routes.context.mesh.asked;
  return collection(routes, `vhds/asked/${workload}/${sidecarClientsKeys.encode(clients)}`, () => ({
    members: { index: byWorkload, buckets: [workload] },
    resources: routes.asked.hosts,
    keyOf: (name) => ({ ...clients, name }),
  }));
}

/** A route table for each HTTP port. */
function portTables(routes: Routes, namespace: string): Collection[] {
  const { httpPortsSeenBy } = routes.context.mesh.indexes;
  return [
    collection(routes, `route/overlay/${namespace}`, () => ({
      members: { index: httpPortsSeenBy, buckets: ["", namespace] },
      resources: routes.tables.overlay,
      keyOf: (port) => ({ namespace, port: Number(port) }),
    })),
    collection(routes, `route/public`, () => ({
      members: { index: httpPortsSeenBy, buckets: [""] },
      resources: routes.tables.public,
      keyOf: (port) => Number(port),
    })),
  ];
}

/** A skeleton for each HTTP port. */
function portSkeletons(
  routes: Routes,
  { base, overlay }: Layered<PortKey>,
  namespace: string,
): Collection[] {
  const { httpPortsSeenBy } = routes.context.mesh.indexes;
  return [
    collection(routes, `skeleton/overlay/${namespace}`, () => ({
      members: { index: httpPortsSeenBy, buckets: ["", namespace] },
      resources: overlay,
      keyOf: (port) => ({ namespace, port: Number(port) }),
    })),
    collection(routes, `skeleton/public`, () => ({
      members: { index: httpPortsSeenBy, buckets: [""] },
      resources: base,
      keyOf: (port) => ({ namespace: "", port: Number(port) }),
    })),
  ];
}

/** A table for each HTTP port of each listener of a Sidecar. */
function sidecarTables(
  routes: Routes,
  kind: "route" | "skeleton",
  tables: RouteTable<EgressTableKey>,
  scope: SidecarKey,
): Collection {
  return collection(routes, `${kind}/egress/${sidecarKeys.encode(scope)}`, () => ({
    members: { listFrom: [routes.egress.routeMembers, scope], codec: egressTables },
    resources: tables,
    keyOf: (table) => ({ ...scope, ...table }),
  }));
}

/** The virtual hosts of a Sidecar's tables. */
function sidecarHosts(routes: Routes, scope: SidecarKey): Collection {
  const { namespace } = scope;
  return collection(routes, `vhds/egress/${sidecarKeys.encode(scope)}`, () => ({
    members: { listFrom: [routes.egress.virtualHostMembers, scope], codec: egressHosts },
    resources: routes.onDemand.egressHosts,
    keyOf: (at) => ({ namespace, ...at }),
  }));
}

/** The virtual hosts of the tables of ports, by host. */
function hostLayers(routes: Routes, namespace: string): Collection[] {
  const { indexes, scopes } = routes.context.mesh;
  const { base, overlay } = routes.onDemand.hosts;
  const keyOf = (host: string) => ({ namespace, host });
  const shared = (host: string) => ({ namespace: "", host });
  return [
    collection(routes, `vhds/overlay/${namespace}`, () => ({
      members: { listFrom: [scopes.overlayHosts, namespace] },
      resources: overlay,
      keyOf,
    })),
    collection(routes, `vhds/overlay-routes/${namespace}`, () => ({
      members: { listFrom: [scopes.routeHosts, namespace] },
      resources: overlay,
      keyOf,
    })),
    collection(routes, "vhds/public", () => ({
      members: { index: indexes.hostsSeenBy, buckets: [""] },
      resources: base,
      keyOf: shared,
    })),
    collection(routes, "vhds/public-routes", () => ({
      members: { listFrom: [scopes.routeHosts, ""] },
      resources: base,
      keyOf: shared,
    })),
  ];
}
