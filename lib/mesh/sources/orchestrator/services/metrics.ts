/**
 * Metrics of the registry. Names are those that common dashboards expect.
 *
 * @module
 */
import { type Counter, counter, type Gauge, gauge } from "../../../../kit/metrics/mod.ts";
import type { Changes } from "../../../../kit/orch/mod.ts";

/** Events of the registry's objects. */
export const registryEvents: Counter = counter({
  name: "pilot_k8s_reg_events",
  help:
    "Changes of Services, EndpointSlices, Pods and Nodes of the orchestrator, by type and event (add, update, delete).",
  labels: ["type", "event"],
});

/** Events of custom resources. */
export const configEvents: Counter = counter({
  name: "pilot_k8s_cfg_events",
  help: "Changes of custom resources of the orchestrator, by type and event (add, update, delete).",
  labels: ["type", "event"],
});

/** Endpoints whose pod is not known. */
export const pendingPods: Gauge = gauge({
  name: "pilot_k8s_endpoints_pending_pod",
  help: "Endpoints of EndpointSlices that name a pod which is not known yet.",
});

/** The same number under the name of older dashboards. */
export const podless: Gauge = gauge({
  name: "endpoint_no_pod",
  help: "Endpoints of EndpointSlices whose pod is not known.",
});

/** Endpoints that are not ready. */
export const unreadyEndpoints: Gauge = gauge({
  name: "pilot_endpoint_not_ready",
  help: "Endpoints of Services that are not ready.",
});

/** Endpoints that were found without their pod. */
export const withoutPods: Counter = counter({
  name: "pilot_k8s_endpoints_with_no_pods",
  help: "Endpoints of EndpointSlices that named a pod which was not known.",
});

/** Counts the changes of one resource type as events. */
export function eventCounter<V>(
  events: Counter,
  type: string,
  keyOf: (value: V) => string,
): (changes: Changes<V>) => void {
  const known = new Set<string>();
  return ({ upserts, deletes }) => {
    for (const value of upserts) {
      const key = keyOf(value);
      events.inc({ type, event: known.has(key) ? "update" : "add" });
      known.add(key);
    }
    for (const { namespace, name } of deletes) {
      known.delete(`${namespace} ${name}`);
      events.inc({ type, event: "delete" });
    }
  };
}
