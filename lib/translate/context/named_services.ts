/**
 * Services that the mesh configuration names.
 *
 * @module
 */
import type { Read } from "../../graph/mod.ts";
import { namespaceOf } from "../../model/mod.ts";
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
  const slash = service.indexOf("/");
  const host = service.slice(slash + 1).toLowerCase();
  const owners = new Set(
    read.members(mesh.indexes.entriesByHost, host).map(namespaceOf),
  );
  const known = slash < 0 ? owners.size === 1 : owners.has(service.slice(0, slash));
  return known ? host : undefined;
}
