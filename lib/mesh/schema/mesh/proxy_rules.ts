/**
 * Rules of the proxy configuration.
 *
 * @module
 */
import type { ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { durationMs } from "../../../kit/proto/mod.ts";
import { isFqdn, isIp, type Path } from "../../../kit/text/mod.ts";
import type { Report } from "../problem.ts";
import {
  checkDuration,
  checkPercent,
  checkPort,
  checkRegex,
  INVALID,
  REQUIRED,
  UNIX_PREFIX,
} from "../rules/mod.ts";

/** Checks a proxy configuration, defaults included. */
export function validateProxyConfig(config: ProxyConfig, path: Path, report: Report): void {
  for (const name of ["configPath", "binaryPath"] as const) {
    if (config[name] !== "") continue;
    report.fail([...path, name], REQUIRED, `${name} is empty`, "Write a path.");
  }
  if (config.clusterName.case === "serviceCluster" && config.clusterName.value === "") {
    report.fail([...path, "serviceCluster"], REQUIRED, "serviceCluster is empty", "Write a name.");
  }
  checkPort(config.proxyAdminPort, [...path, "proxyAdminPort"], report);
  checkPort(config.statusPort, [...path, "statusPort"], report);
  checkAddress(config.discoveryAddress, [...path, "discoveryAddress"], report);
  if (config.statsdUdpAddress !== "") {
    checkAddress(config.statsdUdpAddress, [...path, "statsdUdpAddress"], report);
  }
  checkTimes(config, path, report);
  checkNumbers(config, path, report);
  config.proxyStatsMatcher?.inclusionRegexps.forEach((regex, index) =>
    checkRegex(regex, [...path, "proxyStatsMatcher", "inclusionRegexps", index], report)
  );
}

function checkTimes(config: ProxyConfig, path: Path, report: Report): void {
  const { drainDuration, terminationDrainDuration } = config;
  checkDuration(drainDuration, [...path, "drainDuration"], report);
  if (drainDuration && durationMs(drainDuration) % 1000 !== 0) {
    const message = "drainDuration goes to the proxy in whole seconds";
    report.fail([...path, "drainDuration"], "invalid-duration", message, "Write whole seconds.");
  }
  checkDuration(terminationDrainDuration, [...path, "terminationDrainDuration"], report, "zero");
  checkDuration(config.fileFlushInterval, [...path, "fileFlushInterval"], report);
}

function checkNumbers(config: ProxyConfig, path: Path, report: Report): void {
  if (config.concurrency !== undefined && config.concurrency < 0) {
    const message = `concurrency ${config.concurrency} is negative`;
    const remedy = "Write the number of worker threads, or 0 for one a core.";
    report.fail([...path, "concurrency"], "out-of-range", message, remedy);
  }
  if (config.statNameLength < 0) {
    const message = `statNameLength ${config.statNameLength} is negative`;
    report.fail([...path, "statNameLength"], "out-of-range", message, "Write 1 or more.");
  }
  for (const [name, value] of Object.entries(config.connectionSettings ?? {})) {
    if (typeof value !== "number" || value >= 0) continue;
    const message = `${name} ${value} is negative`;
    const remedy = "Write 0 or more, or leave it out.";
    report.fail([...path, "connectionSettings", name], "out-of-range", message, remedy);
  }
  const { tracing } = config;
  if (tracing !== undefined) {
    checkPercent(tracing.sampling, [...path, "tracing", "sampling"], report);
  }
}

/** `host:port`, `ip:port`, `[ipv6]:port`, or a Unix socket. */
function checkAddress(address: string, path: Path, report: Report): void {
  if (address.startsWith(UNIX_PREFIX)) return;
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(address);
  const host = match?.[1] ?? match?.[2] ?? "";
  if (match === null || !(isIp(host) || isFqdn(host))) {
    const message = `${JSON.stringify(address)} is not an address`;
    report.fail(path, INVALID, message, "Write host:port.");
  } else checkPort(Number(match[3]), path, report);
}
