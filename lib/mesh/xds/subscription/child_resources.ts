/**
 * Types whose resources have a parent of another type: virtual hosts of route tables, named
 * `<table>/<host>`. A client that subscribes to such a type without names subscribes to the
 * children of all its subscribed parents. It waits until it is sent the children of a new parent,
 * or the information that there are none.
 *
 * @module
 */
import type { Resource, View } from "../../graph/mod.ts";
import { isParentType, noChildrenName, parentOf } from "./child_names.ts";
import type { Subscription } from "./subscription.ts";
import { linkChildren, parentIsKnown, parentIsNew, resendName } from "./transitions.ts";

const NONE: readonly Resource[] = Object.freeze([]);

/** The children in views by parent, made once for each state of a view and shared by all streams. */
const children = new WeakMap<
  View,
  { readonly changedAt: number; readonly by: Map<string, Resource[]> }
>();

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

/** Links a subscription of a stream to those of its parent and child types. */
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

/**
 * Reports if the children cannot be sent yet, because the client has not subscribed to a parent
 * type.
 */
export function isPremature({ type, view, parents }: Subscription): boolean {
  return type.parent !== undefined && view !== undefined && parents === undefined;
}

/**
 * Records the parents in the next responses that are new to the client. It needs all their
 * children, even those that it reported, because those belonged to an earlier parent of that name.
 * When a stream begins, every parent is new.
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
 * The client subscribes to parents again. Children of them may be on their way to it, and may be
 * removed before they are answered: each is sent again, or its removal.
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

/** Notes that the client accepted parents. A rejected one is still new to it. */
export function noteAcknowledged(
  subscription: Subscription,
  accepted: readonly Resource[],
): void {
  if (subscription.unacknowledged.size === 0) return;
  for (const { name } of accepted) parentIsKnown(subscription, name);
}

/**
 * Returns a function that reports if a name is a child of a new parent; `undefined` if no parent is
 * new.
 */
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

/** Existing parents that the client subscribes to; none when their children are not served as resources. */
export function* subscribedParents({ view, parents }: Subscription): Generator<string> {
  if (!view || !parents?.view) return;
  if (parents.wildcard) yield* parents.view.names();
  else for (const name of parents.names) if (parents.view.get(name)) yield name;
}

/** The children of a parent that the client named. */
function namedChildren({ view, names }: Subscription, parent: string): readonly Resource[] {
  const found: Resource[] = [];
  for (const name of names) {
    const child = parentOf(name) === parent ? view?.get(name) : undefined;
    if (child) found.push(child);
  }
  return found;
}

/** The children of some parents, and a name for each parent without children; see `noChildrenName`. */
export function childrenOfAll(
  subscription: Subscription,
  parents: Iterable<string>,
): { readonly resources: readonly Resource[]; readonly absent: readonly string[] } {
  const resources: Resource[] = [];
  const absent: string[] = [];
  for (const parent of parents) {
    const found = subscription.onDemand === undefined
      ? childrenOf(subscription.view, parent)
      : namedChildren(subscription, parent);
    if (found.length === 0) absent.push(noChildrenName(parent));
    for (const resource of found) resources.push(resource);
  }
  return { resources, absent };
}
