/**
 * DestinationRule: names, effective fields, rules.
 *
 * @module
 */
import { eachInSteps } from "../../../kit/base/mod.ts";
import {
  type DestinationRule,
  DestinationRuleSchema,
  type Subset,
  type TrafficPolicy,
  type TrafficPolicy_PortTrafficPolicy as PortPolicy,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Path } from "../../../kit/text/mod.ts";
import {
  checkClientTls,
  checkConnectionPool,
  checkDuration,
  checkExportTo,
  checkHost,
  checkLoadBalancer,
  checkNotEmpty,
  checkOutlierDetection,
  checkPercent,
  checkPort,
  checkSelector,
  checkSubsetName,
  checkUnique,
  CONFLICT,
  REQUIRED,
} from "../rules/mod.ts";
import { checkLabels } from "../metadata.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
import { NETWORKING_API, type TabledKind } from "../kind.ts";

const POLICY_PATHS = [
  "loadBalancer.simple",
  "loadBalancer.consistentHash",
  "loadBalancer.backendUtilization",
  "loadBalancer.localityLbSetting",
  "loadBalancer.warmup",
  "loadBalancer.warmupDurationSecs",
  "connectionPool",
  ...[
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

/** Fields of TLS to services. */
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

/** Field paths of traffic policies. */
const POLICIES = ["trafficPolicy", "subsets[].trafficPolicy"].flatMap((at) => [
  at,
  `${at}.portLevelSettings[]`,
]);

const trafficPolicy = (at: string): string[] =>
  [...POLICY_PATHS, ...CLIENT_TLS_PATHS].map((path) => `${at}.${path}`);

export const DESTINATION_RULE: TabledKind<"DestinationRule", "destinationRules", DestinationRule> =
  {
    kind: "DestinationRule",
    ...NETWORKING_API,
    plural: "destinationrules",
    scope: "namespaced",
    table: "destinationRules",
    schema: DestinationRuleSchema,
    effective: {
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
    validate,
  };

/** Checks a DestinationRule's specification. */
function* validate(
  spec: DestinationRule,
  identity: ObjectIdentity,
  report: Report,
): Generator<void, void> {
  if (spec.host === "") {
    report.fail(["spec", "host"], REQUIRED, "the rule has no host", "Name the service.");
  } else checkHost(spec.host, ["spec", "host"], report);
  if (spec.trafficPolicy) checkTrafficPolicy(spec.trafficPolicy, ["spec", "trafficPolicy"], report);
  yield* eachInSteps(
    spec.subsets,
    (subset, index) => checkSubset(subset, ["spec", "subsets", index], report),
  );
  const names = spec.subsets.map((subset, index) =>
    [subset.name, ["spec", "subsets", index, "name"]] as const
  );
  checkUnique(names.filter(([name]) => name !== ""), "subset", report);
  checkExportTo(spec.exportTo, ["spec", "exportTo"], report, identity);
  checkWorkloads(spec, identity, report);
}

function checkWorkloads(spec: DestinationRule, identity: ObjectIdentity, report: Report): void {
  if (spec.workloadSelector === undefined) return;
  checkSelector(
    spec.workloadSelector.matchLabels,
    ["spec", "workloadSelector", "matchLabels"],
    report,
  );
  warnShared(spec, report);
  const own = spec.exportTo.every((entry) => entry === "." || entry === identity.namespace);
  if (own) return;
  const message = "a rule with workloadSelector is for its own namespace only";
  report.failKey(["spec", "exportTo"], CONFLICT, message, 'Write exportTo: ["."].');
}

/**
 * The proxies of a namespace share routes, so route settings of a rule cannot apply to only some of
 * its workloads.
 */
function warnShared({ workloadSelector, trafficPolicy }: DestinationRule, report: Report): void {
  if (Object.keys(workloadSelector?.matchLabels ?? {}).length === 0) return;
  const settings = [trafficPolicy, ...trafficPolicy?.portLevelSettings ?? []];
  settings.forEach((policy, index) => {
    if (policy?.loadBalancer?.lbPolicy.case !== "consistentHash") return;
    const port = index === 0 ? [] : ["portLevelSettings", index - 1];
    const path = ["spec", "trafficPolicy", ...port, "loadBalancer", "consistentHash"];
    const message = "what is hashed is said by routes, which all workloads of a namespace share";
    report.warn(path, "no-effect", message, "Give the rule to all workloads: no selector.");
  });
}

function checkSubset(subset: Subset, path: Path, report: Report): void {
  checkSubsetName(subset.name, [...path, "name"], report);
  checkLabels(subset.labels, [...path, "labels"], report);
  if (subset.trafficPolicy) {
    checkTrafficPolicy(subset.trafficPolicy, [...path, "trafficPolicy"], report);
  }
}

function checkTrafficPolicy(policy: TrafficPolicy, path: Path, report: Report): void {
  checkNotEmpty(policy, "the traffic policy", path, report);
  checkPolicyParts(policy, path, report);
  policy.portLevelSettings.forEach((settings, index) =>
    checkPortPolicy(settings, [...path, "portLevelSettings", index], report)
  );
  const ports = policy.portLevelSettings.map((settings, index) =>
    [settings.port?.number ?? 0, [...path, "portLevelSettings", index, "port", "number"]] as const
  );
  checkUnique(ports.filter(([port]) => port !== 0), "port", report);
  checkTunnel(policy, [...path, "tunnel"], report);
  const { retryBudget } = policy;
  if (retryBudget?.percent !== undefined) {
    checkPercent(retryBudget.percent, [...path, "retryBudget", "percent"], report);
  }
  checkDuration(retryBudget?.budgetInterval, [...path, "retryBudget", "budgetInterval"], report);
}

function checkPortPolicy(settings: PortPolicy, path: Path, report: Report): void {
  if (settings.port === undefined) {
    report.fail(path, REQUIRED, "port-level settings need a port", "Give port.number.");
  } else checkPort(settings.port.number, [...path, "port", "number"], report);
  checkNotEmpty({ ...settings, port: undefined }, "the port's policy", path, report);
  checkPolicyParts(settings, path, report);
}

type Parts = Pick<TrafficPolicy, "loadBalancer" | "connectionPool" | "outlierDetection" | "tls">;

function checkPolicyParts(parts: Parts, path: Path, report: Report): void {
  const { loadBalancer, connectionPool, outlierDetection, tls } = parts;
  if (loadBalancer) checkLoadBalancer(loadBalancer, [...path, "loadBalancer"], report);
  if (connectionPool) checkConnectionPool(connectionPool, [...path, "connectionPool"], report);
  if (outlierDetection) {
    checkOutlierDetection(outlierDetection, [...path, "outlierDetection"], report);
  }
  if (tls) checkClientTls(tls, [...path, "tls"], report);
}

function checkTunnel(policy: TrafficPolicy, path: Path, report: Report): void {
  const { tunnel } = policy;
  if (tunnel === undefined) return;
  if (!["", "CONNECT", "POST"].includes(tunnel.protocol)) {
    const message = `${JSON.stringify(tunnel.protocol)} is not a tunnel protocol`;
    report.fail([...path, "protocol"], "unknown-value", message, "Write CONNECT or POST.");
  }
  if (tunnel.targetHost === "") {
    report.fail(path, REQUIRED, "the tunnel has no target", "Give targetHost.");
  } else checkHost(tunnel.targetHost, [...path, "targetHost"], report, "exact");
  checkPort(tunnel.targetPort, [...path, "targetPort"], report);
}
