/**
 * Injection of the proxy into pods: the decision, templates, the merge over the user's pod, probes,
 * metrics, status. Pure.
 *
 * @module
 */
export {
  decide,
  type DecisionRule,
  type DecisionRules,
  EXCLUDED_NAMESPACES,
  INJECT_LABEL,
  type InjectionDecision,
} from "./decide.ts";
export { type PodLabels, webhookFor, type WebhookSelectors } from "./webhook_selection.ts";
export { type LabelSelector, matchesSelector } from "./selector.ts";
export {
  defaultInjectionConfig,
  type InjectionConfig,
  mergeValues,
  parseInjectionConfig,
} from "./config.ts";
export { pathVariables } from "./path_variables.ts";
export { valuesIn } from "./bounds.ts";
export { type InjectionInput, injectPod, templatesOf } from "./inject.ts";
export { DEFAULT_VALUES } from "./defaults/mod.ts";
export { isOpenshift } from "./openshift.ts";
export { type InjectedObject, injectObject, type RefusedObject } from "./workloads.ts";
export { strategicMerge } from "./merge.ts";
export { jsonPatch, type PatchOperation } from "./patch.ts";
export type { Container, EnvEntry, Json, Pod, PodMeta, PodSpec } from "./objects.ts";
export { type WorkloadMeta, workloadOf } from "./workload_meta.ts";
export { gatewayObjects, type ManagedGateway, waypointObjects } from "./managed_gateway.ts";
export { isInjected, STATUS } from "./status.ts";
