/**
 * The annotations of the mesh: the kinds that they apply to, their maturity and values.
 *
 * @module
 */
import { parseBoolean } from "../../../kit/base/mod.ts";
import { parseProxyConfig } from "../../../mesh/schema/mod.ts";
import { isRange } from "./annotation_values.ts";

export interface KnownAnnotation {
  /** Kinds that it applies to; empty: all. */
  readonly kinds: readonly string[];
  readonly alpha: boolean;
  /** Set for deprecated annotations: the end of the sentence, such as ` in favour of …`. */
  readonly deprecated?: string;
  /** The fault of a value; `undefined` for a valid one. */
  readonly fault?: (value: string) => string | undefined;
}

type Row = readonly [
  prefix: string,
  names: string,
  kinds: readonly string[],
  more?: Partial<KnownAnnotation>,
];

const INTEGER = (value: string) => /^\d+$/.test(value) ? undefined : `"${value}" is no number`;
const PORT = (value: string) =>
  /^\d+$/.test(value) && Number(value) <= 65_535 ? undefined : `"${value}" is no port`;
const BOOLEAN = (value: string) =>
  parseBoolean(value) === undefined ? `"${value}" is neither true nor false` : undefined;
const CONFIG = (value: string) => {
  const [problem] = parseProxyConfig(value, "").problems;
  return problem === undefined
    ? undefined
    : `${problem.path === "" ? "" : `${problem.path}: `}${problem.message}`;
};
const each = (fault: (value: string) => string | undefined) => (value: string) =>
  value === ""
    ? undefined
    : value.split(",").map((one) => fault(one.trim())).find((one) => one !== undefined);
const allOr = (fault: (value: string) => string | undefined) => (value: string) =>
  value === "*" ? undefined : fault(value);
const RANGE = (value: string) =>
  isRange(value) ? undefined : `"${value}" is no IP range, such as 10.0.0.0/8`;
const MODE = (value: string) =>
  ["NONE", "REDIRECT", "TPROXY"].includes(value)
    ? undefined
    : `"${value}" is none of REDIRECT, TPROXY, NONE`;

/** Another value counts as none. */
const NEAR = (value: string) =>
  ["PreferClose", "PreferSameZone", "PreferSameNode"].includes(value)
    ? undefined
    : `"${value}" is none of PreferClose, PreferSameZone, PreferSameNode`;

const POD = ["Pod"];
const SERVICE = ["Service"];
const READINESS = "readiness.status.sidecar.mesh.io/";
const TRAFFIC = "traffic.sidecar.mesh.io/";

const ROWS: readonly Row[] = [
  ["alpha.mesh.io/", "canonical-serviceaccounts kubernetes-serviceaccounts", SERVICE],
  ["ambient.mesh.io/", "bypass-inbound-capture dns-capture redirection", POD],
  ["ambient.mesh.io/", "waypoint-inbound-binding", ["Gateway", "GatewayClass"]],
  ["galley.mesh.io/", "analyze-suppress", []],
  ["gateway.mesh.io/", "controller-version managed name-override service-account", ["Gateway"]],
  ["inject.mesh.io/", "templates", POD],
  ["install.operator.mesh.io/", "chart-owner owner-generation version", []],
  ["mesh.io/", "autoRegistrationGroup connectedAt disconnectedAt workloadController", [
    "WorkloadEntry",
  ]],
  ["mesh.io/", "dry-run", ["AuthorizationPolicy"]],
  ["mesh.io/", "on-demand", POD, { fault: BOOLEAN }],
  ["mesh.io/", "rev", POD],
  ["mesh.io/", "reroute-virtual-interfaces", POD],
  ["mesh.io/", "use-waypoint-canary-weight", ["Service", "ServiceEntry", "Namespace"]],
  ["kubernetes.io/", "ingress.class", ["Ingress"], { alpha: false }],
  ["networking.mesh.io/", "exportTo", SERVICE],
  ["networking.mesh.io/", "service-type", ["Gateway"]],
  ["networking.mesh.io/", "traffic-distribution", ["Namespace", "Service", "ServiceEntry"], {
    fault: NEAR,
  }],
  ["prometheus.mesh.io/", "merge-metrics", POD, { fault: BOOLEAN }],
  ["proxy.mesh.io/", "config", POD, { alpha: false, fault: CONFIG }],
  ["proxy.mesh.io/", "overrides", POD],
  [READINESS, "applicationPorts", POD],
  [READINESS, "failureThreshold initialDelaySeconds periodSeconds", POD, { fault: INTEGER }],
  ["sidecar.mesh.io/", "agentLogLevel bootstrapOverride componentLogLevel extraStatTags", POD],
  ["sidecar.mesh.io/", "controlPlaneAuthPolicy discoveryAddress enableCoreDump", POD, {
    deprecated: "",
  }],
  ["sidecar.mesh.io/", "inject", POD, {
    alpha: false,
    deprecated: ' in favour of the label "sidecar.mesh.io/inject"',
  }],
  ["sidecar.mesh.io/", "interceptionMode", POD, { fault: MODE }],
  ["sidecar.mesh.io/", "logLevel nativeSidecar proxyCPU proxyCPULimit proxyImage", POD],
  ["sidecar.mesh.io/", "proxyImageType proxyMemory proxyMemoryLimit", POD],
  ["sidecar.mesh.io/", "rewriteAppHTTPProbers statsCompression statsEvictionInterval", POD],
  ["sidecar.mesh.io/", "statsFlushInterval statsHistogramBins statsHistogramBuckets", POD],
  [
    "sidecar.mesh.io/",
    "statsInclusionPrefixes statsInclusionRegexps statsInclusionSuffixes",
    POD,
    { deprecated: "" },
  ],
  ["sidecar.mesh.io/", "status userVolume userVolumeMount", POD],
  ["status.sidecar.mesh.io/", "port", POD, { fault: PORT }],
  ["topology.mesh.io/", "controlPlaneClusters", ["Namespace"]],
  ["traffic.mesh.io/", "nodeSelector", SERVICE, { alpha: false }],
  [TRAFFIC, "excludeInboundPorts excludeOutboundPorts", POD, { fault: each(PORT) }],
  [TRAFFIC, "includeInboundPorts", POD, { fault: allOr(each(PORT)) }],
  [TRAFFIC, "includeOutboundPorts", POD],
  [TRAFFIC, "excludeOutboundIPRanges", POD, { fault: each(RANGE) }],
  [TRAFFIC, "includeOutboundIPRanges", POD, { fault: allOr(each(RANGE)) }],
  [TRAFFIC, "excludeInterfaces", POD],
  [TRAFFIC, "kubevirtInterfaces", POD, { deprecated: "" }],
];

/** The annotations by name. */
export const ANNOTATIONS: ReadonlyMap<string, KnownAnnotation> = new Map(
  ROWS.flatMap(([prefix, names, kinds, more]) =>
    names.split(" ").map((name) => [`${prefix}${name}`, { kinds, alpha: true, ...more }] as const)
  ),
);

/** Annotations that components of the mesh write, which are no choice of the user. */
export const WRITTEN_BY_MESH: ReadonlySet<string> = new Set([
  "ambient.mesh.io/redirection",
  "gateway.mesh.io/controller-version",
  "mesh.io/rev",
  "sidecar.mesh.io/status",
]);
