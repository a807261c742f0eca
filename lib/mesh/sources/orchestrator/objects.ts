/**
 * Custom resources as the orchestrator's API gives them.
 *
 * @module
 */
import { allSteps } from "../../../kit/base/mod.ts";
import type { ConfigObject, ObjectMeta } from "../../model/mod.ts";
import type { ListItem, ObjectName, ResourceType } from "../../../kit/orch/mod.ts";
import { isGatewayGroup } from "../../gateway_api/mod.ts";
import {
  checkObjectInSteps,
  type Kind,
  KINDS,
  type SchemaProblem,
  writtenKind,
} from "../../schema/mod.ts";
import { PILOT_ENABLE_ALPHA_GATEWAY_API, PILOT_ENABLE_GATEWAY_API } from "../variables.ts";

/** The result of reading an object of the API. */
export interface ReadItem {
  readonly name: Required<ObjectName>;
  readonly labels: ObjectMeta["labels"];
  /** Unset if the object is rejected. */
  readonly object?: ConfigObject;
  readonly problems: readonly SchemaProblem[];
  readonly warnings: readonly SchemaProblem[];
}

/** The resource type of a kind, in its storage version. */
export function resourceTypeOf(kind: Kind): ResourceType {
  const { group, versions, plural, scope } = kind;
  const namespaced = scope === "namespaced";
  return { group, version: versions[0]!, kind: writtenKind(kind), plural, namespaced };
}

/** The kinds that are read, by `PILOT_ENABLE_GATEWAY_API`. */
export function readKinds(): readonly Kind[] {
  return PILOT_ENABLE_GATEWAY_API.get()
    ? KINDS
    : KINDS.filter(({ group }) => !isGatewayGroup(group));
}

/**
 * Further versions in which a kind is read: those of the Gateway API, whose definitions clusters have in
 * several ages. `undefined`: another version is a fault.
 */
export function furtherVersions({ group, versions }: Kind): readonly string[] | undefined {
  if (!isGatewayGroup(group)) return undefined;
  const withAlpha = PILOT_ENABLE_ALPHA_GATEWAY_API.get();
  return versions.slice(1).filter((version) => withAlpha || !version.includes("alpha"));
}

/**
 * Reads an object. It is checked as one of a file is.
 *
 * @param source `meta.origin.source` of the object
 */
export function readItem(kind: Kind, item: ListItem, source: string): ReadItem {
  return allSteps(readItemInSteps(kind, item, source));
}

/** {@linkcode readItem} in steps, of which a large object takes tens of milliseconds each. */
export function* readItemInSteps(
  kind: Kind,
  item: ListItem,
  source: string,
): Generator<void, ReadItem> {
  const { metadata } = item;
  const name = { namespace: metadata.namespace ?? "", name: metadata.name };
  const labels = metadata.labels ?? {};
  const { spec } = item as ListItem & { readonly spec?: unknown };
  const { object, identity, problems, warnings } = yield* checkObjectInSteps({
    apiVersion: kind.group === "" ? kind.versions[0] : `${kind.group}/${kind.versions[0]}`,
    kind: writtenKind(kind),
    metadata: {
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels,
      annotations: metadata.annotations ?? {},
      creationTimestamp: metadata.creationTimestamp,
    },
    spec: kind.metadataOnly ? {} : spec ?? {},
  });
  const positioned = (found: typeof problems): SchemaProblem[] =>
    found.map((one) => ({ ...one, file: source, line: 1, column: 1, object: identity }));
  if (object === undefined) return { name, labels, problems: positioned(problems), warnings: [] };
  const { meta: { line: _, ...meta }, digest } = object;
  const health = kind.kind === "WorkloadEntry" ? healthOf(item) : undefined;
  const origin = { source, ...(metadata.uid === undefined ? {} : { uid: metadata.uid }) };
  return {
    name,
    labels,
    object: {
      meta: {
        ...meta,
        kind: kind.kind,
        // Kinds without generations in the API have 0; the follower counts those.
        generation: metadata.generation ?? 0,
        origin,
        ...(health === undefined ? {} : { health }),
      },
      spec: object.spec,
      digest: health === "unhealthy" ? `${digest} ${health}` : digest,
    },
    problems: [],
    warnings: positioned(warnings),
  };
}

interface Conditions {
  readonly status?: {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  };
}

/** The health that the daemon of a registered workload wrote; `undefined`: none is known. */
function healthOf(item: ListItem & Conditions): "healthy" | "unhealthy" | undefined {
  const condition = item.status?.conditions?.find(({ type }) => type === "Healthy");
  if (condition === undefined) return undefined;
  return condition.status === "False" ? "unhealthy" : "healthy";
}
