/**
 * Settings of the host's resolver.
 *
 * @module
 */
export { parseResolvConf, readResolvConf, type ResolvConf } from "./resolv_conf.ts";
