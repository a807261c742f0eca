/**
 * Bindings of clients that are no proxies: configuration clients see objects, others see nothing.
 *
 * @module
 */
import type { Collection, Graph, View } from "../../graph/mod.ts";
import type { ProxyBinding, ProxyNode } from "../../model/mod.ts";
import type { ObjectLayers } from "./layers.ts";

/** Binds a client with a generator; see `BindingSource.bind`. */
export function bindClient(
  graph: Graph,
  layersOf: ObjectLayers,
  generator: NonNullable<ProxyNode["generator"]>,
): ProxyBinding {
  const views = new Map<string, View>();
  const retained: Collection[] = [];
  let isClosed = false;
  return {
    classKey: generator,
    view(typeUrl) {
      const known = views.get(typeUrl);
      if (known !== undefined || isClosed || generator !== "api") return known;
      const collection = layersOf(typeUrl);
      if (collection === undefined) return undefined;
      collection.retain();
      retained.push(collection);
      const view = graph.view([collection]);
      views.set(typeUrl, view);
      return view;
    },
    close() {
      isClosed = true;
      views.clear();
      for (const collection of retained) collection.release();
    },
  };
}
