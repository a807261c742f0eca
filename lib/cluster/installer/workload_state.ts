/**
 * The state of workloads: ready or not, and why not. Pure.
 *
 * @module
 */
import type { OrchObject } from "../../kit/orch/mod.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A Deployment, DaemonSet or StatefulSet with the fields that are read. */
export interface Workload extends OrchObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly desiredNumberScheduled?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
  };
}

/** The progress of a workload. */
export interface WorkloadState {
  readonly isReady: boolean;
  /** Such as `1 of 2 pods ready`. */
  readonly text: string;
  /** The reason why its pods are not made. */
  readonly fault?: string;
}

/** The state of a workload of a kind. */
export function workloadState(kind: string, workload: Workload | undefined): WorkloadState {
  if (workload === undefined) return { isReady: false, text: "not there" };
  const { metadata: { generation = 0 }, status = {} } = workload;
  const fault = faultOf(status.conditions ?? []);
  const more = fault === undefined ? {} : { fault };
  if ((status.observedGeneration ?? 0) < generation) {
    return { isReady: false, text: "not looked at by its controller yet", ...more };
  }
  const { wanted, updated, available, all } = countsOf(kind, workload);
  const isReady = updated >= wanted && available >= wanted && all <= wanted;
  const old = all > updated ? `, ${all - updated} of the old version` : "";
  const text = `${Math.min(updated, available)} of ${wanted} ${
    wanted === 1 ? "pod" : "pods"
  } ready${old}`;
  return { isReady, text, ...more };
}

function countsOf(kind: string, { spec, status = {} }: Workload) {
  if (kind === "DaemonSet") {
    const wanted = status.desiredNumberScheduled ?? 0;
    const updated = status.updatedNumberScheduled ?? 0;
    return { wanted, updated, available: status.numberAvailable ?? 0, all: wanted };
  }
  return {
    wanted: spec?.replicas ?? 1,
    updated: status.updatedReplicas ?? 0,
    available: status.availableReplicas ?? 0,
    all: status.replicas ?? 0,
  };
}

/** Pods that are refused, for example by a quota; a rollout that makes no progress. */
function faultOf(conditions: readonly Condition[]): string | undefined {
  const failed = conditions.find(({ type, status }) =>
    type === "ReplicaFailure" && status === "True"
  );
  if (failed !== undefined) return `its pods are refused: ${failed.message ?? failed.reason}`;
  const stuck = conditions.find(({ type, reason }) =>
    type === "Progressing" && reason === "ProgressDeadlineExceeded"
  );
  return stuck && `no progress: ${stuck.message ?? stuck.reason}`;
}
