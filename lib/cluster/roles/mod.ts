/**
 * The rights that a daemon needs in clusters, as objects of the orchestrator.
 *
 * @module
 */
export {
  daemonRoles,
  defaultRoleOptions,
  READER_ACCOUNT,
  readerRoles,
  type RoleObject,
  type RoleOptions,
  type RoleRule,
} from "./roles.ts";
