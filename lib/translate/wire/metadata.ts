/**
 * Metadata on resources, for access logs, statistics and whoever reads a dump.
 *
 * @module
 */
import { type Metadata, MetadataSchema } from "#envoy/config/core/v3/base_pb.ts";
import { create, type JsonObject } from "../../proto/mod.ts";

/** The namespace of Mesh's own metadata. */
export const MESH_METADATA = "mesh";

/** The header by which a proxy tells another one of its workload. */
export const PEER_HEADER = "x-mesh-peer";

/** Metadata in Mesh's namespace. */
export function meshMetadata(fields: JsonObject): Metadata {
  return create(MetadataSchema, { filterMetadata: { [MESH_METADATA]: fields } });
}

/**
 * Where a configuration object is found at the orchestrator, as metadata names it.
 *
 * @param kind the kind's name with dashes, for example `destination-rule`
 * @param key `namespace/name`
 */
export function configPath(kind: string, key: string): string {
  const slash = key.indexOf("/");
  const [namespace, name] = [key.slice(0, slash), key.slice(slash + 1)];
  return `/apis/networking.mesh.io/v1/namespaces/${namespace}/${kind}/${name}`;
}
