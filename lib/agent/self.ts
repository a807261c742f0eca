/**
 * What the proxy says of its own workload: variables of its environment, which the formats of
 * metrics and traces name. Listeners that many workloads share thus need not name any.
 *
 * @module
 */
import type { JsonObject, JsonValue } from "../proto/mod.ts";
import type { BootstrapNode } from "./node.ts";

const NAME = ["service.mesh.io/canonical-name", "app.kubernetes.io/name", "app"];
const REVISION = ["service.mesh.io/canonical-revision", "app.kubernetes.io/version", "version"];

/** What stands for something that is not known. */
const UNKNOWN = "unknown";

/** Sets parts of the label apart, and so stands in none of them. */
const SEPARATOR = ";";

/**
 * Variables `MESH_SELF_*`. `MESH_SELF_LABEL` is what peers receive:
 * `workload;namespace;canonical service;canonical revision;cluster;app;version`.
 * The tracer reads its service's name from `OTEL_RESOURCE_ATTRIBUTES`; one that is given stays.
 *
 * @param given the agent's own environment
 */
export function selfEnvironment(
  { cluster, metadata }: BootstrapNode,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const labels = Object(metadata.LABELS) as JsonObject;
  const label = (...keys: string[]) => keys.map((key) => text(labels[key])).find((one) => one);
  const workload = text(metadata.WORKLOAD_NAME) ?? workloadOf(text(metadata.NAME)) ?? UNKNOWN;
  const own = {
    WORKLOAD: workload,
    NAMESPACE: text(metadata.NAMESPACE) ?? UNKNOWN,
    SERVICE: label(...NAME) ?? workload,
    REVISION: label(...REVISION) ?? "latest",
    CLUSTER: text(metadata.CLUSTER_ID) ?? UNKNOWN,
    APP: label("app") ?? UNKNOWN,
    VERSION: label("version") ?? UNKNOWN,
  };
  const variables = Object.entries(own)
    .map(([name, value]) => [`MESH_SELF_${name}`, value.replaceAll(SEPARATOR, "_")] as const);
  return {
    ...Object.fromEntries(variables),
    MESH_SELF_LABEL: variables.map(([, value]) => value).join(SEPARATOR),
    MESH_SELF_MESH: text(metadata.MESH_ID) ?? UNKNOWN,
    ...(given.OTEL_RESOURCE_ATTRIBUTES ? {} : {
      OTEL_RESOURCE_ATTRIBUTES: `service.name=${encodeURIComponent(cluster)}`,
    }),
  };
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The orchestrator names instances after what made them: `shop-7d4b9c6f5-x2v8q`, `shop-0`. */
function workloadOf(name: string | undefined): string | undefined {
  return name?.replace(/-(?:[a-z0-9]{6,10}-[a-z0-9]{5}|\d+)$/, "");
}
