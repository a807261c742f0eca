/**
 * Types whose resources are children of those of another type: virtual hosts of route tables, named
 * `table/host`. A client that asks for such a type without naming anything asks for the children of
 * every parent it asks for. It waits for the first word about a parent it is new to, even if that is
 * that there are no children.
 *
 * @module
 */
import type { Resource, View } from "../../graph/mod.ts";
import { isParentType, noChildrenName, parentOf } from "./child_names.ts";
import type { Subscription } from "./subscription.ts";
import { linkChildren, parentIsKnown, parentIsNew, resendName } from "./transitions.ts";

const NONE: readonly Resource[] = Object.freeze([]);

/** The children in views by their parents: sorted out once for each state of a view, shared by all streams. */
const children = new WeakMap<
  View,
  { readonly changedAt: number; readonly by: Map<string, Resource[]> }
>();

/** What a view has of a parent. */
export function childrenOf(view: View | undefined, parent: string): readonly Resource[] {
  if (!view) return NONE;
  let known = children.get(view);
  if (known?.changedAt !== view.changedAt) {
    const by = new Map<string, Resource[]>();
    for (const resource of view.entries()) {
      const owner = parentOf(resource.name);
      if (owner === undefined) continue;
      const list = by.get(owner);
      if (list) list.push(resource);
      else by.set(owner, [resource]);
    }
    children.set(view, known = { changedAt: view.changedAt, by });
  }
  return known!.by.get(parent) ?? NONE;
}

/** Connects a stream's subscription with those of the parents or children of its type. */
export function connect(subscriptions: readonly Subscription[], subscription: Subscription): void {
  for (const other of subscriptions) {
    if (other.type.name === subscription.type.parent) {
      linkChildren(other, subscription);
    }
    if (other.type.parent === subscription.type.name) {
      linkChildren(subscription, other);
    }
  }
}

/** Whether children cannot be told yet, because the client did not say of what. */
export function isPremature({ type, view, parents }: Subscription): boolean {
  return type.parent !== undefined && view !== undefined && parents === undefined;
}

/**
 * Notes which of the parents about to be sent a client is new to: it needs all their children, even
 * those it said to hold, for those were of another parent of that name. When a stream begins that
 * is any parent that is sent.
 */
export function noteNewParents(subscription: Subscription, sent: readonly Resource[]): void {
  if (!isParentType(subscription.type)) return;
  const { started, held, at, requestedNames, unacknowledged } = subscription;
  for (const { name } of sent) {
    const isNew = !started || requestedNames.has(name) || unacknowledged.has(name) ||
      !held?.at(at, name);
    if (isNew) parentIsNew(subscription, name);
  }
}

/**
 * A client asks for parents again. Parts of them may be on their way to it, and may be gone by the
 * time it is told what there is: it is to hear of each.
 */
export function noteRequested({ children }: Subscription, parents: readonly string[]): void {
  if (!children || children.outstanding.length === 0) return;
  const asked = new Set(parents);
  for (const { resources } of children.outstanding) {
    for (const { name } of resources) {
      const parent = parentOf(name);
      if (parent !== undefined && asked.has(parent)) resendName(children, name);
    }
  }
}

/** A client accepted parents: it has them now, and what children it was sent. One that it rejected it is new to still. */
export function noteAcknowledged(
  subscription: Subscription,
  accepted: readonly Resource[],
): void {
  if (subscription.unacknowledged.size === 0) return;
  for (const { name } of accepted) parentIsKnown(subscription, name);
}

/** Tells which children are of parents that the client is new to by now; `undefined` when it is new to none. */
export function childrenOfNewParents(
  { parents }: Subscription,
): ((name: string) => boolean) | undefined {
  if (!parents?.newParents.size) return undefined;
  const newParents = new Set(parents.newParents);
  return (name) => {
    const parent = parentOf(name);
    return parent !== undefined && newParents.has(parent);
  };
}

/** Wholes that a client asks for and that exist; none when their children are not served apart. */
export function* subscribedParents({ view, parents }: Subscription): Generator<string> {
  if (!view || !parents?.view) return;
  if (parents.wildcard) yield* parents.view.names();
  else for (const name of parents.names) if (parents.view.get(name)) yield name;
}

/** What there is of some parents: their children, and for those without any the word that there are none. */
export function childrenOfAll(
  { view }: Subscription,
  parents: Iterable<string>,
): { readonly resources: readonly Resource[]; readonly absent: readonly string[] } {
  const resources: Resource[] = [];
  const absent: string[] = [];
  for (const parent of parents) {
    const found = childrenOf(view, parent);
    if (found.length === 0) absent.push(noChildrenName(parent));
    for (const resource of found) resources.push(resource);
  }
  return { resources, absent };
}
