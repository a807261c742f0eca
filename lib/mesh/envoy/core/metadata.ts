/**
 * Metadata of resources, for access logs, statistics and people who read a dump.
 *
 * @module
 */
import { type Metadata, MetadataSchema } from "#envoy/config/core/v3/base_pb.ts";
import { create, type JsonObject } from "../../../kit/proto/mod.ts";

/** The namespace of Mesh's own metadata. */
export const MESH_METADATA = "mesh";

/**
 * The key of an endpoint's workload label in Mesh's metadata. Access log formats of users read it:
 * `%UPSTREAM_METADATA(mesh:workload)%`.
 */
export const WORKLOAD_KEY = "workload";

/** The header in which a proxy sends its workload's identity to another proxy. */
export const PEER_HEADER = "x-mesh-peer";

/** Metadata in Mesh's namespace. */
export function meshMetadata(fields: JsonObject): Metadata {
  return create(MetadataSchema, { filterMetadata: { [MESH_METADATA]: fields } });
}

/**
 * Metadata that names the source object of a resource as explanations and receipts do:
 * `VirtualService/ns/name`.
 *
 * @param key `namespace/name`
 */
export function configObject(kind: "DestinationRule" | "VirtualService", key: string): JsonObject {
  return { config: `${kind}/${key}` };
}
