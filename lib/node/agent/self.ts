/**
 * Environment variables with the proxy's own workload. Formats of metrics and traces read them, so
 * listeners that many workloads share need no workload names.
 *
 * @module
 */
import type { JsonObject, JsonValue } from "../../kit/proto/mod.ts";
import type { BootstrapNode } from "./node.ts";

const NAME = ["service.mesh.io/canonical-name", "app.kubernetes.io/name", "app"];
const REVISION = ["service.mesh.io/canonical-revision", "app.kubernetes.io/version", "version"];

/** Value of an unknown part. */
const UNKNOWN = "unknown";

/** Separates the parts of the label; parts cannot have it. */
const SEPARATOR = ";";

/**
 * Returns the variables `MESH_SELF_*`. `MESH_SELF_LABEL` is sent to peers:
 * `workload;namespace;canonical service;canonical revision;cluster;app;version`. The tracer reads
 * its service name from `OTEL_RESOURCE_ATTRIBUTES`; an existing name is kept.
 *
 * @param given the agent's own environment
 */
export function selfEnvironment(
  node: BootstrapNode,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const { cluster, metadata } = node;
  const variables = Object.entries(partsOf(node))
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

/**
 * Returns the parts of the workload for the subject of its certificate, in the order of
 * `workloadSubject` of `lib/kit/pki`. The namespace is not one of them: it is in the SPIFFE id.
 */
export function subjectParts(node: BootstrapNode): string[] {
  const { NAMESPACE: _, ...parts } = partsOf(node);
  return Object.values(parts);
}

/** Returns the parts of the workload by name, in the order of the label. */
function partsOf({ metadata }: BootstrapNode) {
  const labels = Object(metadata.LABELS) as JsonObject;
  const label = (...keys: string[]) => keys.map((key) => text(labels[key])).find((one) => one);
  const workload = text(metadata.WORKLOAD_NAME) ?? workloadOf(text(metadata.NAME)) ?? UNKNOWN;
  return {
    WORKLOAD: workload,
    NAMESPACE: text(metadata.NAMESPACE) ?? UNKNOWN,
    SERVICE: label(...NAME) ?? workload,
    REVISION: label(...REVISION) ?? "latest",
    CLUSTER: text(metadata.CLUSTER_ID) ?? UNKNOWN,
    APP: label("app") ?? UNKNOWN,
    VERSION: label("version") ?? UNKNOWN,
  };
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * The orchestrator derives names of instances from their owner: `shop-7d4b9c6f5-x2v8q`, `shop-0`.
 */
function workloadOf(name: string | undefined): string | undefined {
  return name?.replace(/-(?:[a-z0-9]{6,10}-[a-z0-9]{5}|\d+)$/, "");
}
