/**
 * The mesh as a whole, independent of proxies: services, endpoints, policies, routes,
 * scopes and gateways, as derived tables over the input tables.
 *
 * @module
 */
import type { Derived, Graph, Input, Read } from "../graph/mod.ts";
import type { Credential, ServiceTarget } from "../model/mod.ts";
import { deriveNetworks, type Networks } from "./networks.ts";
import { deriveLocalities, type Localities } from "./localities.ts";
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
import type { MeshInputs } from "./inputs.ts";
import type { LabelsKey, Workload } from "./keys.ts";
import { createTables, type Tables } from "./tables.ts";
import { deriveTargets } from "./targets.ts";
import { deriveLevels } from "./levels.ts";

export {
  changeKeys,
  type ChangeRef,
  changeRef,
  type PatchedProxy,
  type Patching,
  type PatchingOf,
  UNPATCHED,
} from "./filters.ts";
export {
  type GatewayHost,
  type GatewayPort,
  gatewayPortKey,
  type GatewayServer,
  gatewayServerKey,
  onlyServer,
  servedHosts,
} from "./gateways.ts";
export { countState, lostProviders, type StateCounts } from "./counts.ts";
export { MESH_ROW, type MeshField } from "./mesh.ts";
export { type Policies, type Policy, type RuleKeys, ruleKeys } from "./policies.ts";
export { protocolOf } from "./protocol.ts";
export type { Routes } from "./routes.ts";
export type { Scopes } from "./scopes.ts";
export { localityOf } from "./endpoints.ts";
export type { Services } from "./services.ts";
export type { Indexes } from "./indexes.ts";
export {
  type EgressKey,
  egressKeys,
  type HostKey,
  hostKeys,
  labelKeys,
  type Labels,
  type LabelsKey,
  labelsKeys,
  type ListenerMember,
  listenerMembers,
  type ListenersKey,
  listenersKeys,
  type PortKey,
  portKeys,
  type SidecarKey,
  sidecarKeys,
  type Workload,
  workloadKeys,
} from "./keys.ts";
export { isRange } from "./listener_members.ts";
export { boundToMesh, destinationsOf } from "./route_names.ts";
export { modeOf, type PeerModes, type Security } from "./security.ts";
export { type KeySet, TABLE_KINDS, type TableKind, tableOf, type Tables } from "./tables.ts";
export { type Candidate, type PassedOver, type Source, sourceOf } from "../base/mod.ts";
export { fromObject, objectRef, whyLater } from "../model/mod.ts";
export { type NetworkMap, networkOf, type Networks } from "./networks.ts";
export { coveredHosts } from "./hosts_by_pattern.ts";
export { type Localities, localityKeys, type LocatedClass, type LocatedKey } from "./localities.ts";
export { policiesOf } from "./policy_indexes.ts";
export { visibilityOf, visibleTo } from "./visibility.ts";

/** All tables: the input tables, their indexes, and the tables derived from them. */
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
  /** Patches and plugins of a proxy. */
  readonly patchingOf: PatchingOf;
  /** Row keys of the Telemetry resources that apply to a workload; see `deriveLevels`. */
  readonly telemetry: Derived<readonly string[], Workload>;
  /** The same for ProxyConfigs. */
  readonly proxyConfigs: Derived<readonly string[], Workload>;
  readonly networks: Networks;
  readonly localities: Localities;
  /** Merged gateway ports; see `deriveGateways`. */
  readonly gatewayPorts: Derived<readonly GatewayPort[], LabelsKey>;
  /** Addresses → service ports served there. */
  readonly targets: Derived<readonly ServiceTarget[], readonly string[]>;
  /**
   * `namespace/name` → a credential. Not one of the configuration tables, because
   * code that writes or copies those must never see a private key.
   */
  readonly credentials: Input<Credential>;
  /** Host without addresses → the addresses that it is given; see `deriveGivenAddresses`. */
  readonly givenAddresses: Derived<readonly string[]>;
  /** The mesh's DNS suffix, for example `cluster.local`. */
  readonly domain: string;
}

/** Creates all tables of the mesh in a graph. */
export function createMesh(graph: Graph, options: {
  readonly domain: string;
  /** The cluster that endpoints of files belong to; default: none. */
  readonly clusterId?: string;
  /** See `derivePolicies`; default: true. */
  readonly mergeEqualExports?: boolean;
  /** See `SelectionOptions`; default: true. */
  readonly selectorsForApiGateways?: boolean;
}): Mesh {
  const { domain, selectorsForApiGateways = true, mergeEqualExports = true } = options;
  const tables = createTables(graph);
  const indexes = createIndexes(graph, tables, domain);
  const field = deriveMesh(graph, tables);
  const rootNamespace = (read: Read): string => field(read, "rootNamespace");
  const inputs: MeshInputs = { graph, tables, indexes, domain, rootNamespace };
  const selection = { rootNamespace, selectorsForApiGateways };
  const services = deriveServices(inputs);
  const routes = deriveRoutes(inputs);
  const scopes = deriveScopes(inputs, services, routes);
  const networks = deriveNetworks(inputs, services, options.clusterId ?? "");
  return {
    graph,
    tables,
    indexes,
    field,
    services,
    policies: derivePolicies(inputs, { mergeEqualExports }),
    routes,
    scopes,
    networks,
    localities: deriveLocalities({ inputs, services, scopes, networks, field }),
    security: deriveSecurity(inputs, selection),
    patchingOf: deriveFilters(inputs, selection),
    telemetry: deriveLevels(graph, tables.telemetries, "telemetry", selection),
    proxyConfigs: deriveLevels(graph, tables.proxyConfigs, "proxyConfigs", selection),
    gatewayPorts: deriveGateways(inputs),
    givenAddresses: deriveGivenAddresses(graph, indexes),
    targets: deriveTargets(inputs, services),
    credentials: graph.input("Credential"),
    domain,
  };
}
