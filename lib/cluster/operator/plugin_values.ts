/**
 * The meaning of the network plugin of an installation for the values of others.
 *
 * @module
 */
import { isEmpty, type Tree, valueAt, withValue } from "./tree.ts";

const VALUES = ["pilot", "cni"];
const COMPONENT = ["spec", "components", "cni"];

/**
 * Values with which injection leaves the traffic of pods to the plugin, and the daemon finds its pods, if
 * the document installs it and says nothing else.
 */
export function withPlugin(values: Tree, root: Tree): Tree {
  if (valueAt(root, [...COMPONENT, "enabled"]) !== true) return values;
  const namespace = valueAt(root, [...COMPONENT, "namespace"]);
  const meant = { enabled: true, ...isEmpty(namespace) ? {} : { namespace } };
  return Object.entries(meant).reduce((at, [name, value]) => {
    const path = [...VALUES, name];
    return isEmpty(valueAt(at, path)) ? withValue(at, path, value) : at;
  }, values);
}
