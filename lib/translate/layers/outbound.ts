/**
 * What proxies reach: the layers of a namespace, of a place, of a Sidecar.
 *
 * @module
 */
import type { Collection } from "../../graph/mod.ts";
import { parseFlavour, type Placement } from "../context/mod.ts";
import { outboundKeys } from "../outbound/mod.ts";
import { collection, importedBy } from "../resources/mod.ts";
import { clusterKind } from "../settings/mod.ts";
import { egressKey } from "../sidecars/mod.ts";
import type { Parts } from "./parts.ts";

/** Layers of what is reached. */
export interface Outbound {
  readonly clusters: readonly Collection[];
  readonly endpoints: readonly Collection[];
  readonly listeners: readonly Collection[];
}

/** What a namespace reaches without a Sidecar: an overlay over what everybody sees. */
export function namespaceLayers(
  parts: Parts,
  ns: string,
  family: string,
  flavour: string,
): Outbound {
  const { indexes } = parts.context.mesh;
  const { given } = parseFlavour(flavour);
  return {
    clusters: clusterLayers(parts, ns, family),
    endpoints: endpointLayers(parts, ns),
    listeners: [
      collection(parts, `listener/${flavour}/overlay/${ns}`, () => ({
        members: { listFrom: [parts.overlayListeners, { given, namespace: ns }] },
        resources: parts.listeners.overlay,
        keyOf: (member) => outboundKeys.encode({ flavour, namespace: ns, member }),
      })),
      collection(parts, `listener/${flavour}/public`, () => ({
        members: {
          index: indexes.listenersSeenBy,
          buckets: [false, ...(given ? [true] : [])].map((g) => ({ given: g, namespace: "" })),
        },
        resources: parts.listeners.base,
        keyOf: (member) => outboundKeys.encode({ flavour, namespace: "", member }),
      })),
    ],
  };
}

export function clusterLayers(parts: Parts, ns: string, kind: string): Collection[] {
  const { mesh } = parts.context;
  return [
    collection(parts, `cluster/${kind}/overlay/${ns}`, () => ({
      members: { listFrom: [mesh.scopes.overlayHosts, ns] },
      resources: parts.clusters.overlay,
      keyOf: (host) => `${kind}|${ns}|${host}`,
    })),
    collection(parts, `cluster/${kind}/public`, () => ({
      members: { index: mesh.indexes.hostsSeenBy, buckets: [""] },
      resources: parts.clusters.base,
      keyOf: (host) => `${kind}||${host}`,
    })),
  ];
}

export function endpointLayers(parts: Parts, ns: string): Collection[] {
  const { mesh } = parts.context;
  return [
    collection(parts, `endpoint/overlay/${ns}`, () => ({
      members: { listFrom: [mesh.scopes.overlayHosts, ns] },
      resources: parts.assignments.overlay,
      keyOf: (host) => `${ns}|${host}`,
    })),
    collection(parts, `endpoint/public`, () => ({
      members: { index: mesh.indexes.hostsSeenBy, buckets: [""] },
      resources: parts.assignments.base,
      keyOf: (host) => `|${host}`,
    })),
  ];
}

/** What proxies of a place see otherwise than others of their namespace, of the hosts concerned alone. */
export function placedEndpoints(parts: Parts, { cls, sidecar, place }: Placement): Collection[] {
  if (place === "") return [];
  const { namespace } = cls;
  const scope = `${namespace}|${sidecar}|${place}`;
  const layer = collection(parts, `endpoint/placed/${scope}`, () => ({
    members: {
      listFrom: [parts.context.mesh.localities.hosts, { namespace, sidecar, locality: place }],
    },
    resources: parts.assignments.placed,
    keyOf: (host) => `${cls.namespace}|${host}|${place}`,
  }));
  return [sidecar === "" ? layer : importedBy(layer, `${cls.namespace}|${sidecar}`)];
}

/** The same of clusters: those of other rules, and those whose endpoints are within them. */
export function placedClusters(parts: Parts, { cls, sidecar, place }: Placement): Collection[] {
  if (place === "") return [];
  const { namespace } = cls;
  const scope = `${namespace}|${sidecar}|${place}`;
  const kind = clusterKind(cls);
  const layer = collection(parts, `cluster/${kind}/placed/${scope}`, () => ({
    members: {
      listFrom: [parts.context.mesh.localities.clusterHosts, {
        namespace,
        sidecar,
        locality: place,
      }],
    },
    resources: parts.clusters.placed,
    keyOf: (host) => `${kind}|${cls.namespace}|${host}|${place}`,
  }));
  return [sidecar === "" ? layer : importedBy(layer, `${cls.namespace}|${sidecar}`)];
}

/** What a Sidecar lets a workload reach, and nothing else. */
export function egressLayers(
  parts: Parts,
  ns: string,
  sidecar: string,
  family: string,
  flavour: string,
): Outbound {
  const { mesh } = parts.context;
  const scope = `${ns}|${sidecar}`;
  return {
    clusters: [importedBy(
      collection(parts, `cluster/${family}/egress/${scope}`, () => ({
        members: {
          listFrom: [mesh.scopes.egressHosts, { namespace: ns, sidecar, listener: undefined }],
        },
        resources: parts.clusters.base,
        keyOf: (host) => `${family}|${ns}|${host}`,
      })),
      scope,
    )],
    endpoints: egressEndpoints(parts, ns, sidecar),
    listeners: [collection(parts, `listener/${flavour}/egress/${scope}`, () => ({
      members: {
        listFrom: [parts.egress.listenerMembers, egressKey(scope, parseFlavour(flavour))],
      },
      resources: parts.egressListeners,
      keyOf: (member) => `${flavour}|${scope}|${member}`,
    }))],
  };
}

/** Endpoints of what a Sidecar imports. */
export function egressEndpoints(parts: Parts, ns: string, sidecar: string): Collection[] {
  const scope = `${ns}|${sidecar}`;
  return [importedBy(
    collection(parts, `endpoint/egress/${scope}`, () => ({
      members: {
        listFrom: [parts.context.mesh.scopes.egressHosts, {
          namespace: ns,
          sidecar,
          listener: undefined,
        }],
      },
      resources: parts.assignments.base,
      keyOf: (host) => `${ns}|${host}`,
    })),
    scope,
  )];
}
