/**
 * Connected proxies: their class from the node metadata, their class binding, and the views that
 * they are bound to.
 *
 * @module
 */
export { type BindingTables, bindProxy } from "./binding.ts";
export { deriveClassBindings, deriveClasses } from "./class_bindings.ts";
export { asksOnDemand, wholeNode, type WorkloadClass, workloadClasses } from "./on_demand.ts";
export { MOST_NAMES, type ProxyFeatures } from "./features.ts";
