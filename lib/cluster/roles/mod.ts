/**
 * The rights that a daemon and the network plugin need in clusters, as objects of the orchestrator.
 *
 * @module
 */
export {
  daemonRoles,
  defaultRoleOptions,
  READER_ACCOUNT,
  readerRoles,
  type RoleOptions,
} from "./roles.ts";
export type { AccountOptions, RoleObject, RoleRule } from "./objects.ts";
export { defaultPluginRoleOptions, type PluginRoleOptions, pluginRoles } from "./plugin_roles.ts";
