/**
 * Ambient mode on a node: which pods are in it (`enrolment.ts`), the rules in their network namespaces
 * (`plan.ts`, `pod_rules.ts`) and in that of the node (`host_rules.ts`), the node proxies that serve them
 * (`proxies`), and the way of a pod into it and out of it (`member.ts`, `members.ts`).
 *
 * @module
 */
export {
  type AmbientAgent,
  type AmbientOptions,
  type AmbientSettings,
  startAmbient,
} from "./agent.ts";
export { type HostRules, hostRules, type ProbedPod } from "./host_rules.ts";
export { type PodRules, podRules } from "./pod_rules.ts";
export { NodeProxies, type NodeProxiesOptions } from "./proxies/proxies.ts";
