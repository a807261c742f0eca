/**
 * Fields that act, of what changes or watches proxies.
 *
 * @module
 */

import type { Acting } from "./types.ts";

/** By kind. */
export const EXTENSIONS: Readonly<Record<string, Acting>> = {
  DataproxyFilter: {
    paths: [
      "workloadSelector",
      "targetRefs",
      "priority",
      "configPatches[].applyTo",
      "configPatches[].patch",
      ...[
        "context",
        "proxy",
        "routeConfiguration",
        "cluster",
        "listener.portNumber",
        "listener.filterChain",
        "listener.listenerFilter",
        "listener.name",
      ].map((field) => `configPatches[].match.${field}`),
    ],
    inertValues: {
      "configPatches[].applyTo": ["BOOTSTRAP"],
      "configPatches[].match.context": ["WAYPOINT"],
    },
  },
  Telemetry: {
    paths: [
      "selector",
      "targetRef",
      "targetRefs",
      "accessLogging",
      "metrics[].providers",
      "metrics[].overrides",
      ...[
        "match",
        "providers",
        "randomSamplingPercentage",
        "disableSpanReporting",
        "customTags",
        "useRequestIdForTraceSampling",
        "enableMeshTags",
        "disableContextPropagation",
      ].map((field) => `tracing[].${field}`),
    ],
    inertValues: {
      "metrics[].overrides[].match.metric": ["GRPC_REQUEST_MESSAGES", "GRPC_RESPONSE_MESSAGES"],
    },
  },
  WasmPlugin: {
    paths: [
      "selector",
      "targetRef",
      "targetRefs",
      "url",
      "sha256",
      "pluginConfig",
      "pluginName",
      "phase",
      "priority",
      "failStrategy",
      "vmConfig",
      "match",
      "type",
    ],
  },
};
