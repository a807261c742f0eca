/**
 * The label in endpoint metadata that names the workload, for telemetry.
 *
 * @module
 */
import type { Endpoint, Service } from "../../model/mod.ts";
import type { Canonical } from "./planned.ts";

const CANONICAL_NAME = ["service.mesh.io/canonical-name", "app.kubernetes.io/name", "app"];

const CANONICAL_REVISION = [
  "service.mesh.io/canonical-revision",
  "app.kubernetes.io/version",
  "version",
];

/**
 * Returns the canonical service by the service's labels; default: its host, with revision `latest`.
 */
export function canonicalOf({ labels, host }: Pick<Service, "labels" | "host">): Canonical {
  return {
    name: firstLabel(labels, CANONICAL_NAME) ?? host,
    revision: firstLabel(labels, CANONICAL_REVISION) ?? "latest",
  };
}

/**
 * Returns `workload;namespace;canonical service;canonical revision`: one short string, because
 * every endpoint has it. The cluster is always the daemon's own; the telemetry filters are
 * configured with it once.
 */
export function telemetryLabel(endpoint: Endpoint, canonical?: Canonical): string {
  const { labels, workload, namespace } = endpoint;
  const name = firstLabel(labels, CANONICAL_NAME) ?? canonical?.name ?? workload;
  const revision = firstLabel(labels, CANONICAL_REVISION) ?? canonical?.revision ?? "latest";
  return `${workload};${namespace};${name};${revision}`;
}

function firstLabel(
  labels: Readonly<Record<string, string>>,
  keys: readonly string[],
): string | undefined {
  for (const key of keys) {
    const value = labels[key];
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}
