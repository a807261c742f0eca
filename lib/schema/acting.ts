/**
 * Which fields act now. Everything else that a document sets is read and
 * checked, and warned about by name.
 *
 * A path stands for itself and all below it. `[]` means the items of a list.
 *
 * @module
 */

/** What of a message acts: its paths, and values of acting paths that do not. */
export interface Acting {
  readonly paths: readonly string[];
  /** Set when the kind as a whole does nothing yet: what it waits for, after "until". */
  readonly inertUntil?: string;
  readonly inertValues?: Readonly<Record<string, readonly string[]>>;
}

const POLICY_PATHS = [
  "loadBalancer.simple",
  "loadBalancer.consistentHash",
  "connectionPool",
  ...[
    "consecutiveErrors",
    "splitExternalLocalOriginErrors",
    "consecutiveLocalOriginFailures",
    "consecutiveGatewayErrors",
    "consecutive5xxErrors",
    "interval",
    "baseEjectionTime",
    "maxEjectionPercent",
    "minHealthPercent",
  ].map((field) => `outlierDetection.${field}`),
];

/** TLS towards services, from files. */
const CLIENT_TLS_PATHS = [
  "mode",
  "clientCertificate",
  "privateKey",
  "caCertificates",
  "caCrl",
  "subjectAltNames",
  "sni",
  "insecureSkipVerify",
].map((field) => `tls.${field}`);

/** TLS towards clients, from files. */
const SERVER_TLS_PATHS = [
  "httpsRedirect",
  "mode",
  "serverCertificate",
  "privateKey",
  "caCertificates",
  "caCrl",
  "credentialName",
  "credentialNames",
  "caCertCredentialName",
  "tlsCertificates[].serverCertificate",
  "tlsCertificates[].privateKey",
  "subjectAltNames",
  "verifyCertificateSpki",
  "verifyCertificateHash",
  "minProtocolVersion",
  "maxProtocolVersion",
  "cipherSuites",
  "ecdhCurves",
  "insecureSkipVerify",
];

/** Where a policy may stand. */
const POLICIES = ["trafficPolicy", "subsets[].trafficPolicy"].flatMap((at) => [
  at,
  `${at}.portLevelSettings[]`,
]);

const trafficPolicy = (at: string): string[] =>
  [...POLICY_PATHS, ...CLIENT_TLS_PATHS].map((path) => `${at}.${path}`);

/** By kind. */
export const ACTING: Readonly<Record<string, Acting>> = {
  ServiceEntry: {
    paths: [
      "hosts",
      "addresses",
      "ports",
      "location",
      "resolution",
      "endpoints[].address",
      "endpoints[].ports",
      "endpoints[].labels",
      "endpoints[].locality",
      "endpoints[].weight",
      "endpoints[].serviceAccount",
      "workloadSelector",
      "exportTo",
      "subjectAltNames",
    ],
    inertValues: { resolution: ["DYNAMIC_DNS"] },
  },
  WorkloadEntry: {
    paths: ["address", "ports", "labels", "locality", "weight", "serviceAccount"],
  },
  Sidecar: {
    paths: [
      "workloadSelector",
      "ingress[].port.number",
      "ingress[].port.protocol",
      "ingress[].port.name",
      "ingress[].bind",
      "ingress[].captureMode",
      "ingress[].defaultEndpoint",
      "egress[].port.number",
      "egress[].port.protocol",
      "egress[].port.name",
      "egress[].bind",
      "egress[].captureMode",
      "egress[].hosts",
      "outboundTrafficPolicy.mode",
    ],
  },
  VirtualService: {
    paths: [
      "hosts",
      "gateways",
      "exportTo",
      "http[].name",
      "http[].match[].name",
      "http[].match[].uri",
      "http[].match[].scheme",
      "http[].match[].method",
      "http[].match[].authority",
      "http[].match[].headers",
      "http[].match[].withoutHeaders",
      "http[].match[].queryParams",
      "http[].match[].ignoreUriCase",
      "http[].match[].port",
      "http[].match[].gateways",
      "http[].match[].sourceLabels",
      "http[].match[].sourceNamespace",
      "http[].match[].statPrefix",
      "http[].delegate",
      "http[].route",
      "http[].redirect",
      "http[].directResponse",
      "http[].rewrite",
      "http[].timeout",
      "http[].retries",
      "http[].fault.delay.fixedDelay",
      "http[].fault.delay.percentage",
      "http[].fault.delay.percent",
      "http[].fault.abort.httpStatus",
      "http[].fault.abort.grpcStatus",
      "http[].fault.abort.percentage",
      "http[].mirror",
      "http[].mirrors",
      "http[].mirrorPercent",
      "http[].mirrorPercentage",
      "http[].corsPolicy",
      "http[].headers",
      "tls[].match[].sniHosts",
      "tls[].match[].destinationSubnets",
      "tls[].match[].port",
      "tls[].match[].gateways",
      "tls[].match[].sourceNamespace",
      "tls[].route",
      "tcp[].match[].port",
      "tcp[].match[].gateways",
      "tcp[].match[].sourceNamespace",
      "tcp[].match[].destinationSubnets",
      "tcp[].route",
    ],
  },
  DestinationRule: {
    paths: [
      "host",
      "exportTo",
      "subsets[].name",
      "subsets[].labels",
      ...POLICIES.flatMap(trafficPolicy),
      ...POLICIES.filter((at) => at.endsWith("[]")).map((at) => `${at}.port`),
    ],
  },
  Gateway: {
    paths: [
      "selector",
      "servers[].port.number",
      "servers[].port.protocol",
      "servers[].port.name",
      "servers[].bind",
      "servers[].hosts",
      "servers[].name",
      ...SERVER_TLS_PATHS.map((field) => `servers[].tls.${field}`),
    ],
  },
  AuthorizationPolicy: {
    paths: ["selector", "targetRef", "targetRefs", "rules", "action", "provider"],
  },
  RequestAuthentication: {
    paths: [
      "selector",
      "targetRef",
      "targetRefs",
      ...[
        "issuer",
        "audiences",
        "jwksUri",
        "jwks",
        "fromHeaders",
        "fromParams",
        "fromCookies",
        "forwardOriginalToken",
        "outputPayloadToHeader",
        "outputClaimToHeaders",
        "timeout",
        "spaceDelimitedClaims",
        "presence",
      ].map((field) => `jwtRules[].${field}`),
    ],
  },
  PeerAuthentication: {
    paths: ["selector", "mtls", "portLevelMtls"],
  },
  MeshConfig: {
    paths: [
      "proxyListenPort",
      "proxyInboundListenPort",
      "connectTimeout",
      "tcpKeepalive",
      "accessLogFile",
      "accessLogFormat",
      "accessLogEncoding",
      "outboundTrafficPolicy.mode",
      "inboundTrafficPolicy.mode",
      "rootNamespace",
      "trustDomain",
      "trustDomainAliases",
      "extensionProviders[].name",
      "extensionProviders[].dataproxyExtAuthzHttp",
      "extensionProviders[].dataproxyExtAuthzGrpc",
      "enableAutoMtls",
      "pathNormalization",
      "dnsRefreshRate",
      "defaultServiceExportTo",
      "defaultVirtualServiceExportTo",
      "defaultDestinationRuleExportTo",
      "defaultHttpRetryPolicy",
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
      "defaultConfig.statsdUdpAddress",
      "defaultConfig.extraStatTags",
      "defaultConfig.statsCompression",
      "defaultConfig.dataproxyMetricsService.address",
      "defaultConfig.dataproxyAccessLogService.address",
      "defaultConfig.fileFlushInterval",
      "defaultConfig.fileFlushMinSizeKb",
      "defaultConfig.connectionSettings.globalDownstreamConnectionLimit",
    ],
    inertValues: { "outboundTrafficPolicy.mode": ["ALLOW_ANY_DYNAMIC_DNS"] },
  },
  MeshNetworks: { paths: [] },
  WorkloadGroup: { paths: [], inertUntil: "workloads can register themselves" },
  DataproxyFilter: { paths: [], inertUntil: "patches are applied to resources" },
  ProxyConfig: { paths: [], inertUntil: "proxies are injected" },
  Telemetry: { paths: [], inertUntil: "telemetry is configured by resources" },
  WasmPlugin: { paths: [], inertUntil: "proxies load extensions" },
};
