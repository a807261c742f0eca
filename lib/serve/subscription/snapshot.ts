/**
 * What clients hold who fell behind. As a rule the logs of collections tell what a client was sent
 * earlier; but logs are bounded, and a client that does not read may stay behind for longer than they
 * reach. What such a client holds is kept then, shared by all who hold the same.
 *
 * @module
 */
import type { Delta, Resource, View } from "../../graph/mod.ts";
import { contentOf } from "./view_content.ts";

/** What stood in a view at a revision; emptied when too much is kept. */
export interface ViewSnapshot {
  readonly view: View;
  readonly at: number;
  content: readonly Resource[] | undefined;
}

/** What is kept for the clients of a server. */
export interface SnapshotStore {
  /** What a view showed as of a revision; `undefined` when that is not known any more. */
  keep(view: View, at: number): ViewSnapshot | undefined;
  /** Lists kept. */
  readonly size: number;
}

/** Lists kept: kinds of proxies that fall behind at the same time, by the types they hold. */
const MOST = 64;

/** Nothing kept yet. What nobody refers to any more falls out as others come. */
export function snapshots(): SnapshotStore {
  /** The one asked for longest ago first. */
  const all = new Set<ViewSnapshot>();
  return {
    keep(view, at) {
      let kept = all.values().find((one) => one.view === view && one.at === at);
      if (!kept) {
        const content = contentAt(view, at);
        if (!content) return undefined;
        kept = { view, at, content };
      }
      all.delete(kept);
      all.add(kept);
      if (all.size > MOST) {
        const [oldest] = all;
        all.delete(oldest!);
        oldest!.content = undefined;
      }
      return kept;
    },
    get size() {
      return all.size;
    },
  };
}

/** What a view showed as of a revision, as far as its logs reach. */
function contentAt(view: View, at: number): readonly Resource[] | undefined {
  if (view.changedAt <= at) return contentOf(view);
  const names = new Set(view.names());
  for (const layer of view.layers) {
    const entries = layer.since(at);
    if (!entries) return undefined;
    for (const { name } of entries) names.add(name);
  }
  const content: Resource[] = [];
  for (const name of names) {
    const resource = view.at(at, name);
    if (resource) content.push(resource);
  }
  return content;
}

/** Whether the logs still tell what a view showed as of a revision. */
export function logReaches(view: View, at: number): boolean {
  // Of a name that nothing has, every layer is asked.
  return view.at(at, "") !== null;
}

/** What changes for who holds some resources and is to hold those of a view. */
export function diffFromSnapshot(held: readonly Resource[], view: View | undefined): Delta {
  const before = new Map(held.map((resource) => [resource.name, resource]));
  const changed: Resource[] = [];
  for (const resource of view ? contentOf(view) : []) {
    if (before.get(resource.name)?.version !== resource.version) changed.push(resource);
    before.delete(resource.name);
  }
  return { changed, removed: [...before.keys()] };
}
