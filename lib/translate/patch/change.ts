/**
 * What is done to resources after they were made: patches of DataproxyFilters,
 * and the filters that WasmPlugins stand for.
 *
 * @module
 */
import { canonicalJson, hash } from "../../base/mod.ts";
import type { Mesh } from "../../derive/mod.ts";
import type { Derived, Read } from "../../graph/mod.ts";
import type { Role } from "../../model/mod.ts";
import { type Message, toJson } from "../../proto/mod.ts";
import { readPatchValue } from "../../schema/mod.ts";
import {
  type DataproxyFilter_ApplyTo as ApplyTo,
  type DataproxyFilter_DataproxyConfigObjectMatch as ObjectMatch,
  DataproxyFilter_DataproxyConfigObjectPatchSchema as ObjectPatchSchema,
  DataproxyFilter_Patch_FilterClass as FilterClass,
  DataproxyFilter_Patch_Operation as Operation,
  DataproxyFilter_PatchContext as Context,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import { type WasmPlugin, WasmPluginSchema } from "#mesh/extensions/v1alpha1/wasm_pb.ts";

/** Where a resource stands. */
export type Where = "inbound" | "outbound" | "gateway";

/** A patch with its value read. */
export interface Patch {
  readonly kind: "patch";
  /** `DataproxyFilter/namespace/name`. */
  readonly object: string;
  /** `spec.configPatches[0]`. */
  readonly field: string;
  readonly applyTo: ApplyTo;
  readonly operation: Operation;
  readonly filterClass: FilterClass;
  readonly context: Context;
  readonly objectTypes: ObjectMatch["objectTypes"];
  /** Of the message that is patched; absent to remove. Shared: to be copied before it is put anywhere. */
  readonly value: Message | undefined;
}

/** A plugin. */
export interface Plugin {
  readonly kind: "plugin";
  /** `WasmPlugin/namespace/name`. */
  readonly object: string;
  readonly field: string;
  /** Name of the filter and of its configuration. */
  readonly name: string;
  readonly spec: WasmPlugin;
}

/** One thing that is done. */
export type Change = Patch | Plugin;

/** What is done to the resources of a type, in order. */
export interface Changes {
  readonly role: Role;
  readonly list: readonly Change[];
  /** Equal digests, equal changes. */
  readonly digest: string;
}

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

const CONTEXTS: Readonly<Record<Where, Context>> = {
  inbound: Context.SIDECAR_INBOUND,
  outbound: Context.SIDECAR_OUTBOUND,
  gateway: Context.GATEWAY,
};

/** Whether a patch is for what stands there. */
export function isFor({ context }: Patch, where: Where): boolean {
  return context === Context.ANY || context === CONTEXTS[where];
}

/** What an operation merges lists by; `undefined`: it merges nothing. */
export function mergeRule(operation: Operation): "join" | "replace" | undefined {
  if (operation === Operation.MERGE) return "join";
  return operation === Operation.MERGE_AND_REPLACE_LIST ? "replace" : undefined;
}
