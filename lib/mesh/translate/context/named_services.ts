/**
 * Services that the mesh configuration names.
 *
 * @module
 */
import type { Read } from "../../graph/mod.ts";
import { namedHost as hostOf } from "../../model/mod.ts";
import type { MeshContext } from "./lookups.ts";

/**
 * The host of a service that the mesh configuration names.
 *
 * @param service `namespace/host`, or a host that only one namespace defines
 * @returns `undefined` where there is no such service, or no single one
 */
export function namedHost(
  read: Read,
  { mesh }: MeshContext,
  service: string,
): string | undefined {
  return hostOf(service, (host) => read.members(mesh.indexes.entriesByHost, host));
}
