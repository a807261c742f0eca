/**
 * Bindings of node proxies. All see the same; on demand, each the addresses that it names.
 *
 * @module
 */
import { canonicalJson, MeshError } from "../../../kit/base/mod.ts";
import type { Graph } from "../../graph/mod.ts";
import type { ProxyBinding } from "../../model/mod.ts";
import { bindToLayers } from "../resources/mod.ts";
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
  return bindToLayers(graph, CLASS, layersOf);
}
