/**
 * EndpointSlices by their Services, and by the pods and nodes that they refer to.
 *
 * @module
 */
import type { Changes } from "../../../../kit/orch/mod.ts";
import type { ApiSlice } from "./api.ts";
import { podOf } from "./endpoints.ts";

/** Text of a namespaced name; names have no spaces. */
export function idOf(namespace: string, name: string): string {
  return `${namespace} ${name}`;
}

/** An address in a namespace, as an object that slices refer to. */
export function addressKey(namespace: string, address: string): string {
  return `address ${namespace} ${address}`;
}

/** Objects that slices refer to: `pod NAMESPACE NAME`, `node NAME` and `address NAMESPACE IP`. */
export interface SliceIndex {
  /** Adds changed slices; returns the Services that they belong to. */
  update(changes: Changes<ApiSlice>): Set<string>;
  /** The slices of a Service, by name. */
  of(service: string): ApiSlice[];
  /** The Services with a slice that refers to one of the objects. */
  servicesAt(objects: Iterable<string>): Set<string>;
}

/** Label with the name of a slice's Service. */
const SERVICE_NAME = "kubernetes.io/service-name";

/** Starts empty. */
export function createSliceIndex(): SliceIndex {
  const slicesOf = new Map<string, Map<string, ApiSlice>>();
  const serviceOf = new Map<string, string>();
  const slicesAt = new Map<string, Set<string>>();
  const drop = (slice: string): string | undefined => {
    const service = serviceOf.get(slice);
    if (service === undefined) return undefined;
    serviceOf.delete(slice);
    const slices = slicesOf.get(service);
    const last = slices?.get(slice);
    slices?.delete(slice);
    if (slices?.size === 0) slicesOf.delete(service);
    for (const object of last === undefined ? [] : referredBy(last)) {
      const at = slicesAt.get(object);
      at?.delete(slice);
      if (at?.size === 0) slicesAt.delete(object);
    }
    return service;
  };
  const add = (id: string, service: string, slice: ApiSlice): void => {
    serviceOf.set(id, service);
    const slices = slicesOf.get(service) ?? new Map<string, ApiSlice>();
    slicesOf.set(service, slices.set(id, slice));
    for (const object of referredBy(slice)) {
      const at = slicesAt.get(object) ?? new Set();
      slicesAt.set(object, at.add(id));
    }
  };
  return {
    update({ upserts, deletes }) {
      const affected = new Set<string | undefined>();
      for (const { namespace, name } of deletes) affected.add(drop(idOf(namespace, name)));
      for (const slice of upserts) {
        const { namespace = "", name, labels } = slice.metadata;
        const id = idOf(namespace, name);
        affected.add(drop(id));
        const owner = labels?.[SERVICE_NAME];
        if (owner === undefined) continue;
        const service = idOf(namespace, owner);
        affected.add(service);
        add(id, service, slice);
      }
      return new Set([...affected].filter((one) => one !== undefined));
    },
    of: (service) =>
      [...slicesOf.get(service) ?? []].sort(([a], [b]) => a < b ? -1 : 1).map(([, one]) => one),
    servicesAt(objects) {
      const services = new Set<string>();
      for (const object of objects) {
        for (const slice of slicesAt.get(object) ?? []) {
          const service = serviceOf.get(slice);
          if (service !== undefined) services.add(service);
        }
      }
      return services;
    },
  };
}

/** The pods and nodes that a slice refers to, and the addresses at which it refers to no pod. */
function referredBy({ metadata, endpoints }: ApiSlice): string[] {
  return (endpoints ?? []).flatMap((endpoint) => {
    const pod = podOf(endpoint, metadata.namespace ?? "");
    return [
      ...(pod === undefined
        ? endpoint.addresses.map((address) => addressKey(metadata.namespace ?? "", address))
        : [`pod ${idOf(pod.namespace, pod.name)}`]),
      ...(endpoint.nodeName === undefined ? [] : [`node ${endpoint.nodeName}`]),
    ];
  });
}
