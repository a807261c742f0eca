/**
 * The used parts of the package. The module is loaded by {@linkcode loadLibrary} alone.
 *
 * @module
 */
export { Exec, KubeConfig } from "@kubernetes/client-node";
