/**
 * The cluster that a command names by its flags: access to the API server, pods by name, ports and
 * containers of pods, and names for completion.
 *
 * @module
 */
export { type ClusterAccess, clusterAccess, namesCluster, openCluster } from "./access.ts";
export { allPodNames, contextNames, namespaceNames, podNames, serviceNames } from "./candidates.ts";
export { firstOutput, NETWORK_COMMANDS, runInContainer } from "./container_commands.ts";
export { type DashboardPage, showDashboard } from "./dashboard.ts";
export { forwardTo, withPodPort } from "./forward.ts";
export { warnOrchestratorFlags } from "./orchestrator_flags.ts";
export {
  hasProxy,
  isRunning,
  type Pod,
  podId,
  podNamed,
  podsOf,
  PROXY_CONTAINER,
  selectedPods,
  selectorText,
  targetName,
} from "./pods.ts";
