/**
 * Scenes for the fields of DataproxyFilter and WasmPlugin: with a second object of the kind, so
 * that order shows.
 *
 * @module
 */
import type { FieldValues } from "./fields.ts";
import type { Scene } from "./observe.ts";

/** Additional background objects. */
export const EXTENSION_BACKGROUND: string = `apiVersion: networking.mesh.io/v1alpha3
kind: DataproxyFilter
metadata: {name: other, namespace: one}
spec:
  priority: 3
  configPatches:
  - {applyTo: CLUSTER, match: {cluster: {service: b.example}}, patch: {operation: MERGE, value: {lbPolicy: RANDOM}}}
---
apiVersion: extensions.mesh.io/v1alpha1
kind: WasmPlugin
metadata: {name: other, namespace: one}
spec: {url: "file:///other.wasm", priority: 3}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: turned, namespace: one}
spec: {hosts: [b.example], http: [{redirect: {uri: /x}}]}
`;

const METADATA = { metadata: { filterMetadata: { probe: { a: 1 } } } };

function one(applyTo: string, operation: string, value?: object, match?: object): object {
  const patch = { operation, ...(value && { value }) };
  return { configPatches: [{ applyTo, ...(match && { match }), patch }] };
}

/** A gateway that a watcher is. */
const ROUTER = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" };

/** Values of its fields that mean another, or none. */
const ELSEWHERE = { group: ROUTER.group, kind: "Other", name: "other", namespace: "two" };

const TARGETS = Object.fromEntries(
  ["targetRef", "targetRefs[]"].flatMap((at) =>
    Object.entries(ELSEWHERE).map(([field, value]) => [`${at}.${field}`, value])
  ),
);

const LUA = "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua";

const PATCHES: Readonly<Record<string, object>> = {
  "": one("CLUSTER", "MERGE", { lbPolicy: "RING_HASH" }),
  "targetRefs": { ...one("CLUSTER", "MERGE", METADATA), targetRefs: [ROUTER] },
  "configPatches[].applyTo": one("CLUSTER", "MERGE", METADATA),
  "configPatches[].applyTo=CLUSTER": one("LISTENER", "MERGE", METADATA),
  ...Object.fromEntries(
    ["NETWORK_FILTER", "HTTP_FILTER", "LISTENER_FILTER"].map((applyTo) => [
      `configPatches[].applyTo=${applyTo}`,
      one("CLUSTER", "MERGE", { name: "probe" }),
    ]),
  ),
  "configPatches[].applyTo=EXTENSION_CONFIG": one("CLUSTER", "ADD", { name: "probe" }),
  "configPatches[].match.listener": one("LISTENER", "MERGE", METADATA),
  "configPatches[].match.listener.filterChain": one("FILTER_CHAIN", "MERGE", METADATA),
  "configPatches[].match.routeConfiguration": one("HTTP_ROUTE", "MERGE", METADATA),
  "configPatches[].patch.operation": one("CLUSTER", "MERGE", {
    name: "probe",
    circuitBreakers: { thresholds: [{ maxConnections: 3 }] },
  }),
  "configPatches[].patch.operation=MERGE": one("CLUSTER", "REMOVE", METADATA),
  "configPatches[].patch.operation=MERGE_AND_REPLACE_LIST": one("CLUSTER", "MERGE", {
    circuitBreakers: { thresholds: [{ maxConnections: 3 }] },
  }),
  "configPatches[].patch.filterClass": one("HTTP_FILTER", "ADD", {
    name: "lua",
    typedConfig: { "@type": LUA },
  }),
};

const PLUGINS: Readonly<Record<string, object>> = {
  "": { url: "file:///probe.wasm" },
  "targetRef": { url: "file:///probe.wasm", targetRef: ROUTER },
  "targetRefs": { url: "file:///probe.wasm", targetRefs: [ROUTER] },
  "vmConfig.env[]": { url: "file:///probe.wasm", vmConfig: { env: [{ name: "v" }] } },
  "sha256": { url: "http://modules.example/a.wasm", sha256: "a".repeat(64) },
};

/** A specification for labels that begin so; the longest wins. */
function byPrefix(specs: Readonly<Record<string, object>>): Scene["specOf"] {
  const prefixes = Object.keys(specs).sort((a, b) => b.length - a.length);
  return (label) => specs[prefixes.find((prefix) => label.startsWith(prefix)) ?? ""];
}

export const EXTENSION_SCENES: Readonly<Record<string, Scene & FieldValues>> = {
  DataproxyFilter: {
    kind: "DataproxyFilter",
    apiVersion: "networking.mesh.io/v1alpha3",
    namespace: "one",
    specOf: byPrefix(PATCHES),
    values: { "workloadSelector.labels.app": "client", ...TARGETS },
    keys: { "workloadSelector.labels": "app" },
  },
  WasmPlugin: {
    kind: "WasmPlugin",
    apiVersion: "extensions.mesh.io/v1alpha1",
    namespace: "one",
    specOf: byPrefix(PLUGINS),
    values: {
      ...TARGETS,
      "url": "file:///other.wasm",
      "sha256": "b".repeat(64),
      "selector.matchLabels.app": "client",
    },
    keys: { "selector.matchLabels": "app" },
  },
};
