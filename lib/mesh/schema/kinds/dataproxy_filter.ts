/**
 * DataproxyFilter: names, effective fields, rules.
 *
 * @module
 */
import {
  type DataproxyFilter,
  DataproxyFilter_ApplyTo as ApplyTo,
  type DataproxyFilter_DataproxyConfigObjectMatch as ObjectMatch,
  type DataproxyFilter_DataproxyConfigObjectPatch as ObjectPatch,
  type DataproxyFilter_ListenerMatch as ListenerMatch,
  DataproxyFilter_Patch_Operation as Operation,
  DataproxyFilter_PatchContext as Context,
  DataproxyFilterSchema,
} from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import { BootstrapSchema } from "#envoy/config/bootstrap/v3/bootstrap_pb.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { TypedExtensionConfigSchema } from "#envoy/config/core/v3/extension_pb.ts";
import {
  FilterChainSchema,
  FilterSchema,
  ListenerFilterSchema,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouteSchema, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { HttpFilterSchema } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import {
  type DescMessage,
  enumValuesOf,
  type JsonObject,
  type Message,
  SERVED_TYPES,
} from "../../../kit/proto/mod.ts";
import type { Path } from "../../../kit/text/mod.ts";
import type { PolicyTargetReference } from "#mesh/type/v1beta1/selector_pb.ts";
import { checkPolicyScope, checkRegex, checkSelector, CONFLICT, REQUIRED } from "../rules/mod.ts";
import { newReport, type ObjectIdentity, type Report } from "../problem.ts";
import { readMessage } from "../read/mod.ts";
import { NETWORKING_API, type TabledKind } from "../kind.ts";

export const DATAPROXY_FILTER: TabledKind<"DataproxyFilter", "dataproxyFilters", DataproxyFilter> =
  {
    kind: "DataproxyFilter",
    group: NETWORKING_API.group,
    versions: ["v1alpha3"],
    plural: "dataproxyfilters",
    scope: "namespaced",
    table: "dataproxyFilters",
    schema: DataproxyFilterSchema,
    effective: {
      paths: [
        "workloadSelector",
        "targetRefs",
        "priority",
        "configPatches[].applyTo",
        "configPatches[].patch",
        ...[
          "context",
          "proxy",
          "routeConfiguration",
          "cluster",
          "waypoint",
          "listener.portNumber",
          "listener.filterChain",
          "listener.listenerFilter",
          "listener.name",
        ].map((field) => `configPatches[].match.${field}`),
      ],
      ineffectiveValues: {
        "configPatches[].applyTo": ["BOOTSTRAP"],
      },
    },
    validate,
  };

type MatchCase = NonNullable<ObjectMatch["objectTypes"]["case"]>;

/** Message type and match of each patch target. */
const TARGETS: Readonly<Record<number, { schema: DescMessage; match?: MatchCase }>> = {
  [ApplyTo.LISTENER]: { schema: ListenerSchema, match: "listener" },
  [ApplyTo.FILTER_CHAIN]: { schema: FilterChainSchema, match: "listener" },
  [ApplyTo.NETWORK_FILTER]: { schema: FilterSchema, match: "listener" },
  [ApplyTo.HTTP_FILTER]: { schema: HttpFilterSchema, match: "listener" },
  [ApplyTo.LISTENER_FILTER]: { schema: ListenerFilterSchema, match: "listener" },
  [ApplyTo.ROUTE_CONFIGURATION]: { schema: RouteConfigurationSchema, match: "routeConfiguration" },
  [ApplyTo.VIRTUAL_HOST]: { schema: VirtualHostSchema, match: "routeConfiguration" },
  [ApplyTo.HTTP_ROUTE]: { schema: RouteSchema, match: "routeConfiguration" },
  [ApplyTo.CLUSTER]: { schema: ClusterSchema, match: "cluster" },
  [ApplyTo.EXTENSION_CONFIG]: { schema: TypedExtensionConfigSchema },
  [ApplyTo.BOOTSTRAP]: { schema: BootstrapSchema },
};

/** Returns the message type of a patch's value. */
export function patchTarget(applyTo: ApplyTo): DescMessage | undefined {
  return TARGETS[applyTo]?.schema;
}

/**
 * Returns the decoded value of a valid patch; `undefined` if it has none. Unknown fields are
 * omitted.
 */
export function readPatchValue({ applyTo, patch }: ObjectPatch): Message | undefined {
  const schema = patchTarget(applyTo);
  if (schema === undefined || patch?.value === undefined) return undefined;
  return readMessage(schema, patch.value, [], newReport("warnings", SERVED_TYPES));
}

/** Returns the enum values in the value of a patch, as `package.Enum.VALUE`. */
export function patchEnumValues(patch: ObjectPatch): readonly string[] {
  const schema = patchTarget(patch.applyTo);
  const value = readPatchValue(patch);
  return schema === undefined || value === undefined ? [] : enumValuesOf(schema, value);
}

/** Patch targets in ordered lists. */
const ORDERED: ReadonlySet<ApplyTo> = new Set([
  ApplyTo.NETWORK_FILTER,
  ApplyTo.HTTP_FILTER,
  ApplyTo.LISTENER_FILTER,
  ApplyTo.HTTP_ROUTE,
]);
const INSERTS: ReadonlySet<Operation> = new Set([
  Operation.INSERT_BEFORE,
  Operation.INSERT_AFTER,
  Operation.INSERT_FIRST,
]);

/** The network filter that has the HTTP filters. */
const HTTP_CONNECTION_MANAGER = "envoy.filters.network.http_connection_manager";

/** Checks a DataproxyFilter's specification. */
function validate(
  spec: DataproxyFilter,
  identity: ObjectIdentity,
  report: Report,
): void {
  const path = ["spec"];
  checkPolicyScope({ targetRefs: spec.targetRefs }, identity, report);
  const { workloadSelector } = spec;
  if (workloadSelector !== undefined) {
    const at = [...path, "workloadSelector"];
    checkSelector(workloadSelector.labels, [...at, "labels"], report);
    if (Object.keys(workloadSelector.labels).length === 0) {
      const message = "the selector names no labels and takes every workload";
      report.warn(at, REQUIRED, message, "Name labels, or remove the selector.");
    }
    if (spec.targetRefs.length > 0) {
      const message = "workloadSelector and targetRefs exclude each other";
      report.failKey([...path, "targetRefs"], CONFLICT, message, "Keep one of the two.");
    }
  }
  const ofServices = spec.targetRefs.length > 0 && spec.targetRefs.every(isService);
  spec.configPatches.forEach((patch, index) => {
    const at = [...path, "configPatches", index];
    checkPatch(patch, at, report);
    if (ofServices && changesListener(patch)) {
      const message = `${
        ApplyTo[patch.applyTo]
      } is not of one service, and the targets are services`;
      report.warnValue(
        [...at, "applyTo"],
        "no-effect",
        message,
        "Name the Gateway of the waypoint.",
      );
    }
  });
}

function isService({ kind }: PolicyTargetReference): boolean {
  return kind === "Service" || kind === "ServiceEntry";
}

/** Reports if a patch changes a listener beyond the filter chains that it has. */
function changesListener({ applyTo, patch }: ObjectPatch): boolean {
  return applyTo === ApplyTo.LISTENER || applyTo === ApplyTo.LISTENER_FILTER ||
    applyTo === ApplyTo.FILTER_CHAIN && patch?.operation === Operation.ADD;
}

function checkPatch({ applyTo, match, patch }: ObjectPatch, path: Path, report: Report): void {
  const target = TARGETS[applyTo];
  if (target === undefined) {
    const remedy = `Write one of: ${
      Object.keys(TARGETS).map((key) => ApplyTo[Number(key)]).join(", ")
    }.`;
    report.fail(
      [...path, "applyTo"],
      REQUIRED,
      "the patch does not say what it applies to",
      remedy,
    );
  }
  if (match !== undefined) checkMatch(applyTo, match, [...path, "match"], report);
  if (patch === undefined) {
    const remedy = "Give patch with operation and value.";
    report.fail([...path, "patch"], REQUIRED, "the patch is missing", remedy);
    return;
  }
  const at = [...path, "patch"];
  checkOperation(applyTo, patch.operation, [...at, "operation"], report);
  if (patch.value === undefined) {
    if (patch.operation === Operation.REMOVE || patch.operation === Operation.INVALID) return;
    const message = `operation ${Operation[patch.operation]} needs a value`;
    report.fail([...at, "value"], REQUIRED, message, "Give value.");
  } else if (target !== undefined && patch.operation !== Operation.REMOVE) {
    checkValue(target.schema, patch.value, [...at, "value"], report);
  }
}

function checkOperation(applyTo: ApplyTo, operation: Operation, path: Path, report: Report): void {
  const name = Operation[operation];
  if (operation === Operation.INVALID) {
    const remedy = "Write MERGE, ADD, REMOVE, INSERT_BEFORE, INSERT_AFTER, INSERT_FIRST, REPLACE " +
      "or MERGE_AND_REPLACE_LIST.";
    report.fail(path, REQUIRED, "the patch does not say what to do", remedy);
  } else if (INSERTS.has(operation) && !ORDERED.has(applyTo)) {
    const message = `operation ${name} does nothing to ${ApplyTo[applyTo]}, which has no order`;
    report.warnValue(path, "no-effect", message, "Use ADD.");
  } else if (
    applyTo === ApplyTo.ROUTE_CONFIGURATION &&
    (operation === Operation.ADD || operation === Operation.REMOVE)
  ) {
    const message = `operation ${name} does nothing to ROUTE_CONFIGURATION`;
    report.warnValue(path, "no-effect", message, "Use MERGE, or patch what is in it.");
  } else if (
    operation === Operation.REPLACE && (!ORDERED.has(applyTo) || applyTo === ApplyTo.HTTP_ROUTE)
  ) {
    const message = `operation REPLACE does nothing to ${ApplyTo[applyTo]}`;
    report.warnValue(path, "no-effect", message, "Use REMOVE and ADD, or MERGE.");
  }
}

/** Remedy for an unknown type. Envoy itself finds an extension by its type. */
const UNKNOWN_TYPE =
  "Give it as @type type.googleapis.com/xds.type.v3.TypedStruct, with typeUrl and value.";

/** Checks the value with the descriptors of its message; unknown fields are warnings. */
function checkValue(schema: DescMessage, value: JsonObject, path: Path, report: Report): void {
  const own = newReport("warnings", SERVED_TYPES);
  readMessage(schema, value, path, own);
  report.errors.push(...own.errors);
  for (const found of own.warnings) {
    if (found.code !== "unknown-type") report.warnings.push(found);
    else report.errors.push({ ...found, remedy: UNKNOWN_TYPE });
  }
}

function checkMatch(applyTo: ApplyTo, match: ObjectMatch, path: Path, report: Report): void {
  const version = match.proxy?.proxyVersion ?? "";
  if (version !== "") checkRegex(version, [...path, "proxy", "proxyVersion"], report);
  const kind = match.objectTypes.case;
  const isWaypoint = match.context === Context.WAYPOINT;
  if (isWaypoint !== (kind === "waypoint")) {
    const message = "context WAYPOINT and match waypoint go with each other only";
    const remedy = isWaypoint ? "Give waypoint." : "Use context WAYPOINT, or another match.";
    report.failKey(kind === undefined ? path : [...path, kind], CONFLICT, message, remedy);
    return;
  }
  const wanted = TARGETS[applyTo]?.match;
  if (kind !== undefined && kind !== "waypoint" && wanted !== undefined && kind !== wanted) {
    const message = `a match on ${kind} does not select ${ApplyTo[applyTo]}`;
    report.failKey([...path, kind], CONFLICT, message, `Give ${wanted}.`);
  } else if (match.objectTypes.case === "listener") {
    checkListenerMatch(applyTo, match.objectTypes.value, [...path, "listener"], report);
  }
}

function checkListenerMatch(
  applyTo: ApplyTo,
  match: ListenerMatch,
  path: Path,
  report: Report,
): void {
  const filter = match.filterChain?.filter;
  if (filter === undefined) return;
  const at = [...path, "filterChain", "filter"];
  if (applyTo === ApplyTo.LISTENER || applyTo === ApplyTo.FILTER_CHAIN) {
    const message = `a match on a filter does not narrow ${ApplyTo[applyTo]}`;
    report.warn(at, "no-effect", message, "Remove it.");
  }
  if (filter.name === "") {
    report.fail(at, REQUIRED, "the match on a filter has no name", "Name the filter.");
    return;
  }
  const sub = filter.subFilter;
  if (sub === undefined) return;
  const subPath = [...at, "subFilter"];
  if (applyTo !== ApplyTo.HTTP_FILTER) {
    const message = "subFilter goes with applyTo HTTP_FILTER only";
    report.failKey(subPath, CONFLICT, message, "Remove subFilter.");
  } else if (filter.name !== HTTP_CONNECTION_MANAGER) {
    const message = `filter ${JSON.stringify(filter.name)} has no filters inside`;
    report.fail([...at, "name"], CONFLICT, message, `Name ${HTTP_CONNECTION_MANAGER}.`);
  } else if (sub.name === "") {
    report.fail(subPath, REQUIRED, "the match on an HTTP filter has no name", "Name the filter.");
  }
}
