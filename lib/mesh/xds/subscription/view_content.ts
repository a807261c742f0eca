/**
 * The content of views as arrays, made once for each state of a view and shared by all streams.
 *
 * @module
 */
import type { Resource, View } from "../../graph/mod.ts";

const contents = new WeakMap<View, { readonly changedAt: number; readonly list: Resource[] }>();

/** All effective resources of a view. */
export function contentOf(view: View): readonly Resource[] {
  const cached = contents.get(view);
  if (cached && cached.changedAt === view.changedAt) return cached.list;
  const list = [...view.entries()];
  contents.set(view, { changedAt: view.changedAt, list });
  return list;
}
