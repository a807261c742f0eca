/**
 * The input tables and their indexes: the only way configuration enters.
 *
 * @module
 */
import type { Graph, Input } from "../graph/mod.ts";
import type { ConfigObject } from "../model/mod.ts";
import type { ProxyConfig } from "#mesh/networking/v1beta1/proxy_config_pb.ts";
import type { Struct } from "../proto/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { DestinationRule } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Gateway } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { Sidecar } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { DataproxyFilter } from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import type { WasmPlugin } from "#mesh/extensions/v1alpha1/wasm_pb.ts";
import type { AuthorizationPolicy } from "#mesh/security/v1beta1/authorization_policy_pb.ts";
import type { PeerAuthentication } from "#mesh/security/v1beta1/peer_authentication_pb.ts";
import type { RequestAuthentication } from "#mesh/security/v1beta1/request_authentication_pb.ts";
import type { Telemetry } from "#mesh/telemetry/v1alpha1/telemetry_pb.ts";
import type { WorkloadEntry } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";

/** Kinds with a table of their own, in the order of the tables. */
export const TABLE_KINDS = [
  "ServiceEntry",
  "WorkloadEntry",
  "VirtualService",
  "DestinationRule",
  "Gateway",
  "Sidecar",
  "AuthorizationPolicy",
  "RequestAuthentication",
  "PeerAuthentication",
  "DataproxyFilter",
  "WasmPlugin",
  "Telemetry",
  "ProxyConfig",
  "Namespace",
] as const;

/** A kind that has a table. */
export type TableKind = typeof TABLE_KINDS[number];

/** Keys that tokens are verified with, as they were fetched. */
export interface KeySet {
  /** A JSON Web Key Set; absent when none could be had so far. */
  readonly jwks?: string;
}

/** Certificates that Gateways name, as they were found; what is not there is undefined. All are PEM but the staple. */
export interface Credential {
  readonly certificate?: string;
  readonly privateKey?: string;
  readonly authorities?: string;
  readonly revoked?: string;
  /** DER in base64. */
  readonly ocspStaple?: string;
}

/** All input tables. Rows of objects are keyed by `namespace/name`. */
export interface Tables {
  readonly serviceEntries: Input<ConfigObject<ServiceEntry>>;
  readonly workloadEntries: Input<ConfigObject<WorkloadEntry>>;
  readonly virtualServices: Input<ConfigObject<VirtualService>>;
  readonly destinationRules: Input<ConfigObject<DestinationRule>>;
  readonly gateways: Input<ConfigObject<Gateway>>;
  readonly sidecars: Input<ConfigObject<Sidecar>>;
  readonly authorizationPolicies: Input<ConfigObject<AuthorizationPolicy>>;
  readonly requestAuthentications: Input<ConfigObject<RequestAuthentication>>;
  readonly peerAuthentications: Input<ConfigObject<PeerAuthentication>>;
  readonly dataproxyFilters: Input<ConfigObject<DataproxyFilter>>;
  readonly wasmPlugins: Input<ConfigObject<WasmPlugin>>;
  readonly telemetries: Input<ConfigObject<Telemetry>>;
  readonly proxyConfigs: Input<ConfigObject<ProxyConfig>>;
  /** Keyed by `/name`: namespaces, of which the labels count. */
  readonly namespaces: Input<ConfigObject<Struct>>;
  /** Address of a key set → what it holds, or why it could not be had. */
  readonly keySets: Input<KeySet>;
  /** One row, key `config`. */
  readonly mesh: Input<MeshConfig>;
  /** One row, key `config`. */
  readonly networks: Input<MeshNetworks>;
}

/** Creates the tables. */
export function createTables(graph: Graph): Tables {
  const objects = <T>(name: TableKind): Input<ConfigObject<T>> =>
    graph.input<ConfigObject<T>>(name, { equal: sameObject });
  return {
    serviceEntries: objects<ServiceEntry>("ServiceEntry"),
    workloadEntries: objects<WorkloadEntry>("WorkloadEntry"),
    virtualServices: objects<VirtualService>("VirtualService"),
    destinationRules: objects<DestinationRule>("DestinationRule"),
    gateways: objects<Gateway>("Gateway"),
    sidecars: objects<Sidecar>("Sidecar"),
    authorizationPolicies: objects<AuthorizationPolicy>("AuthorizationPolicy"),
    requestAuthentications: objects<RequestAuthentication>("RequestAuthentication"),
    peerAuthentications: objects<PeerAuthentication>("PeerAuthentication"),
    dataproxyFilters: objects<DataproxyFilter>("DataproxyFilter"),
    wasmPlugins: objects<WasmPlugin>("WasmPlugin"),
    telemetries: objects<Telemetry>("Telemetry"),
    proxyConfigs: objects<ProxyConfig>("ProxyConfig"),
    namespaces: objects<Struct>("Namespace"),
    keySets: graph.input("KeySet"),
    mesh: graph.input("MeshConfig"),
    networks: graph.input("MeshNetworks"),
  };
}

/** The table of a kind. */
export function tableOf(tables: Tables, kind: TableKind): Input<ConfigObject> {
  const byKind: Record<TableKind, Input<ConfigObject>> = {
    ServiceEntry: tables.serviceEntries,
    WorkloadEntry: tables.workloadEntries,
    VirtualService: tables.virtualServices,
    DestinationRule: tables.destinationRules,
    Gateway: tables.gateways,
    Sidecar: tables.sidecars,
    AuthorizationPolicy: tables.authorizationPolicies,
    RequestAuthentication: tables.requestAuthentications,
    PeerAuthentication: tables.peerAuthentications,
    Telemetry: tables.telemetries,
    DataproxyFilter: tables.dataproxyFilters,
    WasmPlugin: tables.wasmPlugins,
    ProxyConfig: tables.proxyConfigs,
    Namespace: tables.namespaces,
  };
  return byKind[kind];
}

/** Rows are equal when nothing that generation reads differs; where the object stands in its file does not matter. */
function sameObject(a: ConfigObject, b: ConfigObject): boolean {
  return a.digest === b.digest && a.meta.creationTime === b.meta.creationTime;
}
