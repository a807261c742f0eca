/**
 * Conditions of ambient mode in the status of Services, ServiceEntries, WorkloadEntries and
 * AuthorizationPolicies, as the mesh derives them.
 *
 * @module
 */
import {
  AMBIENT_ENABLE_STATUS,
  NO_STATUS,
  type OwnParts,
  runGatewayStatus,
  statusPace,
  type Term,
} from "../../lib/cluster/controllers/mod.ts";
import { types } from "../../lib/kit/orch/mod.ts";
import { WAYPOINT_ACCEPTED, WAYPOINT_BOUND, ZTUNNEL_ACCEPTED } from "../../lib/mesh/ambient/mod.ts";
import {
  AMBIENT_STATUS_KINDS,
  type AmbientObject,
  deriveAmbientStatus,
} from "../../lib/mesh/derive/mod.ts";
import { PILOT_GATEWAY_API_CONTROLLER_NAME } from "../../lib/mesh/environment/mod.ts";
import { KINDS } from "../../lib/mesh/schema/mod.ts";
import { furtherVersions, resourceTypeOf } from "../../lib/mesh/sources/mod.ts";
import type { Engine } from "./engine.ts";

/** Longest time until a change of the mesh is noticed, in milliseconds. */
const EVERY_MS = 250;

const OWN: OwnParts = {
  conditions: new Set([WAYPOINT_BOUND, ZTUNNEL_ACCEPTED, WAYPOINT_ACCEPTED]),
  fields: [],
};

/** The controller with the name of its lease. */
export function ambientStatusControllers(
  { graph, pipeline: { mesh } }: Engine,
): { readonly name: string; readonly run: (term: Term) => Promise<void> }[] {
  if (mesh.ambient === undefined || !AMBIENT_ENABLE_STATUS.get()) return [];
  const table = deriveAmbientStatus(mesh.ambient, mesh.gatewayApi);
  const kinds = new Map(
    KINDS.filter(({ kind }) => isReported(kind)).map((kind) => [resourceTypeOf(kind), kind]),
  );
  return [{
    name: "mesh-ambient-status-leader",
    run: (term) =>
      runGatewayStatus(term, {
        types: [types.SERVICE, ...kinds.keys()],
        versionsOf: (type) => {
          const kind = kinds.get(type);
          return kind && furtherVersions(kind);
        },
        controllerName: PILOT_GATEWAY_API_CONTROLLER_NAME.get(),
        own: OWN,
        follow: (kind, key, changed) =>
          isReported(kind) ? graph.tap(table, { kind, ...key }, changed) : NO_STATUS,
        everyMs: EVERY_MS,
        pace: statusPace(),
      }),
  }];
}

function isReported(kind: string): kind is AmbientObject["kind"] {
  return AMBIENT_STATUS_KINDS.some((one) => one === kind);
}
