/**
 * Bindings of node proxies. All see the same; on demand, each the addresses that it names.
 *
 * @module
 */
import { canonicalJson, MeshError } from "../../../kit/base/mod.ts";
import type { Collection, Graph, View } from "../../graph/mod.ts";
import type { ProxyBinding } from "../../model/mod.ts";
import type { AmbientLayers } from "./layers.ts";

/** The class of all node proxies, in the form of the classes of other proxies. */
const CLASS = canonicalJson({
  role: "ztunnel",
  namespace: "",
  labels: {},
  options: {},
  targets: [],
});

/** Binds a node proxy; see `BindingSource.bind`. Throws `MeshError` where ambient mode is off. */
export function bindNodeProxy(graph: Graph, layersOf: AmbientLayers | undefined): ProxyBinding {
  if (layersOf === undefined) {
    throw new MeshError("node-proxies-not-served", "node proxies are not served", {
      remedy: "set PILOT_ENABLE_AMBIENT=true at the daemon",
    });
  }
  const views = new Map<string, View>();
  const retained: Collection[] = [];
  let isClosed = false;
  return {
    classKey: CLASS,
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
