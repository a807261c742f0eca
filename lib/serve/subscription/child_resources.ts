/**
 * Types whose resources are parts of those of another type: virtual hosts of route tables, named
 * `table/host`. A client that asks for such a type without naming anything asks for the parts of
 * every whole it asks for. It waits for the first word about a whole it is new to, even if that is
 * that there are no parts.
 *
 * @module
 */
import type { Resource, View } from "../../graph/mod.ts";
import { isParentType, noChildrenName, parentOf } from "./child_names.ts";
import type { Subscription } from "./subscription.ts";

const NONE: readonly Resource[] = Object.freeze([]);

/** The parts in views by their wholes: sorted out once for each state of a view, shared by all streams. */
const parts = new WeakMap<
  View,
  { readonly changedAt: number; readonly by: Map<string, Resource[]> }
>();

/** What a view has of a whole. */
export function partsOf(view: View | undefined, whole: string): readonly Resource[] {
  if (!view) return NONE;
  let known = parts.get(view);
  if (known?.changedAt !== view.changedAt) {
    const by = new Map<string, Resource[]>();
    for (const resource of view.entries()) {
      const owner = parentOf(resource.name);
      if (owner === undefined) continue;
      const list = by.get(owner);
      if (list) list.push(resource);
      else by.set(owner, [resource]);
    }
    parts.set(view, known = { changedAt: view.changedAt, by });
  }
  return known!.by.get(whole) ?? NONE;
}

/** Connects a stream's subscription with those of the wholes or parts of its type. */
export function connect(subscriptions: readonly Subscription[], subscription: Subscription): void {
  for (const other of subscriptions) {
    if (other.type.name === subscription.type.parent) {
      [subscription.wholes, other.parts] = [other, subscription];
    }
    if (other.type.parent === subscription.type.name) {
      [other.wholes, subscription.parts] = [subscription, other];
    }
  }
}

/** Whether parts cannot be told yet, because the client did not say of what. */
export function isPremature({ type, view, wholes }: Subscription): boolean {
  return type.parent !== undefined && view !== undefined && wholes === undefined;
}

/**
 * Notes which of the wholes about to be sent a client is new to: it needs all their parts, even
 * those it said to hold, for those were of another whole of that name. When a stream begins that
 * is any whole that is sent.
 */
export function noteFresh(subscription: Subscription, sent: readonly Resource[]): void {
  if (!isParentType(subscription.type)) return;
  const { started, held, at, answers, unacknowledged } = subscription;
  for (const { name } of sent) {
    if (started && !answers.has(name) && !unacknowledged.has(name) && held?.at(at, name)) continue;
    subscription.fresh.add(name);
    unacknowledged.add(name);
    if (subscription.parts) subscription.parts.due = true;
  }
}

/**
 * A client asks for wholes again. Parts of them may be on their way to it, and may be gone by the
 * time it is told what there is: it is to hear of each.
 */
export function noteAsked({ parts }: Subscription, wholes: readonly string[]): void {
  if (!parts || parts.outstanding.length === 0) return;
  const asked = new Set(wholes);
  for (const { resources } of parts.outstanding) {
    for (const { name } of resources) {
      const whole = parentOf(name);
      if (whole !== undefined && asked.has(whole)) parts.answers.add(name);
    }
  }
}

/** A client accepted wholes: it has them now, and what parts it was sent. One that it rejected it is new to still. */
export function noteAccepted(
  { unacknowledged }: Subscription,
  accepted: readonly Resource[],
): void {
  if (unacknowledged.size > 0) { for (const { name } of accepted) unacknowledged.delete(name); }
}

/** Tells which parts are of wholes that the client is new to by now; `undefined` when it is new to none. */
export function freshParts({ wholes }: Subscription): ((name: string) => boolean) | undefined {
  if (!wholes?.fresh.size) return undefined;
  const fresh = new Set(wholes.fresh);
  return (name) => {
    const whole = parentOf(name);
    return whole !== undefined && fresh.has(whole);
  };
}

/** Wholes that a client asks for and that exist; none when their parts are not served apart. */
export function* wholesAsked({ view, wholes }: Subscription): Generator<string> {
  if (!view || !wholes?.view) return;
  if (wholes.wildcard) yield* wholes.view.names();
  else for (const name of wholes.names) if (wholes.view.get(name)) yield name;
}

/** What there is of some wholes: their parts, and for those without any the word that there are none. */
export function tell(
  { view }: Subscription,
  wholes: Iterable<string>,
): { readonly resources: readonly Resource[]; readonly absent: readonly string[] } {
  const resources: Resource[] = [];
  const absent: string[] = [];
  for (const whole of wholes) {
    const found = partsOf(view, whole);
    if (found.length === 0) absent.push(noChildrenName(whole));
    for (const resource of found) resources.push(resource);
  }
  return { resources, absent };
}
