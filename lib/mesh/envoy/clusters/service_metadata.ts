/**
 * Service names in cluster metadata.
 *
 * @module
 */
import type { Cluster } from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { JsonObject } from "../../../kit/proto/mod.ts";
import { meshMetadata } from "../core/mod.ts";

/** Returns the metadata of a service. */
export function serviceMetadata(
  service: { readonly host: string; readonly namespace: string },
): JsonObject {
  return { host: service.host, name: serviceName(service), namespace: service.namespace };
}

/**
 * Services of the orchestrator are named by the first label of their host, others by the whole
 * host.
 */
function serviceName(service: { readonly host: string; readonly namespace: string }): string {
  const marker = `.${service.namespace}.svc.`;
  const at = service.host.indexOf(marker);
  return at > 0 ? service.host.slice(0, at) : service.host;
}

/** Metrics use the cluster's name instead of a service. */
export function unnamedService(
  name: string,
  mesh: { readonly telemetryLabel: boolean },
): Cluster["metadata"] {
  const service = { host: "unknown", name, namespace: "unknown" };
  return mesh.telemetryLabel ? meshMetadata({ service }) : undefined;
}
