/**
 * Rules of ServiceEntry.
 *
 * @module
 */
import {
  type ServiceEntry,
  ServiceEntry_Resolution as Resolution,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { WorkloadEntry } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import { isCidr, isDnsLabel, isFqdn, isIp, type Path } from "../text/mod.ts";
import { fail, type ObjectIdentity, type Report, warn } from "./problem.ts";
import {
  checkExportTo,
  checkHost,
  checkIp,
  checkPort,
  checkProtocol,
  checkSelector,
  checkSubnet,
  checkUnique,
  checkUnixAddress,
  CONFLICT,
  REQUIRED,
  UNIX_PREFIX,
} from "./rules.ts";
import { checkWorkload } from "./workload_entry.ts";

/** Checks a ServiceEntry's specification. */
export function validateServiceEntry(
  spec: ServiceEntry,
  identity: ObjectIdentity,
  report: Report,
): void {
  checkHosts(spec, report);
  checkAddresses(spec, report);
  checkPorts(spec, report);
  checkEndpoints(spec, report);
  checkExportTo(spec.exportTo, identity, ["spec", "exportTo"], report, "none");
}

function checkHosts(spec: ServiceEntry, report: Report): void {
  const path = ["spec", "hosts"];
  if (spec.hosts.length === 0) fail(report, path, REQUIRED, "the entry has no hosts", "Name one.");
  spec.hosts.forEach((host, index) => {
    if (host === "*") {
      const message = 'host "*" would take all traffic';
      fail(report, [...path, index], "invalid-host", message, "Name hosts, such as *.example.com.");
    } else checkHost(host, [...path, index], report);
  });
  checkUnique(spec.hosts.map((host, index) => [host, [...path, index]]), "host", report);
}

function checkAddresses(spec: ServiceEntry, report: Report): void {
  const ranges = spec.resolution === Resolution.NONE || spec.resolution === Resolution.STATIC;
  spec.addresses.forEach((address, index) => {
    const path = ["spec", "addresses", index];
    checkSubnet(address, path, report);
    if (ranges || !isCidr(address)) return;
    const message = "address ranges go with resolution NONE or STATIC only";
    fail(report, path, CONFLICT, message, "List single addresses, or change the resolution.");
  });
}

function checkPorts(spec: ServiceEntry, report: Report): void {
  const path = ["spec", "ports"];
  if (spec.ports.length === 0) {
    warn(report, path, REQUIRED, "the entry has no ports and serves nothing", "List its ports.");
  }
  spec.ports.forEach((port, index) => {
    const at = [...path, index];
    checkPort(port.number, [...at, "number"], report);
    if (port.targetPort !== 0) checkPort(port.targetPort, [...at, "targetPort"], report);
    checkProtocol(port.protocol, [...at, "protocol"], report);
    if (port.name === "") fail(report, at, REQUIRED, "the port has no name", "Give it a name.");
    else if (!isDnsLabel(port.name.toLowerCase())) {
      const message = `${JSON.stringify(port.name)} is not a port name`;
      fail(report, [...at, "name"], "invalid-name", message, "Use letters, digits and '-'.");
    }
  });
  const named = spec.ports.map((port, index) => [port.name, [...path, index, "name"]] as const);
  checkUnique(named.filter(([name]) => name !== ""), "port name", report);
  const numbers = spec.ports.map((port, index) =>
    [port.number, [...path, index, "number"]] as const
  );
  checkUnique(numbers, "port number", report);
}

function checkEndpoints(spec: ServiceEntry, report: Report): void {
  const path = ["spec", "endpoints"];
  if (spec.workloadSelector !== undefined) {
    checkSelector(spec.workloadSelector.labels, ["spec", "workloadSelector", "labels"], report);
    if (spec.endpoints.length > 0) {
      const message = "workloadSelector and endpoints exclude each other";
      fail(report, path, CONFLICT, message, "Keep one of the two.", "key");
    }
  }
  switch (spec.resolution) {
    case Resolution.NONE:
      if (spec.endpoints.length === 0) break;
      fail(
        report,
        path,
        CONFLICT,
        "resolution NONE takes no endpoints",
        "Set resolution to STATIC or DNS, or remove the endpoints.",
        "key",
      );
      break;
    case Resolution.STATIC:
      checkStatic(spec, report);
      break;
    case Resolution.DYNAMIC_DNS:
      checkDynamicDns(spec, report);
      break;
    default:
      checkDns(spec, report);
  }
  spec.endpoints.forEach((endpoint, index) =>
    checkEndpoint(spec, endpoint, [...path, index], report)
  );
}

function checkEndpoint(
  spec: ServiceEntry,
  endpoint: WorkloadEntry,
  path: Path,
  report: Report,
): void {
  checkWorkload(endpoint, path, report);
  const names = new Set(spec.ports.map((port) => port.name));
  for (const name of Object.keys(endpoint.ports)) {
    if (names.has(name)) continue;
    const message = `the entry has no port named "${name}"`;
    fail(
      report,
      [...path, "ports", name],
      "unknown-port",
      message,
      "Name one of its ports.",
      "key",
    );
  }
}

function checkStatic(spec: ServiceEntry, report: Report): void {
  let unix = false;
  spec.endpoints.forEach((endpoint, index) => {
    const path = ["spec", "endpoints", index, "address"];
    if (endpoint.address === "" && endpoint.network !== "") return;
    if (!endpoint.address.startsWith(UNIX_PREFIX)) return checkIp(endpoint.address, path, report);
    unix = true;
    checkUnixAddress(endpoint.address, path, report);
  });
  if (!unix || spec.ports.length === 1) return;
  const message = "endpoints on Unix sockets go with exactly one port";
  fail(report, ["spec", "ports"], CONFLICT, message, "Keep one port.", "key");
}

function checkDns(spec: ServiceEntry, report: Report): void {
  const path = ["spec", "endpoints"];
  if (spec.endpoints.length === 0 && spec.workloadSelector === undefined) {
    spec.hosts.forEach((host, index) => {
      if (isFqdn(host)) return;
      const message = `"${host}" cannot be looked up`;
      const remedy = "Name hosts in full, or list endpoints to look up.";
      fail(report, ["spec", "hosts", index], "invalid-host", message, remedy);
    });
  }
  if (spec.resolution === Resolution.DNS_ROUND_ROBIN && spec.endpoints.length > 1) {
    const message = "resolution DNS_ROUND_ROBIN takes one endpoint at most";
    fail(report, path, CONFLICT, message, "Keep one endpoint, or use DNS.", "key");
  }
  spec.endpoints.forEach(({ address, network }, index) => {
    if (isIp(address) || isFqdn(address) || (address === "" && network !== "")) return;
    const message = `${JSON.stringify(address)} is neither a host name nor an IP address`;
    const remedy = "Write a DNS name; Unix sockets go with STATIC.";
    fail(report, [...path, index, "address"], "invalid-address", message, remedy);
  });
}

function checkDynamicDns(spec: ServiceEntry, report: Report): void {
  if (spec.endpoints.length > 0) {
    const message = "resolution DYNAMIC_DNS takes no endpoints";
    fail(report, ["spec", "endpoints"], CONFLICT, message, "Remove the endpoints.", "key");
  }
}
