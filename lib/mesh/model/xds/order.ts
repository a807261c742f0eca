/**
 * The order in which types are pushed.
 *
 * @module
 */
import type { XdsTypeName } from "./types.ts";

/**
 * Additions and changes are sent in this order, removals in the opposite one, so that a proxy never
 * has a reference to a resource that it was not sent yet, or that is gone already. Types that are not
 * listed come last. The xDS specification recommends the order of the first four in "Eventual
 * consistency considerations".
 */
export const PUSH_ORDER: readonly XdsTypeName[] = [
  "cluster",
  "endpoint",
  "listener",
  "route",
  "virtualHost",
  "secret",
  "nameTable",
  "proxyConfig",
  "extension",
  // Workloads name the policies that they enforce.
  "authorization",
  "address",
  "workload",
];

const POSITIONS: ReadonlyMap<string, number> = new Map(PUSH_ORDER.map((name, i) => [name, i]));

/** The position of a type in the push order. Types that are not listed have the last one. */
export function pushPosition({ name }: { readonly name: string }): number {
  return POSITIONS.get(name) ?? PUSH_ORDER.length;
}
