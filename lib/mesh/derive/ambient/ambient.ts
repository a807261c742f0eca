/**
 * All tables of ambient mode.
 *
 * @module
 */
import type { GatewayApi } from "../gateway_api/mod.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import type { MeshField } from "../inputs/mod.ts";
import type { Networks, Services } from "../services/mod.ts";
import type { Security } from "../workloads/mod.ts";
import { type AmbientIndexes, ambientIndexes } from "./indexes.ts";
import { type AmbientNetworks, deriveAmbientNetworks } from "./networks.ts";
import { type AmbientPolicies, deriveAmbientPolicies } from "./policies.ts";
import { deriveWaypoints, type Waypoints } from "./waypoints.ts";

/** Everything that the tables of ambient mode are made from. */
export interface AmbientInputs {
  readonly mesh: MeshInputs;
  readonly field: MeshField;
  readonly services: Services;
  readonly networks: Networks;
  readonly security: Security;
  readonly gatewayApi: GatewayApi;
  /** The daemon's cluster. */
  readonly clusterId: string;
  /** True: workloads behind a waypoint accept connections of the waypoint alone. */
  readonly allowWaypoints: boolean;
}

/** The tables of ambient mode. */
export interface Ambient {
  readonly waypoints: Waypoints;
  readonly networks: AmbientNetworks;
  readonly policies: AmbientPolicies;
  readonly indexes: AmbientIndexes;
  readonly clusterId: string;
  readonly allowWaypoints: boolean;
}

/** The tables with those of the mesh that addresses are made from. */
export type AmbientTables = Ambient & Pick<AmbientInputs, "mesh" | "field" | "services">;

/** Creates the indexes and the tables. */
export function deriveAmbient(inputs: AmbientInputs): AmbientTables {
  const { mesh, field, services, clusterId, allowWaypoints } = inputs;
  const indexes = ambientIndexes(mesh.graph, mesh.tables);
  const waypoints = deriveWaypoints(inputs);
  return {
    mesh,
    field,
    services,
    clusterId,
    allowWaypoints,
    indexes,
    waypoints,
    networks: deriveAmbientNetworks(inputs, indexes),
    policies: deriveAmbientPolicies(inputs, waypoints),
  };
}
