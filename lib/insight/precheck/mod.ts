/**
 * The check whether a cluster is fit for an installation or an upgrade.
 *
 * @module
 */
export { clusterFaults, precheck } from "./precheck.ts";
export { ORCHESTRATORS } from "./support.ts";
