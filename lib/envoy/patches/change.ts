/**
 * What is done to resources after they were made: patches of DataproxyFilters,
 * and the filters that WasmPlugins stand for.
 *
 * @module
 */
import type { WasmPlugin } from "#mesh/extensions/v1alpha1/wasm_pb.ts";
import {
  type DataproxyFilter_ApplyTo as ApplyTo,
  type DataproxyFilter_DataproxyConfigObjectMatch as ObjectMatch,
  DataproxyFilter_Patch_FilterClass as FilterClass,
  DataproxyFilter_Patch_Operation as Operation,
  DataproxyFilter_PatchContext as Context,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import type { Role } from "../../model/mod.ts";
import type { Message } from "../../proto/mod.ts";

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
