/**
 * Declarations of the tables that layers are made of: the types of their keys, with codecs, and which
 * tables there are. Other folders create them.
 *
 * @module
 */
export { certificateFiles, certificateFilesOf, type ClassTables } from "./classes.ts";
export { type CredentialTables, type SecretKey, secretKeys } from "./credentials.ts";
export {
  automaticHostKeys,
  type AutomaticTables,
  type GatewayClusterTables,
  type GatewayHostKey,
  gatewayHostKeys,
  gatewayKeys,
  gatewayListenerKeys,
  gatewayLocalityKeys,
  type GatewayTable,
  type GatewayTableKey,
  gatewayTableKeys,
  type GatewayTables,
  gatewayTables,
} from "./gateways.ts";
export {
  type ClientScope,
  clientScopes,
  grpcClientKeys,
  type GrpcTables,
  type TargetKey,
  targetKeys,
} from "./grpc.ts";
export {
  clientEgressKeys,
  clientListenerKeys,
  type ClusterContent,
  clusterContents,
  type ClusterKey,
  clusterKeys,
  type EgressListenerKey,
  egressListenerKeys,
  egressRulesKeys,
  type ListenerKey,
  listenerKeys,
  localClusterKeys,
  type PlainListeners,
  type RulesKey,
  rulesKeys,
  type SourceLabelListeners,
} from "./outbound.ts";
export {
  clientHostKeys,
  clientPortKeys,
  clientTableHostKeys,
  clientTableKeys,
  type DetectedTables,
  type EgressTableKey,
  egressTableKeys,
  type HttpProxyKey,
  httpProxyKeys,
  type HttpProxyTables,
  type OnDemandHosts,
  type PlainRoutes,
  type Routes,
  type RouteTables,
  sidecarClassKeys,
  type SidecarClientsKey,
  sidecarClientsKeys,
  type SourceLabelRoutes,
  type TableHostKey,
  tableHostKeys,
  type VirtualHostKey,
  virtualHostKeys,
} from "./routes.ts";
export {
  type Egress,
  type EgressHost,
  egressHosts,
  egressKeys,
  type EgressKind,
  type EgressMember,
  egressMembers,
  type EgressPortKey,
  egressPorts,
  type EgressTable,
  egressTables,
} from "./sidecars.ts";
