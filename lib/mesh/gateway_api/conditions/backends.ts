/**
 * The status of XBackends and of XMeshes.
 *
 * @module
 */
import type { BoundBackend, MeshSpec, ParentReference } from "../binding/mod.ts";
import { conditionsAt } from "./condition.ts";
import { MESH_FEATURES } from "./features.ts";
import type { GatewayClassStatus } from "./gateways.ts";
import type { RouteStatus } from "./routes.ts";

/** Most entries of `status.parents`. */
const MAX_PARENTS = 32;

/** Facts about an XBackend beside its own fields. */
export interface BackendFacts {
  readonly generation: number;
  readonly controllerName: string;
  /** The parents of routes that lead there. */
  readonly parents: readonly ParentReference[];
}

/** The status of an XBackend for each parent of a route that leads there. */
export function backendStatus(
  { rejected, validation }: BoundBackend,
  { generation, controllerName, parents }: BackendFacts,
): RouteStatus {
  const make = conditionsAt(generation);
  const references = validation === undefined ? [] : [
    make.unless(validation.authorities.fault, "ResolvedRefs", "all references are resolved"),
  ];
  const conditions = [
    make.unless(rejected, "Accepted", "requests are sent to the host"),
    ...references,
  ];
  return {
    parents: parents.slice(0, MAX_PARENTS)
      .map((parentRef) => ({ parentRef, controllerName, conditions })),
  };
}

/** The status of an XMesh. Mesh has no parameters for it. */
export function meshStatus(generation: number, { parametersRef }: MeshSpec): GatewayClassStatus {
  const fault = parametersRef === undefined ? undefined : {
    reason: "InvalidParameters",
    message: `${parametersRef.kind} "${parametersRef.name}" cannot be parameters of an XMesh: ` +
      "there are none; remove parametersRef",
  };
  return {
    conditions: [conditionsAt(generation).unless(fault, "Accepted", "Mesh handles the mesh")],
    supportedFeatures: MESH_FEATURES.map((name) => ({ name })),
  };
}
