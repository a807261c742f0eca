/**
 * Resources by further names: clients that subscribe on demand know addresses, not names of
 * resources. Found once for each state of a view and shared by all streams.
 *
 * @module
 */
import type { Resource, View } from "../../graph/mod.ts";
import { stateOf } from "./transitions.ts";
import type { Subscription } from "./subscription.ts";
import { contentOf } from "./view_content.ts";

/** Further name, or name of a whole, → resources. */
type Aliases = ReadonlyMap<string, readonly Resource[]>;

const known = new WeakMap<View, { readonly changedAt: number; readonly byName: Aliases }>();

/**
 * The resources that a name stands for: that of the name, those that have it as a further name, and the
 * parts of these.
 */
export function resourcesNamed(view: View | undefined, name: string): readonly Resource[] {
  if (view === undefined) return [];
  const byName = aliasesOf(view);
  const own = view.get(name);
  const found = new Set([...own === undefined ? [] : [own], ...byName.get(name) ?? []]);
  for (const { name: whole } of [...found]) {
    for (const part of byName.get(whole) ?? []) found.add(part);
  }
  return [...found];
}

function aliasesOf(view: View): Aliases {
  const cached = known.get(view);
  if (cached?.changedAt === view.changedAt) return cached.byName;
  const byName = new Map<string, Resource[]>();
  for (const resource of contentOf(view)) {
    for (const alias of [...resource.aliases ?? [], ...resource.partOf ?? []]) {
      const list = byName.get(alias);
      if (list === undefined) byName.set(alias, [resource]);
      else list.push(resource);
    }
  }
  known.set(view, { changedAt: view.changedAt, byName });
  return byName;
}

/**
 * Notes resources that were found by further names, so that their changes are sent, and those of their
 * parts.
 */
export function noteFound(subscription: Subscription, resources: readonly Resource[]): void {
  const { names, found, lost } = stateOf(subscription);
  for (const { name } of resources) {
    lost.delete(name);
    if (!names.has(name)) found.add(name);
  }
}

/**
 * Ends what was found by a name that the client unsubscribes from, unless another name finds it, too. The
 * name of a found resource ends the names that found it.
 */
export function loseFound(subscription: Subscription, name: string): void {
  const { names, found, lost, unasked, view } = stateOf(subscription);
  if (found.has(name)) { for (const alias of view?.get(name)?.aliases ?? []) names.delete(alias); }
  if (found.size === 0) return;
  const kept = new Set<string>();
  for (const other of [...names, ...unasked]) {
    for (const resource of resourcesNamed(view, other)) kept.add(resource.name);
  }
  for (const one of [...found]) {
    if (kept.has(one)) continue;
    found.delete(one);
    if (one !== name) lost.add(one);
  }
}
