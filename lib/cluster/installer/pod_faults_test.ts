import assert from "node:assert/strict";
import { type ObjectEvent, podFault, type WaitingPod } from "./pod_faults.ts";
import { workloadState } from "./workload_state.ts";

const METADATA = { name: "meshd-1", namespace: "mesh-system", uid: "u1" };

function pod(status: WaitingPod["status"]): WaitingPod {
  const containers = [{ name: "discovery", image: "hub.example/pilot:none" }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: METADATA,
    spec: { containers },
    status: status!,
  };
}

function event(reason: string, message: string, lastTimestamp: string, uid = "u1"): ObjectEvent {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: message },
    ...{ reason, message, lastTimestamp, involvedObject: { kind: "Pod", uid } },
  };
}

function waiting(reason: string, message?: string): WaitingPod {
  const state = { waiting: { reason, ...message === undefined ? {} : { message } } };
  return pod({ containerStatuses: [{ name: "discovery", state }] });
}

Deno.test("an image that cannot be pulled is named with the newest event about it", () => {
  const events = [
    event(
      "Failed",
      'Failed to pull image "hub.example/pilot:none": not found',
      "2026-01-01T00:00:02Z",
    ),
    event("Failed", 'Failed to pull image "hub.example/pilot:none": old', "2026-01-01T00:00:01Z"),
    event("Failed", "Error: ImagePullBackOff", "2026-01-01T00:00:03Z"),
    event("Failed", 'pull "hub.example/pilot:none": of another', "2026-01-01T00:00:04Z", "u2"),
  ];
  assert.equal(
    podFault(waiting("ImagePullBackOff", "Back-off"), events),
    "the image hub.example/pilot:none of container discovery cannot be pulled: " +
      'Failed to pull image "hub.example/pilot:none": not found',
  );
  assert.match(podFault(waiting("ErrImageNeverPull", "not present"), []) ?? "", /not present$/);
});

Deno.test("a crash loop has the status of its end, and the command for its log", () => {
  const state = { waiting: { reason: "CrashLoopBackOff" } };
  const lastState = { terminated: { exitCode: 137, reason: "OOMKilled" } };
  const fault = podFault(
    pod({ containerStatuses: [{ name: "discovery", restartCount: 2, state, lastState }] }),
    [],
  );
  assert.equal(
    fault,
    "container discovery ends again and again with status 137 (OOMKilled); see kubectl logs -n " +
      "mesh-system meshd-1 -c discovery --previous",
  );
});

Deno.test("a pod that no node takes has the scheduler's reason", () => {
  const message = "0/1 nodes are available: 1 Insufficient memory.";
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
  assert.equal(podFault(pod({ conditions: [condition] }), []), `no node takes it: ${message}`);
});

Deno.test("a pod that waits for a volume has the event, one that starts has no fault", () => {
  const mount = event("FailedMount", 'secret "cacerts" not found', "2026-01-01T00:00:01Z");
  assert.equal(
    podFault(waiting("ContainerCreating"), [mount]),
    'FailedMount: secret "cacerts" not found',
  );
  assert.equal(podFault(waiting("ContainerCreating"), []), undefined);
  assert.equal(podFault(waiting("PodInitializing"), []), undefined);
});

Deno.test("a container that cannot be made says why", () => {
  const fault = podFault(waiting("CreateContainerConfigError", 'secret "x" not found'), []);
  assert.match(fault ?? "", /discovery cannot be made \(CreateContainerConfigError\): secret "x"/);
});

Deno.test("a Deployment is ready when all its pods are of the newest version and available", () => {
  const of = (status: Record<string, number>, generation = 1) =>
    workloadState("Deployment", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { ...METADATA, generation },
      ...{ spec: { replicas: 2 }, status: { observedGeneration: 1, ...status } },
    });
  const all = { replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
  assert.ok(of(all).isReady);
  assert.ok(!of(all, 2).isReady);
  assert.ok(!of({ ...all, replicas: 3 }).isReady);
  assert.equal(of({ ...all, replicas: 3 }).text, "2 of 2 pods ready, 1 of the old version");
  assert.ok(!of({ ...all, availableReplicas: 1 }).isReady);
  assert.ok(!workloadState("Deployment", undefined).isReady);
});

Deno.test("pods that a quota refuses are a fault of their Deployment", () => {
  const message = 'pods "meshd-1" is forbidden: exceeded quota: none';
  const { isReady, fault } = workloadState("Deployment", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: METADATA,
    status: { conditions: [{ type: "ReplicaFailure", status: "True", message }] },
  });
  assert.deepEqual([isReady, fault], [false, `its pods are refused: ${message}`]);
});

Deno.test("a DaemonSet is ready on all nodes that it wants, and without nodes", () => {
  const of = (status: Record<string, number>) =>
    workloadState("DaemonSet", {
      ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: METADATA, status },
    });
  assert.ok(
    of({ desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 }).isReady,
  );
  assert.ok(!of({ desiredNumberScheduled: 2, updatedNumberScheduled: 2 }).isReady);
  assert.ok(of({}).isReady);
});
