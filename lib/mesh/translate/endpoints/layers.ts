/**
 * Layers of endpoints: of a namespace, of a locality, of a Sidecar.
 *
 * @module
 */
import { type HostKey, type SidecarKey, sidecarKeys } from "../../derive/mod.ts";
import type { Collection } from "../../graph/mod.ts";
import { type ClassBinding, imports, localImports, locatedKey } from "../context/mod.ts";
import type { Context } from "./features.ts";
import { type ByLocality, collection } from "../resources/mod.ts";

/** The tables that layers of endpoints are made of. */
export interface EndpointLayerTables {
  readonly context: Context;
  readonly endpoints: ByLocality<HostKey>;
}

/** The layers of a namespace without a Sidecar: an overlay over the base layer. */
export function endpointLayers(tables: EndpointLayerTables, namespace: string): Collection[] {
  const { scopes, indexes } = tables.context.mesh;
  return [
    collection(tables, `endpoint/overlay/${namespace}`, () => ({
      members: { listFrom: [scopes.overlayHosts, namespace] },
      resources: tables.endpoints.overlay,
      keyOf: (host) => ({ namespace, host }),
    })),
    collection(tables, `endpoint/public`, () => ({
      members: { index: indexes.hostsSeenBy, buckets: [""] },
      resources: tables.endpoints.base,
      keyOf: (host) => ({ namespace: "", host }),
    })),
  ];
}

/** Endpoints that proxies of a locality see differently from others of their namespace. */
export function localEndpoints(tables: EndpointLayerTables, binding: ClassBinding): Collection[] {
  const { cls: { namespace }, locality } = binding;
  if (locality === "") return [];
  const { hosts } = tables.context.mesh.localities;
  const key = locatedKey(binding);
  return [collection(tables, `endpoint/locality/${hosts.keyCodec.encode(key)}`, () => ({
    members: { listFrom: [hosts, key] },
    resources: tables.endpoints.local,
    keyOf: (host) => ({ namespace, host, locality }),
    ...localImports(binding),
  }))];
}

/** Endpoints of the hosts that a Sidecar imports. */
export function egressEndpoints(tables: EndpointLayerTables, scope: SidecarKey): Collection[] {
  const { namespace } = scope;
  const name = sidecarKeys.encode(scope);
  return [collection(tables, `endpoint/egress/${name}`, () => ({
    members: {
      listFrom: [tables.context.mesh.scopes.egressHosts, { ...scope, listener: undefined }],
    },
    resources: tables.endpoints.base,
    keyOf: (host) => ({ namespace, host }),
    note: imports(scope),
  }))];
}
