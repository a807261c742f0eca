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
  type DataproxyFilter_WaypointMatch as WaypointMatch,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import { parseClusterName, type Role } from "../../model/mod.ts";
import type { Message } from "../../../kit/proto/mod.ts";

/** Direction of a listener or route, or the role of a proxy without directions. */
export type Where = "inbound" | "outbound" | "gateway" | "waypoint";

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
  readonly hosts?: Hosts;
}

/** The services that a change at a waypoint is limited to; unset: it changes everything. */
export type Hosts = ReadonlySet<string>;

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
  readonly hosts?: Hosts;
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
  waypoint: Context.WAYPOINT,
};

/** Reports if a patch applies to a context. */
export function isFor({ context }: Patch, where: Where): boolean {
  return context === Context.ANY || context === CONTEXTS[where];
}

/** Returns the match of a patch on the resources of waypoints. */
export function waypointMatch({ objectTypes }: Patch): WaypointMatch | undefined {
  return objectTypes.case === "waypoint" ? objectTypes.value : undefined;
}

/** Reports if a change may touch what has a name of a waypoint, `inbound-vip|PORT|http|HOST`. */
export function concerns({ hosts }: Pick<Change, "hosts">, name: string): boolean {
  return hosts === undefined || hosts.has(parseClusterName(name)?.host ?? "");
}

/** Returns how an operation merges lists; `undefined`: it does not merge. */
export function mergeRule(operation: Operation): "join" | "replace" | undefined {
  if (operation === Operation.MERGE) return "join";
  return operation === Operation.MERGE_AND_REPLACE_LIST ? "replace" : undefined;
}
