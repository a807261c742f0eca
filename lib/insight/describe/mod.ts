/**
 * Pods and services in words: by the objects of the cluster, and by what daemons serve.
 *
 * @module
 */
export { describePodCommand, describeServiceCommand } from "./describe.ts";
