/**
 * The table of changes: the patches of DataproxyFilters and the filters of WasmPlugins, for the
 * resources of a proxy.
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
import { canonicalJson, hash } from "../../../kit/base/mod.ts";
import { changeKeys, type ChangeRef, changeRef, type Mesh } from "../../derive/mod.ts";
import type { Change, Changes, Patch, Plugin } from "../../envoy/mod.ts";
import { type Derived, type KeyCodec, keyOf, oneOf, type Read } from "../../graph/mod.ts";
import type { Role } from "../../model/mod.ts";
import { toJson } from "../../../kit/proto/mod.ts";
import { readPatchValue } from "../../schema/mod.ts";

/** Prefix of the names of extension configurations. */
const PLUGIN_NAMES = "extensions.mesh.io/wasmplugin";

/** The changes of a proxy's resources of one type. */
export interface ChangesKey {
  readonly role: Role;
  readonly changes: readonly ChangeRef[];
}

/** The codec of {@link ChangesKey}. */
export const changesKeys: KeyCodec<ChangesKey> = keyOf<ChangesKey>({
  role: oneOf<Role>("sidecar", "router", "waypoint"),
  changes: changeKeys,
});

/** Creates the table of changes. `fips`: TLS of proxies is limited to what FIPS 140-2 allows. */
export function deriveChanges(
  { graph, tables }: Mesh,
  fips: boolean,
): Derived<Changes, ChangesKey> {
  return graph.derive("patch.changes", changesKeys, (read, { role, changes }): Changes => {
    const found = changes.flatMap((ref) => changeOf(read, tables, ref, fips));
    return {
      role,
      list: found.map(({ change }) => change),
      digest: hash(found.map(({ content }) => content).join("\n")),
    };
  }, { equal: (a, b) => a.digest === b.digest });
}

/** A change, and the text that its digest is made from. */
interface Found {
  readonly change: Change;
  readonly content: string;
}

function changeOf(
  read: Read,
  tables: Mesh["tables"],
  ref: ChangeRef,
  fips: boolean,
): Found[] {
  const name = changeRef.encode(ref);
  const limited = ref.hosts === undefined ? {} : { hosts: new Set(ref.hosts) };
  if ("plugin" in ref) {
    const row = read.get(tables.wasmPlugins, ref.plugin);
    if (row === undefined) return [];
    const { meta, spec } = row;
    const change: Plugin = {
      kind: "plugin",
      object: `WasmPlugin/${ref.plugin}`,
      field: "spec",
      name: `${PLUGIN_NAMES}/${meta.namespace}.${meta.name}`,
      spec,
      fips,
      ...limited,
    };
    return [{ change, content: `${name} ${canonicalJson(toJson(WasmPluginSchema, spec))}` }];
  }
  const written = read.get(tables.dataproxyFilters, ref.filter)?.spec.configPatches[ref.patch];
  if (written === undefined) return [];
  const { match, patch, applyTo } = written;
  const change: Patch = {
    kind: "patch",
    object: `DataproxyFilter/${ref.filter}`,
    field: `spec.configPatches[${ref.patch}]`,
    applyTo,
    operation: patch?.operation ?? Operation.INVALID,
    filterClass: patch?.filterClass ?? FilterClass.UNSPECIFIED,
    context: match?.context ?? Context.ANY,
    objectTypes: match?.objectTypes ?? { case: undefined },
    value: readPatchValue(written),
    ...limited,
  };
  return [{ change, content: `${name} ${canonicalJson(toJson(ObjectPatchSchema, written))}` }];
}
