/**
 * ServiceEntry: names, effective fields, rules.
 *
 * @module
 */
import {
  type ServiceEntry,
  ServiceEntry_Resolution as Resolution,
  ServiceEntrySchema,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { WorkloadEntry } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import { isCidr, isDnsLabel, isFqdn, isIp, type Path } from "../../../kit/text/mod.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
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
  NO_EFFECT,
  REQUIRED,
  UNIX_PREFIX,
  warnEmptySelector,
} from "../rules/mod.ts";
import { checkWorkload } from "./workload_entry.ts";
import { NETWORKING_API, type TabledKind } from "../kind.ts";

export const SERVICE_ENTRY: TabledKind<"ServiceEntry", "serviceEntries", ServiceEntry> = {
  kind: "ServiceEntry",
  ...NETWORKING_API,
  plural: "serviceentries",
  scope: "namespaced",
  table: "serviceEntries",
  schema: ServiceEntrySchema,
  effective: {
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
  validate,
};

/** Checks a ServiceEntry's specification. */
function validate(
  spec: ServiceEntry,
  identity: ObjectIdentity,
  report: Report,
): void {
  checkHosts(spec, report);
  checkAddresses(spec, report);
  checkPorts(spec, report);
  checkEndpoints(spec, report);
  warnSelector(spec, report);
  warnSharedAddress(spec, report);
  checkExportTo(spec.exportTo, ["spec", "exportTo"], report, {
    namespace: identity.namespace,
    none: true,
  });
}

function checkHosts(spec: ServiceEntry, report: Report): void {
  const path = ["spec", "hosts"];
  if (spec.hosts.length === 0) report.fail(path, REQUIRED, "the entry has no hosts", "Name one.");
  spec.hosts.forEach((host, index) => {
    if (host === "*") {
      const message = 'host "*" would take all traffic';
      report.fail([...path, index], "invalid-host", message, "Name hosts, such as *.example.com.");
    } else checkHost(host, [...path, index], report);
    if (!/^\*[^.]/.test(host)) return;
    const message = `"${host}" has a wildcard within a part of a name: ` +
      "it is matched in HTTP, and not by the server name of TLS";
    const remedy = "Write a wildcard for whole parts of a name, such as *.example.com.";
    report.warnValue([...path, index], "partial-wildcard", message, remedy);
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
    report.fail(path, CONFLICT, message, "List single addresses, or change the resolution.");
  });
}

function checkPorts(spec: ServiceEntry, report: Report): void {
  const path = ["spec", "ports"];
  if (spec.ports.length === 0) {
    report.warn(path, REQUIRED, "the entry has no ports and serves nothing", "List its ports.");
  }
  spec.ports.forEach((port, index) => {
    const at = [...path, index];
    checkPort(port.number, [...at, "number"], report);
    if (port.targetPort !== 0) {
      checkPort(port.targetPort, [...at, "targetPort"], report);
      warnTargetPort(spec, [...at, "targetPort"], report);
    }
    checkProtocol(port.protocol, [...at, "protocol"], report);
    if (port.name === "") report.fail(at, REQUIRED, "the port has no name", "Give it a name.");
    else if (!isDnsLabel(port.name.toLowerCase())) {
      const message = `${JSON.stringify(port.name)} is not a port name`;
      report.fail([...at, "name"], "invalid-name", message, "Use letters, digits and '-'.");
    }
  });
  const named = spec.ports.map((port, index) => [port.name, [...path, index, "name"]] as const);
  checkUnique(named.filter(([name]) => name !== ""), "port name", report);
  const numbers = spec.ports.map((port, index) =>
    [port.number, [...path, index, "number"]] as const
  );
  checkUnique(numbers, "port number", report);
}

function warnTargetPort({ resolution }: ServiceEntry, path: Path, report: Report): void {
  if (resolution !== Resolution.NONE) return;
  const message = "targetPort has no effect with resolution NONE: connections keep their port";
  report.warn(path, NO_EFFECT, message, "Remove it, or set resolution to STATIC or DNS.");
}

const SELECTING: readonly Resolution[] = [
  Resolution.STATIC,
  Resolution.DNS,
  Resolution.DNS_ROUND_ROBIN,
];

function warnSelector({ workloadSelector, resolution }: ServiceEntry, report: Report): void {
  const path = ["spec", "workloadSelector"];
  warnEmptySelector(workloadSelector, path, report);
  if (workloadSelector === undefined || SELECTING.includes(resolution)) return;
  const message = `workloadSelector has no effect with resolution ${Resolution[resolution]}`;
  report.warn(path, NO_EFFECT, message, "Set resolution to STATIC or DNS.");
}

/** Warns about TCP ports of several hosts at one address. */
function warnSharedAddress({ hosts, addresses, ports }: ServiceEntry, report: Report): void {
  if (hosts.length < 2 || addresses.length === 0) return;
  for (const [index, { protocol }] of ports.entries()) {
    if (protocol !== "" && protocol.toUpperCase() !== "TCP") continue;
    const message = `connections to the port are taken for host ${hosts[0]}: ` +
      "TCP does not say which host of the address is meant";
    const remedy = "Write an entry for each host, with an address of its own.";
    report.warn(["spec", "ports", index, "protocol"], "shared-address", message, remedy);
  }
}

function checkEndpoints(spec: ServiceEntry, report: Report): void {
  const path = ["spec", "endpoints"];
  if (spec.workloadSelector !== undefined) {
    checkSelector(spec.workloadSelector.labels, ["spec", "workloadSelector", "labels"], report);
    if (spec.endpoints.length > 0) {
      const message = "workloadSelector and endpoints exclude each other";
      report.failKey(path, CONFLICT, message, "Keep one of the two.");
    }
  }
  switch (spec.resolution) {
    case Resolution.NONE:
      if (spec.endpoints.length === 0) break;
      report.failKey(
        path,
        CONFLICT,
        "resolution NONE takes no endpoints",
        "Set resolution to STATIC or DNS, or remove the endpoints.",
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
    report.failKey([...path, "ports", name], "unknown-port", message, "Name one of its ports.");
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
  report.failKey(["spec", "ports"], CONFLICT, message, "Keep one port.");
}

function checkDns(spec: ServiceEntry, report: Report): void {
  const path = ["spec", "endpoints"];
  if (spec.endpoints.length === 0 && spec.workloadSelector === undefined) {
    spec.hosts.forEach((host, index) => {
      if (isFqdn(host)) return;
      const message = `"${host}" cannot be looked up`;
      const remedy = "Name hosts in full, or list endpoints to look up.";
      report.fail(["spec", "hosts", index], "invalid-host", message, remedy);
    });
  }
  if (spec.resolution === Resolution.DNS_ROUND_ROBIN && spec.endpoints.length > 1) {
    const message = "resolution DNS_ROUND_ROBIN takes one endpoint at most";
    report.failKey(path, CONFLICT, message, "Keep one endpoint, or use DNS.");
  }
  spec.endpoints.forEach(({ address, network }, index) => {
    if (isIp(address) || isFqdn(address) || (address === "" && network !== "")) return;
    const message = `${JSON.stringify(address)} is neither a host name nor an IP address`;
    const remedy = "Write a DNS name; Unix sockets go with STATIC.";
    report.fail([...path, index, "address"], "invalid-address", message, remedy);
  });
}

function checkDynamicDns(spec: ServiceEntry, report: Report): void {
  if (spec.endpoints.length > 0) {
    const message = "resolution DYNAMIC_DNS takes no endpoints";
    report.failKey(["spec", "endpoints"], CONFLICT, message, "Remove the endpoints.");
  }
}
