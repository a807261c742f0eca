/**
 * Registry of the streams that follow each collection, so that a publication visits only the
 * affected streams.
 *
 * @module
 */
import type { Collection, View } from "../../graph/mod.ts";

/** Streams by what they look at. */
export interface Registry<S> {
  /** A stream begins to look at a view, with one of its types. */
  look(stream: S, view: View): void;
  /** Undoes one `look`. */
  leave(stream: S, view: View): void;
  /** Streams that look at a view. */
  streams(view: View): Iterable<S>;
  /** Views over any of the collections, with the streams that look at each. */
  concerned(changed: ReadonlySet<Collection>): Map<View, readonly S[]>;
  /** Number of registered views, for tests. */
  readonly views: number;
}

/** Creates an empty registry. It retains the registered collections, so they are not evicted. */
export function registry<S>(): Registry<S> {
  const subscribers = new Map<View, Map<S, number>>();
  const viewsOf = new Map<Collection, Set<View>>();

  const open = (view: View): Map<S, number> => {
    const streams = new Map<S, number>();
    subscribers.set(view, streams);
    for (const layer of view.layers) {
      layer.retain();
      const views = viewsOf.get(layer);
      if (views) views.add(view);
      else viewsOf.set(layer, new Set([view]));
    }
    return streams;
  };

  const close = (view: View): void => {
    subscribers.delete(view);
    for (const layer of view.layers) {
      layer.release();
      const views = viewsOf.get(layer);
      views?.delete(view);
      if (views?.size === 0) viewsOf.delete(layer);
    }
  };

  return {
    look(stream, view) {
      const streams = subscribers.get(view) ?? open(view);
      streams.set(stream, (streams.get(stream) ?? 0) + 1);
    },
    leave(stream, view) {
      const streams = subscribers.get(view);
      const count = streams?.get(stream);
      if (!streams || !count) return;
      if (count > 1) streams.set(stream, count - 1);
      else streams.delete(stream);
      if (streams.size === 0) close(view);
    },
    streams: (view) => subscribers.get(view)?.keys() ?? [],
    concerned(changed) {
      const found = new Map<View, readonly S[]>();
      for (const collection of changed) {
        for (const view of viewsOf.get(collection) ?? []) {
          if (!found.has(view)) found.set(view, [...subscribers.get(view)!.keys()]);
        }
      }
      return found;
    },
    get views() {
      return subscribers.size;
    },
  };
}
