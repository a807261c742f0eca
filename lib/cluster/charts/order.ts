import type { ChartObject } from "./types.ts";

/** Kinds in the order in which Helm installs them; others follow by name. */
const ORDER: readonly string[] = [
  "PriorityClass",
  "Namespace",
  "NetworkPolicy",
  "ResourceQuota",
  "LimitRange",
  "PodSecurityPolicy",
  "PodDisruptionBudget",
  "ServiceAccount",
  "Secret",
  "SecretList",
  "ConfigMap",
  "StorageClass",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "CustomResourceDefinition",
  "ClusterRole",
  "ClusterRoleList",
  "ClusterRoleBinding",
  "ClusterRoleBindingList",
  "Role",
  "RoleList",
  "RoleBinding",
  "RoleBindingList",
  "Service",
  "DaemonSet",
  "Pod",
  "ReplicationController",
  "ReplicaSet",
  "Deployment",
  "HorizontalPodAutoscaler",
  "StatefulSet",
  "Job",
  "CronJob",
  "IngressClass",
  "Ingress",
  "APIService",
];

const POSITION: ReadonlyMap<string, number> = new Map(ORDER.map((kind, at) => [kind, at]));

/** Objects in the order of installation. Objects of one kind stay in the order of their templates. */
export function inInstallOrder(objects: readonly ChartObject[]): ChartObject[] {
  const positionOf = ({ object }: ChartObject) => POSITION.get(object.kind) ?? ORDER.length;
  return objects.toSorted((a, b) => {
    const difference = positionOf(a) - positionOf(b);
    if (difference !== 0 || positionOf(a) < ORDER.length) return difference;
    return a.object.kind < b.object.kind ? -1 : a.object.kind > b.object.kind ? 1 : 0;
  });
}
