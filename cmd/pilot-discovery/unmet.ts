/**
 * What objects ask of providers in vain, as operators are told of it: warnings beside
 * those of the configuration's files.
 *
 * @module
 */
import { type TableKind, tableOf } from "../../lib/derive/mod.ts";
import { DependencyFault } from "../../lib/graph/mod.ts";
import type { SchemaProblem } from "../../lib/schema/mod.ts";
import { type Translation, type Unmet, unmetRequests } from "../../lib/translate/mod.ts";

/** A warning for each, at the place of the object that asks. */
export function unmetWarnings({ mesh }: Translation): SchemaProblem[] {
  return unmetOf(mesh).map(({ object, field, message, remedy }) => {
    const [kind = "", namespace = "", name = ""] = object.split("/");
    const origin = kind === ""
      ? undefined
      : tableOf(mesh.tables, kind as TableKind).peek(`${namespace}/${name}`)?.meta.origin;
    return {
      file: origin?.file ?? origin?.source ?? "",
      line: origin?.line ?? 1,
      column: 1,
      path: field,
      code: "provider",
      message,
      remedy,
      object: kind === "" ? undefined : { kind, namespace, name },
    };
  });
}

/** None while a computation that it needs has a fault: that is told elsewhere. */
function unmetOf(mesh: Translation["mesh"]): Unmet[] {
  try {
    return unmetRequests(mesh);
  } catch (error) {
    if (error instanceof DependencyFault) return [];
    throw error;
  }
}
