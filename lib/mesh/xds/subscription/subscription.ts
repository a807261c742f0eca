/**
 * A subscription: one resource type in one stream. The states are in `states.ts`, the fields in
 * `state.ts`, the changes in `requests.ts` and `transitions.ts`.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";
import type { XdsType } from "../../model/mod.ts";
import type { ResponseEncoder } from "../wire/mod.ts";
import { parentOf } from "./child_names.ts";
import type { AskedNames } from "./asked_names.ts";
import type { NameSet, NameTable } from "./names.ts";
import { initialState } from "./state.ts";
import type { SubscriptionState } from "./state.ts";

/** Readonly, with the collections in it. */
type Shown<T> = T extends AskedNames ? Omit<AskedNames, "add" | "delete" | "adopt" | "take">
  : T extends NameSet ? Omit<NameSet, "add" | "delete" | "adopt" | "addAll" | "clear">
  : T extends SubscriptionState ? Subscription
  : T extends Set<infer V> ? ReadonlySet<V>
  : T extends Map<infer K, infer V> ? ReadonlyMap<K, V>
  : T extends (infer V)[] ? readonly V[]
  : T;

/** A subscription as everybody but this folder sees it. */
export type Subscription = {
  readonly [K in keyof SubscriptionState]: Shown<SubscriptionState[K]>;
};

/** A subscription before its first request. */
export function newSubscription(
  type: XdsType,
  encoder: ResponseEncoder,
  table: NameTable,
): Subscription {
  return initialState(type, encoder, table);
}

/** Reports if the subscription has all names. */
export function wantsAll({ wildcard, onDemand }: Subscription): boolean {
  return wildcard && !onDemand;
}

/** Reports if the subscription has a resource, by its name or a further one. */
export function wantsResource(subscription: Subscription, resource: Resource): boolean {
  if (wants(subscription, resource.name)) return true;
  const { names, found, unasked } = subscription;
  const isNamed = (name: string): boolean => names.has(name) || unasked.includes(name);
  return resource.aliases?.some(isNamed) === true ||
    resource.partOf?.some((whole) => isNamed(whole) || found.has(whole)) === true;
}

/** Reports if the subscription has a name, by itself or by its parent. */
export function wants(subscription: Subscription, name: string): boolean {
  if (subscription.names.has(name) || subscription.found.has(name)) return true;
  if (subscription.onDemand?.withheld(name)) return false;
  if (subscription.wildcard) return true;
  const parent = subscription.parents && parentOf(name);
  return parent !== undefined && wants(subscription.parents!, parent);
}
