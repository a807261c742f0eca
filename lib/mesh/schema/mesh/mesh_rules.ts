/**
 * Rules of the mesh configuration.
 *
 * @module
 */
import type {
  MeshConfig,
  MeshConfig_ExtensionProvider as ExtensionProvider,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import { durationMs } from "../../../kit/proto/mod.ts";
import { isDnsLabel, isDnsSubdomain, type Path } from "../../../kit/text/mod.ts";
import {
  checkCipherSuites,
  checkConnectionPool,
  checkDuration,
  checkExportTo,
  checkHost,
  checkLabelSelector,
  checkLocality,
  checkOutlierDetection,
  checkPort,
  checkRetries,
  checkUnique,
  INVALID,
  REQUIRED,
} from "../rules/mod.ts";
import type { Report } from "../problem.ts";
import { validateProxyConfig } from "./proxy_rules.ts";
import { checkSources } from "./source_rules.ts";

/** Maximum connect timeout, in milliseconds. */
const MAX_CONNECT_TIMEOUT_MS = 30_000;

/**
 * Checks a whole mesh configuration, defaults included.
 *
 * @param written index of each provider in the list of the source text
 */
export function validateMeshConfig(
  config: MeshConfig,
  report: Report,
  written: (index: number) => number = (index) => index,
): void {
  checkPort(config.proxyListenPort, ["proxyListenPort"], report);
  checkPort(config.proxyInboundListenPort, ["proxyInboundListenPort"], report);
  if (config.proxyHttpPort !== 0) checkPort(config.proxyHttpPort, ["proxyHttpPort"], report);
  checkTimes(config, report);
  checkNames(config, report);
  checkAuthorities(config, report);
  checkSources(config, report);
  checkDefaults(config, report);
  for (const name of ["meshMTLS", "tlsDefaults"] as const) {
    checkCipherSuites(config[name]?.cipherSuites ?? [], [name, "cipherSuites"], report);
  }
  config.discoverySelectors.forEach((selector, index) =>
    checkLabelSelector(selector, ["discoverySelectors", index], report)
  );
  config.serviceScopeConfigs.forEach((scope, index) => {
    for (const name of ["namespaceSelector", "servicesSelector"] as const) {
      const selector = scope[name];
      if (selector === undefined) continue;
      checkLabelSelector(selector, ["serviceScopeConfigs", index, name], report);
    }
  });
  config.extensionProviders.forEach((provider, index) =>
    checkProvider(provider, ["extensionProviders", written(index)], report)
  );
  const names = config.extensionProviders.map((provider, index) =>
    [provider.name, ["extensionProviders", written(index), "name"]] as const
  );
  checkUnique(names, "extension provider", report);
  if (config.defaultConfig) validateProxyConfig(config.defaultConfig, ["defaultConfig"], report);
}

function checkTimes(config: MeshConfig, report: Report): void {
  checkDuration(config.connectTimeout, ["connectTimeout"], report);
  if (config.connectTimeout && durationMs(config.connectTimeout) > MAX_CONNECT_TIMEOUT_MS) {
    const message = "connectTimeout is longer than 30s";
    report.fail(["connectTimeout"], "invalid-duration", message, "Write 1ms to 30s.");
  }
  // 0 disables the limit of protocol detection.
  checkDuration(config.protocolDetectionTimeout, ["protocolDetectionTimeout"], report, "zero");
  checkDuration(config.hboneIdleTimeout, ["hboneIdleTimeout"], report, "zero");
  checkDuration(config.dnsRefreshRate, ["dnsRefreshRate"], report);
  checkDuration(config.tcpKeepalive?.time, ["tcpKeepalive", "time"], report);
  checkDuration(config.tcpKeepalive?.interval, ["tcpKeepalive", "interval"], report);
}

/** Authorities are inline, or at secure addresses. */
function checkAuthorities({ caCertificates }: MeshConfig, report: Report): void {
  caCertificates.forEach(({ certificateData: { case: kind, value }, trustDomains }, index) => {
    const path = ["caCertificates", index];
    if (kind === "spiffeBundleUrl" && !isSecureUrl(value)) {
      const message = `${JSON.stringify(value)} is not an address of https`;
      report.fail([...path, kind], INVALID, message, "Write https://host/path.");
    }
    trustDomains.forEach((domain, at) =>
      checkTrustDomain(domain, [...path, "trustDomains", at], report)
    );
  });
}

function isSecureUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === "https:";
}

function checkTrustDomain(domain: string, path: Path, report: Report): void {
  if (domain !== "" && isDnsSubdomain(domain.toLowerCase())) return;
  const message = `${JSON.stringify(domain)} is not a trust domain`;
  report.fail(path, "invalid-name", message, "Write a DNS name, such as cluster.local.");
}

function checkNames(config: MeshConfig, report: Report): void {
  const domains = [
    [config.trustDomain, ["trustDomain"]] as const,
    ...config.trustDomainAliases.map((name, index) =>
      [name, ["trustDomainAliases", index]] as const
    ),
  ];
  for (const [domain, path] of domains) checkTrustDomain(domain, path, report);
  if (!isDnsLabel(config.rootNamespace)) {
    const message = `${JSON.stringify(config.rootNamespace)} is not a namespace`;
    report.fail(["rootNamespace"], "invalid-name", message, "Write a namespace.");
  }
}

const EXPORTS = [
  "defaultServiceExportTo",
  "defaultVirtualServiceExportTo",
  "defaultDestinationRuleExportTo",
] as const;

function checkDefaults(config: MeshConfig, report: Report): void {
  for (const name of EXPORTS) {
    checkExportTo(config[name], [name], report, { namespace: ".", none: true });
  }
  checkRetries(config.defaultHttpRetryPolicy, ["defaultHttpRetryPolicy"], report);
  checkRetries(config.defaultInboundHttpRetryPolicy, ["defaultInboundHttpRetryPolicy"], report);
  if (config.localityLbSetting) {
    checkLocality(config.localityLbSetting, ["localityLbSetting"], report);
  }
  const policy = config.defaultTrafficPolicy;
  const path = ["defaultTrafficPolicy"];
  if (policy?.connectionPool) {
    checkConnectionPool(policy.connectionPool, [...path, "connectionPool"], report);
  }
  if (policy?.outlierDetection) {
    checkOutlierDetection(policy.outlierDetection, [...path, "outlierDetection"], report);
  }
}

/** Providers that name a service need its host and port. */
function checkProvider(provider: ExtensionProvider, path: Path, report: Report): void {
  if (provider.name === "") {
    report.fail(path, REQUIRED, "the provider has no name", "Give name.");
  }
  const { case: type, value } = provider.provider;
  if (type === undefined) {
    report.fail(path, REQUIRED, "the provider has no type", "Give, for example, prometheus: {}.");
    return;
  }
  if (!("service" in value) || !("port" in value)) return;
  const at = [...path, type];
  if (value.service === "") {
    report.fail([...at, "service"], REQUIRED, "the provider has no service", "Name its host.");
  } else checkServiceName(value.service, [...at, "service"], report);
  checkPort(value.port, [...at, "port"], report);
}

/** `host` or `namespace/host`. */
function checkServiceName(service: string, path: Path, report: Report): void {
  const parts = service.split("/");
  if (parts.length > 2 || (parts.length === 2 && !isDnsLabel(parts[0] ?? ""))) {
    const message = `${JSON.stringify(service)} is not of the form host or namespace/host`;
    report.fail(path, INVALID, message, "Write host or namespace/host.");
  } else checkHost(parts.at(-1) ?? "", path, report, "exact");
}
