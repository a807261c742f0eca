/**
 * The orchestrator as a source: custom resources and namespaces.
 *
 * @module
 */
export {
  type FollowedResource,
  followObjects,
  type OrchestratorObjects,
  type OrchestratorOptions,
} from "./config_objects.ts";
