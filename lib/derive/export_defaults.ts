/**
 * Objects that do not say whom they are exported to, by what the mesh
 * configuration says of them.
 *
 * @module
 */
import { type ConfigObject, objectKey } from "../model/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { TableKind } from "./tables.ts";

type DefaultField =
  | "defaultServiceExportTo"
  | "defaultVirtualServiceExportTo"
  | "defaultDestinationRuleExportTo";

/** Where the mesh configuration says it. */
const FIELDS: Partial<Record<TableKind, DefaultField>> = {
  ServiceEntry: "defaultServiceExportTo",
  VirtualService: "defaultVirtualServiceExportTo",
  DestinationRule: "defaultDestinationRuleExportTo",
};

type Exported = ConfigObject<{ readonly exportTo: readonly string[] }>;

/** Knows the objects that do not say it. */
export interface ExportDefaults {
  /** The object as it goes into its table; `undefined` when it is gone. */
  settle(kind: TableKind, key: string, object: ConfigObject | undefined): ConfigObject | undefined;
  /** An object that does not say it, as it came. */
  original(kind: TableKind, key: string): ConfigObject | undefined;
  /** Takes a mesh configuration; gives the objects that are exported otherwise by it. */
  adopt(config: MeshConfig): ConfigObject[];
}

/** Starts with a mesh configuration and no objects. */
export function createExportDefaults(config: MeshConfig): ExportDefaults {
  const silent = new Map<TableKind, Map<string, ConfigObject>>();
  let defaults = listsOf(config);
  const applied = (kind: TableKind, object: ConfigObject): ConfigObject => {
    const list = defaults[kind] ?? [];
    // Everybody is what an empty list means anyway.
    if (list.length === 0 || list.includes("*")) return object;
    const spec = { ...(object as Exported).spec, exportTo: list };
    return { ...object, spec, digest: `${object.digest} ${list.join(",")}` };
  };
  return {
    settle: (kind, key, object) => {
      if (FIELDS[kind] === undefined) return object;
      const known = silent.get(kind) ?? new Map<string, ConfigObject>();
      silent.set(kind, known);
      if (object === undefined || (object as Exported).spec.exportTo.length > 0) {
        known.delete(key);
        return object;
      }
      known.set(key, object);
      return applied(kind, object);
    },
    original: (kind, key) => silent.get(kind)?.get(key),
    adopt: (next) => {
      const before = defaults;
      defaults = listsOf(next);
      return [...silent].flatMap(([kind, objects]) =>
        String(before[kind]) === String(defaults[kind])
          ? []
          : [...objects.values()].map((object) => applied(kind, object))
      );
    },
  };
}

function listsOf(config: MeshConfig): Partial<Record<TableKind, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(FIELDS).map(([kind, field]) => [kind, [...config[field]]]),
  );
}

/** The kind and key that an object has in its table. */
export function placeOf({ meta }: ConfigObject): { kind: TableKind; key: string } {
  return { kind: meta.kind as TableKind, key: objectKey(meta) };
}
