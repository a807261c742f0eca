/**
 * Services that the mesh configuration names.
 *
 * @module
 */
import type { Read } from "../../graph/mod.ts";
import { namespaceOf } from "../../model/mod.ts";
import type { Context } from "./context.ts";

/** The host of a service that the mesh configuration names: `namespace/host`, or a host that one namespace alone defines. */
export function hostOf(
  read: Read,
  { mesh }: Pick<Context, "mesh">,
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
