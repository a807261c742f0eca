/**
 * Metrics of the webhooks. Names are those that dashboards of the field expect.
 *
 * @module
 */
import { type Counter, counter, type Histogram, histogram } from "../../kit/metrics/mod.ts";

const one = (name: string, help: string): Counter => counter({ name, help });

export const injectionRequests: Counter = one(
  "sidecar_injection_requests_total",
  "Requests for injection.",
);
export const injectionSuccesses: Counter = one(
  "sidecar_injection_success_total",
  "Pods that got a proxy.",
);
export const injectionFailures: Counter = one(
  "sidecar_injection_failure_total",
  "Requests for injection that failed.",
);
export const injectionSkips: Counter = one(
  "sidecar_injection_skip_total",
  "Pods that the rules leave without a proxy.",
);
export const injectionSeconds: Histogram = histogram({
  name: "sidecar_injection_time_seconds",
  help: "Time of an injection, in seconds.",
  buckets: [.1, 1, 3, 5, 10, 20, 30, 60],
});

export const refusedRequests: Counter = counter({
  name: "mesh_webhook_refused_requests_total",
  help: "Connections and requests that the webhook listener refused or closed, by reason.",
  labels: ["reason"],
});

const RESOURCE = ["group", "version", "resource"];
export const validationPasses: Counter = counter({
  name: "galley_validation_passed",
  help: "Objects that the validation webhook accepted.",
  labels: RESOURCE,
});
export const validationFailures: Counter = counter({
  name: "galley_validation_failed",
  help: "Objects that the validation webhook refused, by reason.",
  labels: [...RESOURCE, "reason"],
});
export const validationHttpErrors: Counter = counter({
  name: "galley_validation_http_error",
  help: "Requests of the validation webhook that were no admission reviews, by status.",
  labels: ["status"],
});
export const validationUpdates: Counter = one(
  "galley_validation_config_updates",
  "Changes that the daemon made to validating webhook configurations.",
);
export const validationUpdateErrors: Counter = counter({
  name: "galley_validation_config_update_error",
  help: "Changes of validating webhook configurations that failed, by reason.",
  labels: ["reason"],
});
export const validationLoadErrors: Counter = counter({
  name: "galley_validation_config_load_error",
  help: "Failures to read validating webhook configurations, by reason.",
  labels: ["reason"],
});

export const patchAttempts: Counter = counter({
  name: "webhook_patch_attempts_total",
  help: "Changes that the daemon tried to make to mutating webhook configurations, by their name.",
  labels: ["name"],
});
export const patchRetries: Counter = counter({
  name: "webhook_patch_retries_total",
  help: "Repeated attempts to change mutating webhook configurations, by their name.",
  labels: ["name"],
});
export const patchFailures: Counter = counter({
  name: "webhook_patch_failures_total",
  help: "Failed changes of mutating webhook configurations, by their name and the reason.",
  labels: ["name", "reason"],
});
