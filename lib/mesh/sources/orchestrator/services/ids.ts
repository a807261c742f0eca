/**
 * Ids of objects in the registry, `NAMESPACE NAME`.
 *
 * @module
 */
import type { Changes } from "../../../../kit/orch/mod.ts";
import { idOf } from "./slice_index.ts";

/** The name that an id stands for. */
export function nameOf(id: string): { namespace: string; name: string } {
  const [namespace = "", name = ""] = id.split(" ");
  return { namespace, name };
}

/** The ids of changed and deleted objects. */
export function idsIn<V>(
  { upserts, deletes }: Changes<V>,
  metaOf: (value: V) => { readonly namespace?: string; readonly name: string },
): string[] {
  return [...upserts.map(metaOf), ...deletes].map(({ namespace = "", name }) =>
    idOf(namespace, name)
  );
}
