/**
 * The meaning of the network plugin of an installation for the values of others.
 *
 * @module
 */
import { type Tree, valueAt, withValue } from "./tree.ts";

const ENABLED = ["pilot", "cni", "enabled"];

/** Values with which injection leaves the traffic of pods to the plugin, if the document installs it and says nothing else. */
export function withPlugin(values: Tree, root: Tree): Tree {
  const isInstalled = valueAt(root, ["spec", "components", "cni", "enabled"]) === true;
  const isSaid = typeof valueAt(values, ENABLED) === "boolean";
  return isInstalled && !isSaid ? withValue(values, ENABLED, true) : values;
}
