/**
 * The mesh as a whole, independent of proxies: services, endpoints, policies, routes,
 * scopes and gateways, as derived tables over the input tables.
 *
 * @module
 */
import type { Derived, Graph, Input, Read } from "../graph/mod.ts";
import type { Credential, ObjectKey, ServiceTarget } from "../model/mod.ts";
import {
  deriveAutoAddresses,
  deriveNetworks,
  deriveServices,
  deriveTargets,
  type Networks,
  type Services,
} from "./services/mod.ts";
import {
  type ClientCertificates,
  deriveLocalities,
  deriveScopes,
  type Localities,
  type Scopes,
} from "./scopes/mod.ts";
import {
  deriveFilters,
  deriveLevelOfService,
  deriveLevels,
  deriveOwnWorkloads,
  deriveSecurity,
  indexSelectors,
  type OwnWorkload,
  type Patches,
  type ProxyIdentity,
  type Security,
} from "./workloads/mod.ts";
import { deriveGateways, type GatewayPort } from "./gateways.ts";
import {
  type Asked,
  createAsked,
  createTables,
  deriveMesh,
  type LabelsKey,
  type MeshField,
  type Tables,
  type Workload,
} from "./inputs/mod.ts";
import { derivePolicies, type Policies } from "./destination_rules/mod.ts";
import { deriveRoutes, type Routes } from "./routes/mod.ts";
import { createIndexes, type Indexes, type MeshInputs } from "./indexes/mod.ts";
import {
  clientCertificatesOf,
  deriveGatewayApi,
  feedGatewayApi,
  type GatewayApi,
  gatewayApiTables,
  materialOf,
  networkGatewaysOf,
} from "./gateway_api/mod.ts";
import { type AmbientTables, deriveAmbient } from "./ambient/mod.ts";
import type { ClassNames } from "../gateway_api/mod.ts";

export {
  changeKeys,
  type ChangeRef,
  changeRef,
  modeOf,
  type OwnWorkload,
  type PatchedProxy,
  type Patches,
  type Patching,
  type PatchingOf,
  type PeerModes,
  type Security,
  UNPATCHED,
  type WaypointTarget,
} from "./workloads/mod.ts";
export {
  type GatewayHost,
  type GatewayPort,
  gatewayPortKey,
  type GatewayServer,
  gatewayServerKey,
  onlyServer,
  servedHosts,
} from "./gateways.ts";
export { type GatewaySelector, gatewaySelectors, selectsWorkload } from "./gateway_selection.ts";
export * from "./gateway_api/mod.ts";
export * from "./ambient/mod.ts";
export { countState, lostProviders, type StateCounts } from "./counts.ts";
export {
  allocationOf,
  type Asked,
  type AskedName,
  askedNames,
  boundToMesh,
  destinationsOf,
  type EgressKey,
  egressKeys,
  groupAt,
  type HostKey,
  hostKeys,
  isRange,
  type KeySet,
  labelKeys,
  type Labels,
  type LabelsKey,
  labelsKeys,
  type ListenerMember,
  listenerMembers,
  type ListenersKey,
  listenersKeys,
  MESH_ROW,
  type MeshField,
  type PortKey,
  portKeys,
  protocolOf,
  type SidecarKey,
  sidecarKeys,
  TABLE_KINDS,
  type TableKind,
  tableOf,
  type Tables,
  visibilityOf,
  visibleTo,
  type Workload,
  workloadKeys,
} from "./inputs/mod.ts";
export { type Policies, type Policy, type RuleKeys, ruleKeys } from "./destination_rules/mod.ts";
export { gatewayRoutesOfHost, hostsOfGateway, type Routes } from "./routes/mod.ts";
export {
  type Localities,
  localityKeys,
  type LocatedClass,
  type LocatedKey,
  type Scopes,
} from "./scopes/mod.ts";
export { isClusterLocal } from "./scopes/mod.ts";
export {
  localityOf,
  type NetworkMap,
  networkOf,
  type Networks,
  type PortConflict,
  portConflicts,
  type Services,
} from "./services/mod.ts";
export { coveredHosts, type Indexes, policiesOf } from "./indexes/mod.ts";
export { type Candidate, type PassedOver, type Source, sourceOf } from "../../kit/base/mod.ts";
export { fromObject, objectRef, whyLater } from "../model/mod.ts";

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
  readonly patches: Patches;
  /** Row keys of the Telemetry resources that apply to a workload; see `deriveLevels`. */
  readonly telemetry: Derived<readonly string[], Workload>;
  /** The object of a service → row key of the Telemetry that targets it; see `deriveLevelOfService`. */
  readonly telemetryOfService: Derived<readonly string[]>;
  /** The same for ProxyConfigs. */
  readonly proxyConfigs: Derived<readonly string[], Workload>;
  readonly networks: Networks;
  readonly localities: Localities;
  /** Merged gateway ports; see `deriveGateways`. */
  readonly gatewayPorts: Derived<readonly GatewayPort[], LabelsKey>;
  /** Addresses → service ports served there. */
  readonly targets: Derived<readonly ServiceTarget[], readonly string[]>;
  /** A proxy → the pod or WorkloadEntry beside it; see `deriveOwnWorkloads`. */
  readonly ownWorkloads: Derived<OwnWorkload, ProxyIdentity>;
  /**
   * `namespace/name` → a credential. Not one of the configuration tables, because
   * code that writes or copies those must never see a private key.
   */
  readonly credentials: Input<Credential>;
  /** Virtual hosts that proxies with configuration on demand asked for. */
  readonly asked: Asked;
  /** Objects of the Gateway API, bound to each other. */
  readonly gatewayApi: GatewayApi;
  /** Unset: ambient mode is off. */
  readonly ambient?: AmbientTables;
  /** Certificates that Gateways show to backends. */
  readonly clientCertificates: ClientCertificates;
  /** Host without addresses → the auto-allocated addresses; see `deriveAutoAddresses`. */
  readonly autoAddresses: Derived<readonly string[]>;
  /** The mesh's DNS suffix, for example `cluster.local`. */
  readonly domain: string;
  /** The cluster that endpoints of files belong to; empty: none. */
  readonly clusterId: string;
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
  /** Names of the controller and of the class of the Gateway API. */
  readonly gatewayClasses?: ClassNames;
  /** False: objects of the Gateway API have no effect; default: true. */
  readonly gatewayApi?: boolean;
  /** True: fields of its experimental channel act; default: false. */
  readonly experimentalGatewayApi?: boolean;
  /** False: Gateways of the Gateway API with the label of a network are no gateways of it. */
  readonly discoverNetworkGateways?: boolean;
  /** True: Gateways select only proxies of their own namespace; default: false. */
  readonly scopedGateways?: boolean;
  /** True: ambient mode is on; default: false. */
  readonly ambient?: boolean;
  /** True: workloads behind a waypoint accept connections of the waypoint alone; default: false. */
  readonly allowWaypoints?: boolean;
  /** True: global services of other networks are reached by tunnels; default: false. */
  readonly multiNetwork?: boolean;
}): Mesh {
  const { domain, clusterId = "" } = options;
  const { selectorsForApiGateways = true, mergeEqualExports = true } = options;
  const tables = createTables(graph);
  const indexes = createIndexes(graph, tables, domain);
  const field = deriveMesh(graph, tables);
  const rootNamespace = (read: Read): string => field(read, "rootNamespace");
  const inputs: MeshInputs = { graph, tables, indexes, domain, rootNamespace };
  const selection = { rootNamespace, selectorsForApiGateways };
  const services = deriveServices(inputs);
  const routes = deriveRoutes(inputs);
  const scopes = deriveScopes(inputs, services, routes);
  const credentials = graph.input<Credential>("Credential");
  const gatewayApi = deriveGatewayApi({
    mesh: inputs,
    services,
    api: gatewayApiTables(tables),
    options: {
      ...materialOf(credentials),
      names: options.gatewayClasses ?? {},
      experimental: options.experimentalGatewayApi ?? false,
    },
  });
  const clientCertificates = clientCertificatesOf(gatewayApi);
  const discovers = (options.gatewayApi ?? true) && (options.discoverNetworkGateways ?? true);
  const further = discovers ? networkGatewaysOf(gatewayApi) : () => [];
  const networks = deriveNetworks(inputs, services, { clusterId, further });
  if (options.gatewayApi ?? true) feedGatewayApi(gatewayApi);
  const security = deriveSecurity(inputs, selection);
  const ambient = options.ambient !== true ? undefined : deriveAmbient({
    mesh: inputs,
    field,
    services,
    networks,
    security,
    gatewayApi,
    clusterId,
    allowWaypoints: options.allowWaypoints ?? false,
    multiNetwork: options.multiNetwork ?? false,
  });
  const telemetries = indexSelectors(graph, tables.telemetries);
  const atWaypoints = ambient === undefined ? selection : {
    ...selection,
    classOf: (read: Read, gateway: ObjectKey): string =>
      read.get(ambient.waypoints.waypoint, gateway)?.className ?? "",
  };
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
    localities: deriveLocalities({
      ...{ inputs, services, scopes, networks, field, clusterId, clientCertificates },
      hasTunnels: (read) =>
        ambient?.multiNetwork === true && read.any(ambient.indexes.networks, "all"),
    }),
    security,
    patches: deriveFilters(inputs, atWaypoints, ambient?.waypoints.served),
    telemetry: deriveLevels(graph, { name: "telemetry", policies: telemetries }, atWaypoints),
    telemetryOfService: deriveLevelOfService(graph, {
      name: "telemetry.ofService",
      policies: telemetries,
    }),
    proxyConfigs: deriveLevels(graph, {
      name: "proxyConfigs",
      policies: indexSelectors(graph, tables.proxyConfigs),
    }, selection),
    gatewayPorts: deriveGateways(inputs, { scoped: options.scopedGateways ?? false }),
    autoAddresses: deriveAutoAddresses(graph, indexes),
    targets: deriveTargets(inputs, services),
    ownWorkloads: deriveOwnWorkloads(inputs, clusterId),
    credentials,
    asked: createAsked(graph),
    gatewayApi,
    ...(ambient === undefined ? {} : { ambient }),
    clientCertificates,
    domain,
    clusterId,
  };
}
