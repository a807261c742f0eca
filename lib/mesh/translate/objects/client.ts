/**
 * Bindings of clients that are no proxies: configuration clients see objects, others see nothing.
 *
 * @module
 */
import type { Graph } from "../../graph/mod.ts";
import type { ProxyBinding, ProxyNode } from "../../model/mod.ts";
import { bindToLayers } from "../resources/mod.ts";
import type { ObjectLayers } from "./layers.ts";

/** Binds a client with a generator; see `BindingSource.bind`. */
export function bindClient(
  graph: Graph,
  layersOf: ObjectLayers,
  generator: NonNullable<ProxyNode["generator"]>,
): ProxyBinding {
  return bindToLayers(graph, generator, (typeUrl) => {
    const collection = generator === "api" ? layersOf(typeUrl) : undefined;
    return collection && [collection];
  });
}
