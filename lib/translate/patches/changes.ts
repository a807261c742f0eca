/**
 * The table of changes: what DataproxyFilters and WasmPlugins do to the resources of a proxy.
 *
 * @module
 */
import { WasmPluginSchema } from "#mesh/extensions/v1alpha1/wasm_pb.ts";
import {
  DataproxyFilter_DataproxyConfigObjectPatchSchema as ObjectPatchSchema,
  DataproxyFilter_Patch_FilterClass as FilterClass,
  DataproxyFilter_Patch_Operation as Operation,
  DataproxyFilter_PatchContext as Context,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import { canonicalJson, hash } from "../../base/mod.ts";
import type { Mesh } from "../../derive/mod.ts";
import type { Change, Changes, Patch, Plugin } from "../../envoy/mod.ts";
import type { Derived, Read } from "../../graph/mod.ts";
import type { Role } from "../../model/mod.ts";
import { toJson } from "../../proto/mod.ts";
import { readPatchValue } from "../../schema/mod.ts";

/** Group of the names of extensions' configurations. */
const PLUGIN_NAMES = "extensions.mesh.io/wasmplugin";

/** `ROLE|names` (as in `Patching`) → what these stand for. */
export function deriveChanges({ graph, tables }: Mesh): Derived<Changes> {
  return graph.derive<Changes>("patch.changes", (read, key) => {
    const bar = key.indexOf("|");
    const found = key.slice(bar + 1).split(",").flatMap((name) => changeOf(read, tables, name));
    return {
      role: key.slice(0, bar) as Role,
      list: found.map(({ change }) => change),
      digest: hash(found.map(({ content }) => content).join("\n")),
    };
  }, { equal: (a, b) => a.digest === b.digest });
}

interface Found {
  readonly change: Change;
  readonly content: string;
}

function changeOf(read: Read, tables: Mesh["tables"], name: string): Found[] {
  if (name.startsWith("~")) {
    const row = read.get(tables.wasmPlugins, name.slice(1));
    if (row === undefined) return [];
    const { meta, spec } = row;
    const change: Plugin = {
      kind: "plugin",
      object: `WasmPlugin/${name.slice(1)}`,
      field: "spec",
      name: `${PLUGIN_NAMES}/${meta.namespace}.${meta.name}`,
      spec,
    };
    return [{ change, content: `${name} ${canonicalJson(toJson(WasmPluginSchema, spec))}` }];
  }
  const [key = "", index = ""] = name.split("#");
  const written = read.get(tables.dataproxyFilters, key)?.spec.configPatches[Number(index)];
  if (written === undefined) return [];
  const { match, patch, applyTo } = written;
  const change: Patch = {
    kind: "patch",
    object: `DataproxyFilter/${key}`,
    field: `spec.configPatches[${index}]`,
    applyTo,
    operation: patch?.operation ?? Operation.INVALID,
    filterClass: patch?.filterClass ?? FilterClass.UNSPECIFIED,
    context: match?.context ?? Context.ANY,
    objectTypes: match?.objectTypes ?? { case: undefined },
    value: readPatchValue(written),
  };
  return [{ change, content: `${name} ${canonicalJson(toJson(ObjectPatchSchema, written))}` }];
}
