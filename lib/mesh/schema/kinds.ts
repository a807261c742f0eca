/**
 * The table of kinds. The input tables, the effective fields, validation and names come from it. To
 * add a kind: one file in `kinds/`, one row here.
 *
 * @module
 */
import { type Kind, type KindName, type TabledKind, writtenKind } from "./kind.ts";
import {
  AUTHORIZATION_POLICY,
  BACKEND_TLS_POLICY,
  DATAPROXY_FILTER,
  DESTINATION_RULE,
  GATEWAY,
  GATEWAY_CLASS,
  GRPC_ROUTE,
  HTTP_ROUTE,
  KUBERNETES_GATEWAY,
  LISTENER_SET,
  NAMESPACE,
  PEER_AUTHENTICATION,
  PROXY_CONFIG,
  REFERENCE_GRANT,
  REQUEST_AUTHENTICATION,
  SERVICE_ENTRY,
  SIDECAR,
  TCP_ROUTE,
  TELEMETRY,
  TLS_ROUTE,
  UDP_ROUTE,
  VIRTUAL_SERVICE,
  WASM_PLUGIN,
  WORKLOAD_ENTRY,
  WORKLOAD_GROUP,
  X_BACKEND,
  X_BACKEND_TRAFFIC_POLICY,
  X_MESH,
} from "./kinds/mod.ts";
import { UNSUPPORTED_KINDS } from "./unsupported_kinds.ts";

/** Kinds with an input table, in the order of the tables. */
export interface TabledKinds {
  readonly ServiceEntry: typeof SERVICE_ENTRY;
  readonly WorkloadEntry: typeof WORKLOAD_ENTRY;
  readonly VirtualService: typeof VIRTUAL_SERVICE;
  readonly DestinationRule: typeof DESTINATION_RULE;
  readonly Gateway: typeof GATEWAY;
  readonly Sidecar: typeof SIDECAR;
  readonly AuthorizationPolicy: typeof AUTHORIZATION_POLICY;
  readonly RequestAuthentication: typeof REQUEST_AUTHENTICATION;
  readonly PeerAuthentication: typeof PEER_AUTHENTICATION;
  readonly DataproxyFilter: typeof DATAPROXY_FILTER;
  readonly WasmPlugin: typeof WASM_PLUGIN;
  readonly Telemetry: typeof TELEMETRY;
  readonly ProxyConfig: typeof PROXY_CONFIG;
  readonly WorkloadGroup: typeof WORKLOAD_GROUP;
  readonly Namespace: typeof NAMESPACE;
  readonly GatewayClass: typeof GATEWAY_CLASS;
  readonly KubernetesGateway: typeof KUBERNETES_GATEWAY;
  readonly ListenerSet: typeof LISTENER_SET;
  readonly HTTPRoute: typeof HTTP_ROUTE;
  readonly GRPCRoute: typeof GRPC_ROUTE;
  readonly TLSRoute: typeof TLS_ROUTE;
  readonly TCPRoute: typeof TCP_ROUTE;
  readonly UDPRoute: typeof UDP_ROUTE;
  readonly ReferenceGrant: typeof REFERENCE_GRANT;
  readonly BackendTLSPolicy: typeof BACKEND_TLS_POLICY;
  readonly XBackendTrafficPolicy: typeof X_BACKEND_TRAFFIC_POLICY;
  readonly XBackend: typeof X_BACKEND;
  readonly XMesh: typeof X_MESH;
}

/** Kinds with an input table, by name. */
export const TABLED_KINDS: TabledKinds = {
  ServiceEntry: SERVICE_ENTRY,
  WorkloadEntry: WORKLOAD_ENTRY,
  VirtualService: VIRTUAL_SERVICE,
  DestinationRule: DESTINATION_RULE,
  Gateway: GATEWAY,
  Sidecar: SIDECAR,
  AuthorizationPolicy: AUTHORIZATION_POLICY,
  RequestAuthentication: REQUEST_AUTHENTICATION,
  PeerAuthentication: PEER_AUTHENTICATION,
  DataproxyFilter: DATAPROXY_FILTER,
  WasmPlugin: WASM_PLUGIN,
  Telemetry: TELEMETRY,
  ProxyConfig: PROXY_CONFIG,
  WorkloadGroup: WORKLOAD_GROUP,
  Namespace: NAMESPACE,
  GatewayClass: GATEWAY_CLASS,
  KubernetesGateway: KUBERNETES_GATEWAY,
  ListenerSet: LISTENER_SET,
  HTTPRoute: HTTP_ROUTE,
  GRPCRoute: GRPC_ROUTE,
  TLSRoute: TLS_ROUTE,
  TCPRoute: TCP_ROUTE,
  UDPRoute: UDP_ROUTE,
  ReferenceGrant: REFERENCE_GRANT,
  BackendTLSPolicy: BACKEND_TLS_POLICY,
  XBackendTrafficPolicy: X_BACKEND_TRAFFIC_POLICY,
  XBackend: X_BACKEND,
  XMesh: X_MESH,
};

/** Name of a kind that has an input table. */
export type TableKind = keyof TabledKinds;

/** Message type of a kind's specification. */
export type SpecOf<K extends TableKind> = TabledKinds[K] extends
  TabledKind<string, string, infer Spec> ? Spec : never;

/** Names of the kinds that have an input table. */
export const TABLE_KINDS: readonly TableKind[] = Object.keys(TABLED_KINDS) as TableKind[];

/** True for the name of a kind that has an input table. */
export function isTableKind(kind: string): kind is TableKind {
  return Object.hasOwn(TABLED_KINDS, kind);
}

/** All supported kinds. */
export const KINDS: readonly Kind[] = Object.values(TABLED_KINDS) as Kind[];

/** Returns the kind of a group, supported or not; `undefined` if it is unknown. */
export function findKind(group: string, kind: string): Kind | KindName | undefined {
  const named = (one: KindName) => writtenKind(one) === kind && one.group === group;
  return KINDS.find(named) ?? UNSUPPORTED_KINDS.find(named);
}

/** True for a supported kind. */
export function isSupported(kind: Kind | KindName): kind is Kind {
  return "schema" in kind;
}
