/**
 * Changes of resources after they were built: patches of DataproxyFilters, and filters of
 * WasmPlugins.
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
import type { Message } from "../../../kit/proto/mod.ts";

/** Direction of a listener or route, or gateway. */
export type Where = "inbound" | "outbound" | "gateway";

/** A patch with its decoded value. */
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
  /** Value of the patch; unset for removals. It is shared: copy it before use. */
  readonly value: Message | undefined;
}

/** A WasmPlugin. */
export interface Plugin {
  readonly kind: "plugin";
  /** `WasmPlugin/namespace/name`. */
  readonly object: string;
  readonly field: string;
  /** Name of the filter and of its configuration resource. */
  readonly name: string;
  readonly spec: WasmPlugin;
  /** TLS of the fetch is limited to what FIPS 140-2 allows. */
  readonly fips: boolean;
}

/** One change of a resource. */
export type Change = Patch | Plugin;

/** The changes of the resources of a type, in order. */
export interface Changes {
  readonly role: Role;
  readonly list: readonly Change[];
  /** Equal digests mean equal changes. */
  readonly digest: string;
}

const CONTEXTS: Readonly<Record<Where, Context>> = {
  inbound: Context.SIDECAR_INBOUND,
  outbound: Context.SIDECAR_OUTBOUND,
  gateway: Context.GATEWAY,
};

/** Reports if a patch applies to a context. */
export function isFor({ context }: Patch, where: Where): boolean {
  return context === Context.ANY || context === CONTEXTS[where];
}

/** Returns how an operation merges lists; `undefined`: it does not merge. */
export function mergeRule(operation: Operation): "join" | "replace" | undefined {
  if (operation === Operation.MERGE) return "join";
  return operation === Operation.MERGE_AND_REPLACE_LIST ? "replace" : undefined;
}
