/**
 * The status of routes.
 *
 * @module
 */
import type { BoundParent, ParentReference, RefFault } from "../binding/mod.ts";
import { type Condition, conditionsAt } from "./condition.ts";

/** An entry of `status.parents`. */
export interface ParentStatus {
  readonly parentRef: ParentReference;
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}

export interface RouteStatus {
  readonly parents: readonly ParentStatus[];
}

/** Facts about a route beside its parents. */
export interface RouteFacts {
  readonly generation: number;
  readonly controllerName: string;
  /** The first backend that was not found, of all rules and filters. */
  readonly unresolved?: RefFault;
  /** The reason why the route as a whole cannot be served, for example `UnsupportedValue`. */
  readonly rejected?: RefFault;
  /** The reason why some of its rules are not served (`UnsupportedValue`, `IncompatibleFilters`). */
  readonly partly?: RefFault;
}

/** The status of a route for the parents that Mesh handles. */
export function routeStatus(parents: readonly BoundParent[], facts: RouteFacts): RouteStatus {
  const { controllerName } = facts;
  return {
    parents: parents.map(({ ref, fault }) => ({
      parentRef: plainRef(ref),
      controllerName,
      conditions: conditionsOf(fault, facts),
    })),
  };
}

function conditionsOf(
  fault: RefFault | undefined,
  { generation, unresolved, rejected, partly }: RouteFacts,
): Condition[] {
  const make = conditionsAt(generation);
  return [
    make.unless(fault ?? rejected, "Accepted", "the route is attached"),
    make.unless(unresolved, "ResolvedRefs", "all references are resolved"),
    ...partly === undefined || rejected !== undefined
      ? []
      : [make.yes("PartiallyInvalid", partly.message, partly.reason)],
  ];
}

/** The fields of a reference that are given, as the API has them. */
export function plainRef(ref: ParentReference): ParentReference {
  const { group, kind, namespace, name, sectionName, port } = ref;
  // Objects of the core group have the empty group.
  const isCore = group === "" && kind === "Service";
  return {
    ...(group || isCore ? { group } : {}),
    ...(kind ? { kind } : {}),
    ...(namespace ? { namespace } : {}),
    name,
    ...(sectionName ? { sectionName } : {}),
    ...(port ? { port } : {}),
  };
}
