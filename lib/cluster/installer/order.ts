/**
 * The order in which objects are applied and deleted. Pure.
 *
 * @module
 */
import type { OrchObject } from "../../kit/orch/mod.ts";

/** A kind with the version of its API. */
export interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

const RBAC = "rbac.authorization.k8s.io/v1";
const ADMISSION = "admissionregistration.k8s.io/v1";

/** Kinds of installations by stage: those of a stage may be applied beside each other. */
const STAGES: readonly (readonly (readonly [apiVersion: string, kind: string])[])[] = [
  [["v1", "Namespace"]],
  [["apiextensions.k8s.io/v1", "CustomResourceDefinition"]],
  [["v1", "ServiceAccount"], ["v1", "ResourceQuota"], ["v1", "LimitRange"]],
  [[RBAC, "ClusterRole"], [RBAC, "Role"]],
  [[RBAC, "ClusterRoleBinding"], [RBAC, "RoleBinding"]],
  [["v1", "Secret"], ["v1", "ConfigMap"], ["networking.k8s.io/v1", "NetworkPolicy"]],
  [["v1", "Service"], ["policy/v1", "PodDisruptionBudget"]],
  [["apps/v1", "Deployment"], ["apps/v1", "DaemonSet"], ["apps/v1", "StatefulSet"], [
    "batch/v1",
    "Job",
  ]],
  [["autoscaling/v2", "HorizontalPodAutoscaler"]],
];

/** Further kinds, such as custom resources: after workloads. */
const OTHERS = STAGES.length;
/** Webhooks of the API server come last: what they call must be there. */
const LAST: readonly (readonly [string, string])[] = [
  [ADMISSION, "ValidatingWebhookConfiguration"],
  [ADMISSION, "MutatingWebhookConfiguration"],
];

/** The kinds that installations are made of, in the order of their stages. */
export const INSTALLED_KINDS: readonly KindName[] = [...STAGES.flat(), ...LAST]
  .map(([apiVersion, kind]) => ({ apiVersion, kind }));

/** The number of an object's stage. */
export function stageOf({ apiVersion, kind }: KindName): number {
  const group = groupOf(apiVersion);
  const isIn = (kinds: readonly (readonly [string, string])[]): boolean =>
    kinds.some((one) => one[1] === kind && groupOf(one[0]) === group);
  if (isIn(LAST)) return OTHERS + 1;
  const at = STAGES.findIndex(isIn);
  return at < 0 ? OTHERS : at;
}

/** The group of an API version; empty for the core group. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.replace(/\/.*/, "") : "";
}

/** Objects in stages, in the order in which they are applied. */
export function inStages<T extends Pick<OrchObject, "apiVersion" | "kind">>(
  objects: readonly T[],
): T[][] {
  const stages = Map.groupBy(objects, stageOf);
  return [...stages].sort(([a], [b]) => a - b).map(([, stage]) => stage);
}
