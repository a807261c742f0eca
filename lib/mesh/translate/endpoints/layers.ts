/**
 * Layers of endpoints: of a namespace, of a locality, of a Sidecar.
 *
 * @module
 */
import { type HostKey, type SidecarKey, sidecarKeys } from "../../derive/mod.ts";
import type { Collection } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import {
  type ClassBinding,
  imports,
  localImports,
  locatedKey,
  sendsTunnels,
} from "../context/mod.ts";
import type { Context } from "./features.ts";
import { type ByLocality, collection } from "../resources/mod.ts";

/** The tables that layers of endpoints are made of. */
export interface EndpointLayerTables {
  readonly context: Context;
  readonly endpoints: ByLocality<HostKey>;
  /** The endpoints of proxies that send through tunnels. */
  readonly tunnelEndpoints: ByLocality<HostKey>;
  /** The same for waypoints, which may send to other networks where sidecars do not. */
  readonly waypointEndpoints: ByLocality<HostKey>;
  /** The endpoints of waypoints behind node proxies, which open their tunnels. */
  readonly capturedEndpoints: ByLocality<HostKey>;
  /** The endpoints of gateways, which may send through waypoints. */
  readonly gatewayEndpoints: ByLocality<HostKey>;
}

/** The tables that a class sees, and the prefix of the names of its collections. */
function tablesFor(
  { context, endpoints, tunnelEndpoints, gatewayEndpoints }: EndpointLayerTables,
  cls: ProxyClass,
): { readonly prefix: string; readonly seen: ByLocality<HostKey> } {
  const { features } = context;
  if (!sendsTunnels(features, cls)) return { prefix: "endpoint", seen: endpoints };
  // Gateways may send to other networks, or through waypoints, where sidecars do not.
  const isOther = features.ingressWaypoints === true || features.networks !== undefined;
  return cls.role === "router" && isOther
    ? { prefix: "endpoint/waypoints", seen: gatewayEndpoints }
    : { prefix: "endpoint/tunnels", seen: tunnelEndpoints };
}

/** The layers of a namespace without a Sidecar: an overlay over the base layer. */
export function endpointLayers(tables: EndpointLayerTables, cls: ProxyClass): Collection[] {
  const { scopes, indexes } = tables.context.mesh;
  const { namespace } = cls;
  const { prefix, seen } = tablesFor(tables, cls);
  return [
    collection(tables, `${prefix}/overlay/${namespace}`, () => ({
      members: { listFrom: [scopes.overlayHosts, namespace] },
      resources: seen.overlay,
      keyOf: (host) => ({ namespace, host }),
    })),
    collection(tables, `${prefix}/public`, () => ({
      members: { index: indexes.hostsSeenBy, buckets: [""] },
      resources: seen.base,
      keyOf: (host) => ({ namespace: "", host }),
    })),
  ];
}

/** Endpoints that proxies of a locality see differently from others of their namespace. */
export function localEndpoints(tables: EndpointLayerTables, binding: ClassBinding): Collection[] {
  const { cls, locality } = binding;
  if (locality === "") return [];
  const { namespace } = cls;
  const { prefix, seen } = tablesFor(tables, cls);
  const { hosts } = tables.context.mesh.localities;
  const key = locatedKey(binding);
  return [collection(tables, `${prefix}/locality/${hosts.keyCodec.encode(key)}`, () => ({
    members: { listFrom: [hosts, key] },
    resources: seen.local,
    keyOf: (host) => ({ namespace, host, locality }),
    ...localImports(binding),
  }))];
}

/** Endpoints of the hosts that a Sidecar imports. */
export function egressEndpoints(
  tables: EndpointLayerTables,
  cls: ProxyClass,
  scope: SidecarKey,
): Collection[] {
  const { namespace } = scope;
  const { prefix, seen } = tablesFor(tables, cls);
  const name = sidecarKeys.encode(scope);
  return [collection(tables, `${prefix}/egress/${name}`, () => ({
    members: {
      listFrom: [tables.context.mesh.scopes.egressHosts, { ...scope, listener: undefined }],
    },
    resources: seen.base,
    keyOf: (host) => ({ namespace, host }),
    note: imports(scope),
  }))];
}
