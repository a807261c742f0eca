/**
 * The objects behind the steps of a proxy.
 *
 * @module
 */
import { type Provenance, provenanceOf as explainResource } from "../../mesh/translate/mod.ts";
import { TYPE_URLS } from "../../mesh/model/mod.ts";
import { type ProvenanceOf, refOf } from "./steps.ts";
import type { Party, World } from "./world.ts";

/** Finds the provenance of resources of a proxy, and collects their objects. */
export function provenanceFor(
  { world, objects }: { readonly world: World; readonly objects: Set<string> },
  party: Party,
): ProvenanceOf {
  const { mesh, objectOf } = world;
  const known = new Map<string, Provenance | undefined>();
  const one = (type: string, name: string, part?: string): Provenance | undefined => {
    const key = JSON.stringify([type, name, part]);
    if (known.has(key)) return known.get(key);
    const view = party.view(type);
    const parts = part === undefined ? {} : { parts: new Set([part]) };
    const found = view && explainResource({ mesh, view, type, name, ...parts, objectOf });
    known.set(key, found);
    // A route table has the objects of all services; those of the passed routes are causes of steps.
    if (type !== TYPE_URLS.route && type !== TYPE_URLS.virtualHost) {
      for (const object of found?.objects ?? []) objects.add(refOf(object));
    }
    return found;
  };
  return (type, name, virtualHost) => {
    if (virtualHost === undefined) return [one(type, name)].filter((found) => found !== undefined);
    const apart = inTable(virtualHost, one(TYPE_URLS.virtualHost, virtualHost));
    return [one(type, name, virtualHost), apart].filter((found) => found !== undefined);
  };
}

/**
 * The provenance of a virtual host that is a separate resource, with the paths that it has in a
 * route table: they begin with the name of the virtual host, which is that of the resource.
 */
function inTable(name: string, provenance: Provenance | undefined): Provenance | undefined {
  if (provenance === undefined) return undefined;
  const groups = provenance.groups.map((group) => ({ ...group, of: [name, ...group.of] }));
  return { ...provenance, groups };
}
