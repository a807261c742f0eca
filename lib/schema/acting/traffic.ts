/**
 * Fields that act, of the kinds that say which services there are and how requests get to them.
 *
 * @module
 */

import type { Acting } from "./types.ts";

const POLICY_PATHS = [
  "loadBalancer.simple",
  "loadBalancer.consistentHash",
  "loadBalancer.backendUtilization",
  "loadBalancer.localityLbSetting",
  "loadBalancer.warmup",
  "loadBalancer.warmupDurationSecs",
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
    "outlierDetectionHttpErrorCodes",
  ].map((field) => `outlierDetection.${field}`),
];

/** TLS towards services. */
const CLIENT_TLS_PATHS = [
  "mode",
  "clientCertificate",
  "privateKey",
  "caCertificates",
  "caCrl",
  "subjectAltNames",
  "sni",
  "insecureSkipVerify",
  "credentialName",
].map((field) => `tls.${field}`);

/** Where a policy may stand. */
const POLICIES = ["trafficPolicy", "subsets[].trafficPolicy"].flatMap((at) => [
  at,
  `${at}.portLevelSettings[]`,
]);

const trafficPolicy = (at: string): string[] =>
  [...POLICY_PATHS, ...CLIENT_TLS_PATHS].map((path) => `${at}.${path}`);

/** Of TLS that ends at a Sidecar's ingress listener, by files beside the proxy. */
const INGRESS_TLS = [
  "mode",
  "serverCertificate",
  "privateKey",
  "caCertificates",
  "caCrl",
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

/** By kind. */
export const TRAFFIC: Readonly<Record<string, Acting>> = {
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
      "endpoints[].network",
      "endpoints[].serviceAccount",
      "workloadSelector",
      "exportTo",
      "subjectAltNames",
    ],
  },
  WorkloadEntry: {
    paths: ["address", "ports", "labels", "network", "locality", "weight", "serviceAccount"],
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
      "outboundTrafficPolicy.egressProxy",
      "inboundConnectionPool",
      "ingress[].connectionPool",
      ...INGRESS_TLS.map((field) => `ingress[].tls.${field}`),
    ],
    inertValues: { "ingress[].tls.mode": ["PASSTHROUGH", "AUTO_PASSTHROUGH", "MESH_MUTUAL"] },
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
      "tls[].match[].sourceLabels",
      "tls[].match[].sourceNamespace",
      "tls[].route",
      "tcp[].match[].port",
      "tcp[].match[].gateways",
      "tcp[].match[].sourceLabels",
      "tcp[].match[].sourceNamespace",
      "tcp[].match[].destinationSubnets",
      "tcp[].route",
    ],
  },
  DestinationRule: {
    paths: [
      "host",
      "exportTo",
      "workloadSelector",
      "subsets[].name",
      "subsets[].labels",
      ...POLICIES.flatMap(trafficPolicy),
      ...POLICIES.filter((at) => !at.endsWith("[]")).flatMap((at) => [
        `${at}.proxyProtocol`,
        `${at}.retryBudget`,
        `${at}.tunnel`,
      ]),
      ...POLICIES.filter((at) => at.endsWith("[]")).map((at) => `${at}.port`),
    ],
  },
};
