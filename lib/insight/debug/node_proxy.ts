/**
 * The resources of node proxies.
 *
 * @module
 */
import { ANY_NODE_PROXY, type World } from "../explain/mod.ts";
import type { ProxyBinding } from "../../mesh/model/mod.ts";
import type { DebugInputs } from "./inputs.ts";

/** The bindings, made when they are first read: all node proxies see the same. */
const BOUND = new WeakMap<DebugInputs["mesh"], ProxyBinding>();

/** The resources of node proxies, by type URL; nothing while ambient mode is off. */
export function nodeProxyOf(
  { mesh, bind }: Pick<DebugInputs, "mesh" | "bind">,
): Pick<World, "nodeProxy"> {
  if (mesh.ambient === undefined || bind === undefined) return {};
  return {
    nodeProxy: (typeUrl) => {
      const bound = BOUND.get(mesh) ?? bind(ANY_NODE_PROXY);
      BOUND.set(mesh, bound);
      return bound.view(typeUrl);
    },
  };
}
