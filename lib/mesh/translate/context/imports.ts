/**
 * Notes and keys that layers of localities and of a Sidecar's imports share.
 *
 * @module
 */
import type { LocatedKey, SidecarKey } from "../../derive/mod.ts";
import type { ImportNote } from "../resources/mod.ts";
import type { ClassBinding } from "./class_binding.ts";

/** The note of a collection of imports of a Sidecar. */
export function imports(scope: SidecarKey): ImportNote {
  return { importedBy: scope };
}

/** The proxies of a binding's locality. */
export function locatedKey({ cls, sidecar, locality }: ClassBinding): LocatedKey {
  return { namespace: cls.namespace, sidecar, locality };
}

/** The note of a locality layer: its hosts are imported where a Sidecar applies. */
export function localImports({ cls, sidecar }: ClassBinding): { readonly note?: ImportNote } {
  return sidecar === "" ? {} : { note: imports({ namespace: cls.namespace, sidecar }) };
}
