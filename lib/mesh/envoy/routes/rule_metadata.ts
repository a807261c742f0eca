/**
 * Metadata that names the VirtualService of a virtual host or a route.
 *
 * @module
 */
import type { Metadata } from "#envoy/config/core/v3/base_pb.ts";
import { configObject, meshMetadata } from "../core/mod.ts";

/** Metadata that names a VirtualService. */
export function metadataOfRule(key: string): Metadata {
  return meshMetadata(configObject("VirtualService", key));
}
