/**
 * The orchestrator as a source: custom resources, namespaces, and Services with their endpoints.
 *
 * @module
 */
export {
  type FollowedResource,
  followObjects,
  type OrchestratorObjects,
  type OrchestratorOptions,
} from "./config_objects.ts";
