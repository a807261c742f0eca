/**
 * Default `exportTo` lists of the mesh configuration, filled into objects that have none of their own.
 *
 * @module
 */
import type { ConfigObject } from "../model/mod.ts";
import type { TableKind } from "../schema/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { ObjectChange } from "./changes.ts";

type DefaultField =
  | "defaultServiceExportTo"
  | "defaultVirtualServiceExportTo"
  | "defaultDestinationRuleExportTo";

/** Field of the mesh configuration, by the kind that it is for. */
const FIELDS: Partial<Record<TableKind, DefaultField>> = {
  ServiceEntry: "defaultServiceExportTo",
  VirtualService: "defaultVirtualServiceExportTo",
  DestinationRule: "defaultDestinationRuleExportTo",
};

type Exported = ConfigObject<{ readonly exportTo: readonly string[] }>;

/** Fills in the defaults. It stores the objects without a list of their own. */
export interface ExportDefaults {
  /** The object as it is written to its table; `undefined` when it is deleted. */
  settle(change: ObjectChange): ConfigObject | undefined;
  /** An object without a list of its own, as it was before a default was filled in. */
  original(kind: TableKind, key: string): ConfigObject | undefined;
  /** Uses a mesh configuration from now on; returns the rows whose default changes. */
  adopt(config: MeshConfig): Pick<ObjectChange, "kind" | "key">[];
}

/** Starts without defaults and without objects. */
export function createExportDefaults(): ExportDefaults {
  const withoutList = new Map<TableKind, Map<string, ConfigObject>>();
  let defaults: Partial<Record<TableKind, readonly string[]>> = {};
  const applied = (kind: TableKind, object: ConfigObject): ConfigObject => {
    const list = defaults[kind] ?? [];
    // An empty list means all namespaces, as "*" does.
    if (list.length === 0 || list.includes("*")) return object;
    const spec = { ...(object as Exported).spec, exportTo: list };
    return {
      ...object,
      spec,
      writtenSpec: object.spec,
      digest: `${object.digest} ${list.join(",")}`,
    };
  };
  return {
    settle: ({ kind, key, object }) => {
      if (FIELDS[kind] === undefined) return object;
      const known = withoutList.get(kind) ?? new Map<string, ConfigObject>();
      withoutList.set(kind, known);
      if (object === undefined || (object as Exported).spec.exportTo.length > 0) {
        known.delete(key);
        return object;
      }
      known.set(key, object);
      return applied(kind, object);
    },
    original: (kind, key) => withoutList.get(kind)?.get(key),
    adopt: (config) => {
      const before = defaults;
      defaults = listsOf(config);
      return [...withoutList].flatMap(([kind, objects]) =>
        String(before[kind] ?? []) === String(defaults[kind])
          ? []
          : [...objects.keys()].map((key) => ({ kind, key }))
      );
    },
  };
}

function listsOf(config: MeshConfig): Partial<Record<TableKind, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(FIELDS).map(([kind, field]) => [kind, [...config[field]]]),
  );
}
