/**
 * The built-in mesh configuration.
 *
 * @module
 */
import { create, durationOf } from "../../../kit/proto/mod.ts";
import {
  type MeshConfig,
  MeshConfig_AccessLogEncoding as AccessLogEncoding,
  MeshConfig_InboundTrafficPolicy_Mode as InboundMode,
  MeshConfig_IngressControllerMode as IngressControllerMode,
  MeshConfig_OutboundTrafficPolicy_Mode as OutboundMode,
  MeshConfigSchema,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  AuthenticationPolicy,
  type ProxyConfig,
  ProxyConfigSchema,
} from "#mesh/mesh/v1alpha1/proxy_pb.ts";

/** Built-in durations of the mesh configuration, ms. */
export const MESH_DEFAULTS_MS = { connectTimeout: 10_000, dnsRefreshRate: 60_000 } as const;

/** Returns a new copy of the built-in configuration. */
export function defaultMeshConfig(): MeshConfig {
  return create(MeshConfigSchema, {
    enableTracing: true,
    accessLogFile: "",
    accessLogEncoding: AccessLogEncoding.TEXT,
    ingressService: "mesh-ingressgateway",
    ingressControllerMode: IngressControllerMode.STRICT,
    ingressClass: "mesh",
    trustDomain: "cluster.local",
    enableAutoMtls: true,
    outboundTrafficPolicy: { mode: OutboundMode.ALLOW_ANY },
    inboundTrafficPolicy: { mode: InboundMode.PASSTHROUGH },
    localityLbSetting: { enabled: true },
    rootNamespace: "mesh-system",
    proxyListenPort: 15001,
    proxyInboundListenPort: 15006,
    connectTimeout: durationOf(MESH_DEFAULTS_MS.connectTimeout),
    protocolDetectionTimeout: durationOf(0),
    dnsRefreshRate: durationOf(MESH_DEFAULTS_MS.dnsRefreshRate),
    defaultServiceExportTo: ["*"],
    defaultVirtualServiceExportTo: ["*"],
    defaultDestinationRuleExportTo: ["*"],
    enablePrometheusMerge: true,
    defaultConfig: defaultProxyConfig(),
    extensionProviders: [
      { name: "prometheus", provider: { case: "prometheus", value: {} } },
      { name: "stackdriver", provider: { case: "stackdriver", value: {} } },
      {
        name: "dataproxy",
        provider: { case: "dataproxyFileAccessLog", value: { path: "/dev/stdout" } },
      },
    ],
  });
}

/** Returns a new copy of the built-in proxy configuration. */
export function defaultProxyConfig(): ProxyConfig {
  return create(ProxyConfigSchema, {
    configPath: "./etc/mesh/proxy",
    binaryPath: "/usr/local/bin/dataproxy",
    clusterName: { case: "serviceCluster", value: "mesh-proxy" },
    drainDuration: durationOf(45_000),
    terminationDrainDuration: durationOf(5_000),
    proxyAdminPort: 15000,
    controlPlaneAuthPolicy: AuthenticationPolicy.MUTUAL_TLS,
    discoveryAddress: "meshd.mesh-system.svc:15012",
    statNameLength: 189,
    statusPort: 15020,
  });
}
