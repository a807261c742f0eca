/**
 * Pods by their addresses, for EndpointSlices that refer to no pod.
 *
 * @module
 */
import type { PodFacts } from "./api.ts";
import { addressKey, idOf } from "./slice_index.ts";

/** The pods of one cluster by address. */
export interface PodAddresses {
  /** Stores the addresses of a pod. Returns those that it had or has, as {@link addressKey}. */
  put(id: string, pod: PodFacts | undefined): string[];
  /** The addresses of a pod, as {@link addressKey}. */
  of(id: string): readonly string[];
  /**
   * The name of the pod at an address in a namespace. `undefined`: there is none, or there are several
   * (pods in the network of their node).
   */
  nameAt(namespace: string, address: string): string | undefined;
}

/** Starts empty. */
export function createPodAddresses(): PodAddresses {
  const keysOf = new Map<string, readonly string[]>();
  const podsAt = new Map<string, Set<string>>();
  const drop = (key: string, id: string): void => {
    const pods = podsAt.get(key);
    pods?.delete(id);
    if (pods?.size === 0) podsAt.delete(key);
  };
  const add = (key: string, id: string): void => {
    const pods = podsAt.get(key);
    if (pods === undefined) podsAt.set(key, new Set([id]));
    else pods.add(id);
  };
  return {
    put(id, pod) {
      const before = keysOf.get(id) ?? [];
      const now = pod?.addresses.map((address) => addressKey(pod.namespace, address)) ?? [];
      for (const key of before) drop(key, id);
      for (const key of now) add(key, id);
      if (now.length === 0) keysOf.delete(id);
      else keysOf.set(id, now);
      return [...new Set([...before, ...now])];
    },
    of: (id) => keysOf.get(id) ?? [],
    nameAt(namespace, address) {
      const pods = podsAt.get(addressKey(namespace, address));
      const [only] = pods ?? [];
      return pods?.size === 1 ? only!.slice(idOf(namespace, "").length) : undefined;
    },
  };
}
