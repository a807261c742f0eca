/**
 * Bindings of clients whose views do not change with their properties.
 *
 * @module
 */
import type { Collection, Graph, View } from "../../graph/mod.ts";
import type { ProxyBinding } from "../../model/mod.ts";

/**
 * Binds a client to layers of collections; see `BindingSource.bind`. They are retained until the
 * binding is closed.
 *
 * @param layersOf the layers of a type; undefined: the client is not served the type
 */
export function bindToLayers(
  graph: Graph,
  classKey: string,
  layersOf: (typeUrl: string) => readonly Collection[] | undefined,
): ProxyBinding {
  const views = new Map<string, View>();
  const retained: Collection[] = [];
  let isClosed = false;
  return {
    classKey,
    view(typeUrl) {
      const known = views.get(typeUrl);
      if (known !== undefined || isClosed) return known;
      const layers = layersOf(typeUrl);
      if (layers === undefined) return undefined;
      for (const layer of layers) layer.retain();
      retained.push(...layers);
      const view = graph.view(layers);
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
