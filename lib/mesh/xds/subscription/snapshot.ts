/**
 * Stored content of slow clients. Normally the logs of collections have what a client was sent
 * earlier; but logs are bounded, and a client that does not read may fall behind further. Its
 * content is then stored, shared by all clients with the same content.
 *
 * @module
 */
import type { Delta, Resource, View } from "../../graph/mod.ts";
import { contentOf } from "./view_content.ts";

/** Content of a view at a revision; it is cleared when too much is stored. */
export interface ViewSnapshot {
  readonly view: View;
  readonly at: number;
  content: readonly Resource[] | undefined;
}

/** Stored content for the clients of a server. */
export interface SnapshotStore {
  /** Stores the content of a view at a revision; `undefined` if it is no longer known. */
  keep(view: View, at: number): ViewSnapshot | undefined;
  /** Number of stored lists. */
  readonly size: number;
}

/**
 * Maximum number of stored lists: classes of proxies that fall behind at the same time, times
 * types.
 */
const MOST = 64;

/** Creates an empty store. Unreferenced lists are removed when others are added. */
export function snapshots(): SnapshotStore {
  /** Least recently used first. */
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

/** Returns the content of a view at a revision, if its logs go back that far. */
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

/** Reports if the logs go back to a revision of a view. */
export function logReaches(view: View, at: number): boolean {
  // For a name that does not exist, every layer is checked.
  return view.at(at, "") !== null;
}

/** Returns the difference between stored resources and those of a view. */
export function diffFromSnapshot(held: readonly Resource[], view: View | undefined): Delta {
  const before = new Map(held.map((resource) => [resource.name, resource]));
  const changed: Resource[] = [];
  for (const resource of view ? contentOf(view) : []) {
    if (before.get(resource.name)?.version !== resource.version) changed.push(resource);
    before.delete(resource.name);
  }
  return { changed, removed: [...before.keys()] };
}
