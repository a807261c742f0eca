/**
 * The meaning of the network plugin and of the node proxy of an installation for the values of others.
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

/** Values with which the daemon signs certificates for the pods of node proxies, if the document installs them. */
export function withNodeProxy(values: Tree, root: Tree, meshNamespace: string): Tree {
  const component = ["spec", "components", "ztunnel"];
  const path = ["pilot", "trustedZtunnelNamespace"];
  if (valueAt(root, [...component, "enabled"]) !== true || !isEmpty(valueAt(values, path))) {
    return values;
  }
  const namespace = valueAt(root, [...component, "namespace"]);
  return withValue(values, path, isEmpty(namespace) ? meshNamespace : namespace);
}
