/**
 * Environment variables that act in pure rooms. Those rooms read no environment: they are given
 * settings as plain data, which this room reads. One file for each room, or a folder of files.
 * `docs/environment.md` has the files in which each variable takes effect.
 *
 * @module
 */
export { readDebounceSettings } from "./ingest.ts";
export { readEvictionInterval, readKeep } from "./graph.ts";
export {
  AMBIENT_ENABLE_MULTI_NETWORK,
  PILOT_GATEWAY_API_CONTROLLER_NAME,
  PILOT_GATEWAY_API_DEFAULT_GATEWAYCLASS_NAME,
  readFeatures,
} from "./translate/mod.ts";
