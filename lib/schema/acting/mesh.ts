/**
 * Fields that act, of the mesh configuration and of what workloads share.
 *
 * @module
 */

import type { Acting } from "./types.ts";

/** Of proxies' connections. */
const CONNECTION_SETTINGS = [
  "profile",
  "listenerPerConnectionBufferLimitBytes",
  "httpIdleTimeout",
  "httpMaxConnectionDuration",
  "httpDrainTimeout",
  "httpRequestTimeout",
  "httpRequestHeadersTimeout",
  "httpStreamIdleTimeout",
  "httpMaxStreamDuration",
  "httpMaxConcurrentStreams",
  "http2InitialStreamWindowSize",
  "http2InitialConnectionWindowSize",
  "httpHeadersWithUnderscoresAction",
  "httpMergeSlashes",
  "httpPathWithEscapedSlashesAction",
  "globalDownstreamConnectionLimit",
  "listenerConnectionLimit",
  "clusterPerConnectionBufferLimitBytes",
];

/** Of headers. `metadataExchangeHeaders: IN_MESH` is what happens anyway: others are told nothing of workloads. */
const PROXY_HEADERS = [
  "forwardedClientCert",
  "setCurrentClientCertDetails",
  "requestId",
  "server",
  "attemptCount",
  "dataproxyDebugHeaders",
  "metadataExchangeHeaders",
  "preserveHttp1HeaderCase",
  "xForwardedHost",
  "xForwardedPort",
];

/** Of a group's template, all but the address, which is the workload's. */
const TEMPLATE = ["ports", "labels", "network", "locality", "weight", "serviceAccount"]
  .map((field) => `template.${field}`);

/** By kind. */
export const MESH: Readonly<Record<string, Acting>> = {
  MeshConfig: {
    paths: [
      "proxyListenPort",
      "proxyInboundListenPort",
      "proxyHttpPort",
      "protocolDetectionTimeout",
      "disableDataproxyListenerLog",
      "connectTimeout",
      "tcpKeepalive",
      "accessLogFile",
      "accessLogFormat",
      "accessLogEncoding",
      "outboundTrafficPolicy.mode",
      "inboundTrafficPolicy.mode",
      "discoverySelectors",
      "rootNamespace",
      "configSources[].address",
      "trustDomain",
      "trustDomainAliases",
      ...["pem", "spiffeBundleUrl", "trustDomains"].map((field) => `caCertificates[].${field}`),
      "extensionProviders[].name",
      "extensionProviders[].dataproxyExtAuthzHttp",
      "extensionProviders[].dataproxyExtAuthzGrpc",
      "extensionProviders[].prometheus",
      "extensionProviders[].dataproxyFileAccessLog",
      "extensionProviders[].dataproxyHttpAls",
      "extensionProviders[].dataproxyTcpAls",
      "extensionProviders[].dataproxyOtelAls",
      "extensionProviders[].zipkin",
      "extensionProviders[].datadog",
      "extensionProviders[].lightstep",
      "extensionProviders[].skywalking",
      "enableDataproxyAccessLogService",
      ...[
        "service",
        "port",
        "maxTagLength",
        "http",
        "grpc",
        "resourceDetectors",
        "dynatraceSampler",
      ]
        .map((field) => `extensionProviders[].opentelemetry.${field}`),
      "defaultProviders",
      "enableTracing",
      "enableAutoMtls",
      "inboundClusterStatName",
      "outboundClusterStatName",
      "meshMTLS",
      "tlsDefaults",
      "pathNormalization",
      "dnsRefreshRate",
      "h2UpgradePolicy",
      "localityLbSetting",
      "defaultServiceExportTo",
      "defaultVirtualServiceExportTo",
      "defaultDestinationRuleExportTo",
      "defaultHttpRetryPolicy",
      ...["attempts", "perTryTimeout", "retryOn", "backoff"]
        .map((field) => `defaultInboundHttpRetryPolicy.${field}`),
      "defaultTrafficPolicy",
      "defaultConfig.configPath",
      "defaultConfig.binaryPath",
      "defaultConfig.serviceCluster",
      "defaultConfig.drainDuration",
      "defaultConfig.terminationDrainDuration",
      "defaultConfig.discoveryAddress",
      "defaultConfig.proxyAdminPort",
      "defaultConfig.controlPlaneAuthPolicy",
      "defaultConfig.customConfigFile",
      "defaultConfig.statusPort",
      "defaultConfig.concurrency",
      "defaultConfig.interceptionMode",
      "defaultConfig.proxyMetadata",
      "defaultConfig.runtimeValues",
      "defaultConfig.proxyStatsMatcher",
      "defaultConfig.meshId",
      "defaultConfig.tracingServiceName",
      "defaultConfig.proxyBootstrapTemplatePath",
      "defaultConfig.zipkinAddress",
      "defaultConfig.tracing.zipkin",
      "defaultConfig.tracing.datadog",
      "defaultConfig.tracing.customTags",
      "defaultConfig.tracing.maxPathTagLength",
      "defaultConfig.tracing.sampling",
      "defaultConfig.tracing.enableMeshTags",
      "defaultConfig.statsdUdpAddress",
      "defaultConfig.extraStatTags",
      "defaultConfig.statsCompression",
      ...["dataproxyMetricsService", "dataproxyAccessLogService"].flatMap((service) =>
        ["address", "tcpKeepalive"].map((field) => `defaultConfig.${service}.${field}`)
      ),
      "defaultConfig.fileFlushInterval",
      "defaultConfig.fileFlushMinSizeKb",
      "defaultConfig.gatewayTopology",
      ...PROXY_HEADERS.map((field) => `defaultConfig.proxyHeaders.${field}`),
      ...CONNECTION_SETTINGS.map((field) => `defaultConfig.connectionSettings.${field}`),
    ],
    inertValues: {},
  },
  /** Of which the labels act. */
  Namespace: { paths: [] },
  MeshNetworks: { paths: ["networks"] },
  WorkloadGroup: { paths: ["metadata", ...TEMPLATE] },
  ProxyConfig: { paths: ["selector", "concurrency", "environmentVariables"] },
};
