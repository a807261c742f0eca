/**
 * The mesh as a whole, no proxy in sight: services, endpoints, policies, routes,
 * scopes, gateways, as derived tables over the input tables.
 *
 * @module
 */
import type { Derived, Graph, Input, Read } from "../graph/mod.ts";
import type { ServiceTarget } from "../model/mod.ts";
import { deriveNetworks, type Networks } from "./networks.ts";
import { derivePlaces, type Places } from "./places.ts";
import { deriveFilters, type PatchingOf } from "./filters.ts";
import { deriveGivenAddresses } from "./addresses.ts";
import { deriveGateways, type GatewayPort } from "./gateways.ts";
import { deriveMesh, type MeshField } from "./mesh.ts";
import { derivePolicies, type Policies } from "./policies.ts";
import { deriveRoutes, type Routes } from "./routes.ts";
import { deriveScopes, type Scopes } from "./scopes.ts";
import { deriveSecurity, type Security } from "./security.ts";
import { deriveServices, type Services } from "./services.ts";
import { createIndexes, type Indexes } from "./indexes.ts";
import { createTables, type Credential, type Tables } from "./tables.ts";
import { deriveTargets } from "./targets.ts";
import { deriveLevels } from "./levels.ts";

export { type PatchedProxy, type Patching, type PatchingOf, UNPATCHED } from "./filters.ts";
export {
  type GatewayHost,
  type GatewayPort,
  gatewayPortKey,
  type GatewayServer,
  gatewayServerKey,
  onlyServer,
  servedHosts,
} from "./gateways.ts";
export { coveringPatterns, covers, fullHost, intersectHosts, isWildcard } from "./hosts.ts";
export { countState, lostProviders, type StateCounts } from "./counts.ts";
export { MESH_ROW, type MeshField } from "./mesh.ts";
export type { Policies, Policy } from "./policies.ts";
export { protocolOf } from "./protocol.ts";
export type { Routes } from "./routes.ts";
export { labelsKey, parseLabels, type Scopes } from "./scopes.ts";
export { byAge, hasLabels, localityOf, type Services, splitServiceKey } from "./services.ts";
export { givenBucket, type Indexes } from "./indexes.ts";
export { isRange } from "./listener_members.ts";
export { boundToMesh, destinationsOf, gatewayKey } from "./route_names.ts";
export {
  modeOf,
  type PeerMode,
  type PeerModes,
  type Security,
  type Workload,
  workloadKey,
} from "./security.ts";
export {
  type Credential,
  type KeySet,
  TABLE_KINDS,
  type TableKind,
  tableOf,
  type Tables,
} from "./tables.ts";
export {
  type Candidate,
  choose,
  deriveTelling,
  fromObject,
  type Held,
  held,
  lookUp,
  objectRef,
  type PassedOver,
  type Source,
  sourceOf,
  type Tell,
  type Telling,
  type Told,
  whyLater,
  within,
} from "./tell.ts";
export { type NetworkGateway, type NetworkMap, networkOf, type Networks } from "./networks.ts";
export { coveredHosts, parsePlace, type PlacedClass, type Places } from "./places.ts";
export { policiesOf } from "./policy_indexes.ts";
export { topologyLabels } from "./topology.ts";
export { LEVEL_JOINT } from "./levels.ts";
export { visibilityOf, visibleTo } from "./visibility.ts";

/** Everything derived from configuration. */
export interface Mesh {
  readonly graph: Graph;
  readonly tables: Tables;
  readonly indexes: Indexes;
  readonly field: MeshField;
  readonly services: Services;
  readonly policies: Policies;
  readonly routes: Routes;
  readonly scopes: Scopes;
  readonly security: Security;
  /** What changes a proxy's resources after they were made. */
  readonly patchingOf: PatchingOf;
  /** Workload → keys of the Telemetry resources that apply to it; see `deriveLevels`. */
  readonly telemetry: Derived<string>;
  /** The same of ProxyConfigs. */
  readonly proxyConfigs: Derived<string>;
  readonly networks: Networks;
  readonly places: Places;
  /** `NS|labels` → merged gateway ports; see `deriveGateways`. */
  readonly gatewayPorts: Derived<readonly GatewayPort[]>;
  /** `address,address` → service ports served there. */
  readonly targets: Derived<readonly ServiceTarget[]>;
  /**
   * `namespace/name` → a credential. Not among the tables of configuration: what
   * writes those down or copies them must never come by a private key.
   */
  readonly credentials: Input<Credential>;
  /** host → addresses it is given, having none; see `deriveGivenAddresses`. */
  readonly givenAddresses: Derived<readonly string[]>;
  /** The mesh's DNS suffix, for example `cluster.local`. */
  readonly domain: string;
}

/** Creates all tables of the mesh in a graph. */
export function createMesh(graph: Graph, options: {
  readonly domain: string;
  /** The cluster that endpoints of files belong to; default: none. */
  readonly clusterId?: string;
  /** See `PolicyOptions`; true unless said otherwise. */
  readonly mergeEqualExports?: boolean;
  /** See `SecurityOptions`; true unless said otherwise. */
  readonly selectorsForApiGateways?: boolean;
}): Mesh {
  const { domain } = options;
  const tables = createTables(graph);
  const indexes = createIndexes(graph, tables, domain);
  const field = deriveMesh(graph, tables);
  const services = deriveServices(graph, tables, indexes);
  const policies = derivePolicies(graph, tables, indexes, {
    rootNamespace: (read) => field(read, "rootNamespace"),
    mergeEqualExports: options.mergeEqualExports ?? true,
    domain,
  });
  const routes = deriveRoutes(graph, tables, indexes, domain);
  const scopes = deriveScopes(graph, tables, indexes, services, routes, domain);
  const choosing = {
    rootNamespace: (read: Read) => field(read, "rootNamespace"),
    selectorsForApiGateways: options.selectorsForApiGateways ?? true,
  };
  const networks = deriveNetworks(graph, tables, services, options.clusterId ?? "");
  return {
    graph,
    tables,
    indexes,
    field,
    services,
    policies,
    routes,
    scopes,
    networks,
    places: derivePlaces(graph, { tables, indexes, services, scopes, networks, field, domain }),
    security: deriveSecurity(graph, tables, choosing),
    patchingOf: deriveFilters(graph, tables, choosing),
    telemetry: deriveLevels(graph, tables.telemetries, "telemetry", choosing),
    proxyConfigs: deriveLevels(graph, tables.proxyConfigs, "proxyConfigs", choosing),
    gatewayPorts: deriveGateways(graph, tables, indexes),
    givenAddresses: deriveGivenAddresses(graph, indexes),
    targets: deriveTargets(graph, tables, indexes, services),
    credentials: graph.input("Credential"),
    domain,
  };
}
