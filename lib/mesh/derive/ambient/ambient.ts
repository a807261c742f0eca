/**
 * All tables of ambient mode.
 *
 * @module
 */
import type { Derived } from "../../graph/mod.ts";
import type { ServiceKey } from "../../model/mod.ts";
import type { GatewayApi } from "../gateway_api/mod.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import type { MeshField } from "../inputs/mod.ts";
import type { Networks, Services } from "../services/mod.ts";
import type { Security } from "../workloads/mod.ts";
import { type AmbientIndexes, ambientIndexes } from "./indexes.ts";
import { type AmbientNetworks, deriveAmbientNetworks } from "./networks.ts";
import { type AmbientPolicies, deriveAmbientPolicies } from "./policies.ts";
import { deriveRemote, type RemoteTables } from "./shares.ts";
import { deriveGlobal } from "./scope.ts";
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
  /** True: global services of other networks are reached by tunnels. */
  readonly multiNetwork: boolean;
}

/** The tables of ambient mode. */
export interface Ambient {
  readonly waypoints: Waypoints;
  readonly networks: AmbientNetworks;
  readonly policies: AmbientPolicies;
  readonly indexes: AmbientIndexes;
  /** A service → true if other networks may reach it. */
  readonly global: Derived<boolean, ServiceKey>;
  readonly clusterId: string;
  readonly allowWaypoints: boolean;
  readonly multiNetwork: boolean;
}

/** The tables with those of the mesh that addresses are made from. */
export interface AmbientTables extends Ambient, Pick<AmbientInputs, "mesh" | "field" | "services"> {
  readonly remote: RemoteTables;
}

/** Creates the indexes and the tables. */
export function deriveAmbient(inputs: AmbientInputs): AmbientTables {
  const { mesh, field, services, clusterId, allowWaypoints, multiNetwork } = inputs;
  const indexes = ambientIndexes(mesh.graph, mesh.tables);
  const waypoints = deriveWaypoints(inputs);
  const tables = {
    mesh,
    field,
    services,
    clusterId,
    allowWaypoints,
    multiNetwork,
    indexes,
    waypoints,
    global: deriveGlobal(mesh, field),
    networks: deriveAmbientNetworks(inputs, indexes),
    policies: deriveAmbientPolicies(inputs, waypoints),
  };
  return { ...tables, remote: deriveRemote(tables) };
}
