/**
 * Pods in a form in which equal ones are equal: what the orchestrator's API treats alike is alike.
 *
 * @module
 */

type Json = Record<string, unknown>;

/** Lists whose elements have a name, and no order that matters. */
const NAMED: ReadonlySet<string> = new Set(["env", "volumes", "volumeMounts", "imagePullSecrets"]);

/** Annotations and variables with JSON. */
const JSON_TEXTS: ReadonlySet<string> = new Set([
  "sidecar.mesh.io/status",
  "proxy.mesh.io/overrides",
  "PROXY_CONFIG",
  "MESH_META_POD_PORTS",
  "MESH_ORCH_APP_PROBERS",
  "MESH_METRICS_ANNOTATIONS",
]);

/** Names of the defaults that renaming the corpus changed in one place and not in another. */
const MASKED: ReadonlySet<string> = new Set(["MESH_META_CLUSTER_ID"]);

/** Drops defaults, sorts keys and named lists, writes quantities alike, parses JSON in texts. */
export function normalised(value: unknown, name: string = ""): unknown {
  if (Array.isArray(value)) {
    const list = value.map((one) => normalised(one, name));
    if (!NAMED.has(name)) return list;
    return list.sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  }
  if (typeof value === "string") return textOf(value, name);
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Json;
  const parent = typeof fields.name === "string" ? fields.name : "";
  const entries = Object.entries(fields).map(([key, one]): [string, unknown] => [
    key,
    normalised(one, key === "value" ? parent : key),
  ]);
  return Object.fromEntries(
    entries.filter(([key, one]) => !isDefault(key, one)).sort(([a], [b]) => a < b ? -1 : 1),
  );
}

function isDefault(key: string, value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === 0) return true;
  if (key === "divisor" && value === "0" || key === "protocol" && value === "TCP") return true;
  if (["readOnly", "paused", "test"].includes(key) && value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function textOf(text: string, name: string): unknown {
  if (MASKED.has(name)) return "masked";
  if (JSON_TEXTS.has(name)) {
    const parsed = normalised(JSON.parse(text)) as Json;
    if (name !== "sidecar.mesh.io/status") return parsed;
    return Object.fromEntries(
      Object.entries(parsed).map(([key, one]) => [key, Array.isArray(one) ? one.toSorted() : one]),
    );
  }
  // The API server refuses names of ports with more than 15 characters.
  if (text === "http-dataproxy-prom") return "http-proxy-prom";
  if (name === "MESH_NAMESPACE") return text.trim();
  if (name === "cpu" && text.endsWith("000m")) return text.slice(0, -4);
  if (name === "memory" && text === "1024Mi") return "1Gi";
  return text;
}
