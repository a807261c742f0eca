/**
 * The workload that a pod belongs to, as far as the pod shows it.
 *
 * @module
 */
import { labelsOf, type PodMeta } from "./objects.ts";

/** A workload: the controller of a pod, or the pod itself. */
export interface WorkloadMeta {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/** A Job of a CronJob has the time of its start, in minutes, in its name. */
const CRON_JOB = /^(.+)-\d{8,11}$/;

/** Controllers of ReplicaSets, by the label of pods with the hash in the name of the ReplicaSet. */
const HASHED = [
  ["pod-template-hash", { apiVersion: "apps/v1", kind: "Deployment" }],
  ["rollouts-pod-template-hash", { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout" }],
] as const;

/**
 * The workload of a pod. A ReplicaSet with the hash of a pod template stands for its Deployment or Rollout, a Job
 * with the name of a CronJob for that.
 *
 * @param meta metadata of a pod
 */
export function workloadOf(meta: PodMeta, namespace: string): WorkloadMeta {
  const owner = meta.ownerReferences?.find(({ controller }) => controller === true);
  const own = { apiVersion: "v1", kind: "Pod", name: podName(meta), namespace };
  if (owner === undefined) return own;
  const { apiVersion, kind, name } = owner;
  for (const [label, workload] of kind === "ReplicaSet" ? HASHED : []) {
    const hash = labelsOf({ metadata: meta })[label];
    if (!hash || !name.endsWith(`-${hash}`)) continue;
    return { ...workload, name: name.slice(0, -hash.length - 1), namespace };
  }
  if (kind === "ReplicationController" && labelsOf({ metadata: meta }).deploymentconfig) {
    const config = labelsOf({ metadata: meta }).deploymentconfig!;
    return {
      apiVersion: "apps.openshift.io/v1",
      kind: "DeploymentConfig",
      name: config,
      namespace,
    };
  }
  const cron = kind === "Job" ? CRON_JOB.exec(name)?.[1] : undefined;
  if (cron !== undefined) return { apiVersion: "batch/v1", kind: "CronJob", name: cron, namespace };
  return { apiVersion, kind, name, namespace };
}

/** A pod that the orchestrator names has only the beginning of its name yet. */
function podName({ name, generateName }: PodMeta): string {
  return name ?? (generateName ?? "").replace(/-$/, "");
}
