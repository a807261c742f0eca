/**
 * WorkloadEntry: names, effective fields, rules; the rules for workloads are used by ServiceEntry
 * and WorkloadGroup too.
 *
 * @module
 */
import {
  type WorkloadEntry,
  WorkloadEntrySchema,
} from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import { isDnsLabel, isFqdn, isIp, type Path } from "../../../kit/text/mod.ts";
import { checkLabels } from "../metadata.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
import { checkPort, checkUnixAddress, CONFLICT, REQUIRED, UNIX_PREFIX } from "../rules/mod.ts";
import { NETWORKING_API, type TabledKind } from "../kind.ts";

export const WORKLOAD_ENTRY: TabledKind<"WorkloadEntry", "workloadEntries", WorkloadEntry> = {
  kind: "WorkloadEntry",
  ...NETWORKING_API,
  plural: "workloadentries",
  scope: "namespaced",
  table: "workloadEntries",
  schema: WorkloadEntrySchema,
  effective: {
    paths: ["address", "ports", "labels", "network", "locality", "weight", "serviceAccount"],
  },
  validate,
};

/** Checks a WorkloadEntry's specification. */
function validate(
  spec: WorkloadEntry,
  _identity: ObjectIdentity,
  report: Report,
): void {
  checkAddress(spec, ["spec"], report);
  checkWorkload(spec, ["spec"], report);
}

function checkAddress(entry: WorkloadEntry, path: Path, report: Report): void {
  const at = [...path, "address"];
  const { address } = entry;
  if (address.startsWith(UNIX_PREFIX)) checkUnixAddress(address, at, report);
  else if (address === "") {
    if (entry.network !== "") {
      const message =
        `the workload has no address: the gateway of network ${entry.network} is used`;
      return report.warn(
        [...path, "network"],
        "no-address",
        message,
        "Give its address, if known.",
      );
    }
    const message = "a workload needs an address or a network";
    report.fail(at, REQUIRED, message, "Give its IP address, host name or Unix socket.");
  } else if (!isIp(address) && !isFqdn(address)) {
    const message = `${JSON.stringify(address)} is neither an IP address nor a host name`;
    report.fail(at, "invalid-address", message, "Write an IP address, a DNS name or unix:///path.");
  }
}

/** Checks ports and labels of a workload; the rules of its address depend on the resolution. */
export function checkWorkload(entry: WorkloadEntry, path: Path, report: Report): void {
  const ports = Object.entries(entry.ports);
  if (ports.length > 0 && entry.address.startsWith(UNIX_PREFIX)) {
    const message = "a Unix socket has no ports";
    report.failKey([...path, "ports"], CONFLICT, message, "Remove the ports.");
  }
  for (const [name, port] of ports) {
    const at = [...path, "ports", name];
    if (!isDnsLabel(name)) {
      const message = `${JSON.stringify(name)} is not a port name`;
      report.failKey(at, "invalid-name", message, "Use lower-case letters, digits and '-'.");
    }
    checkPort(port, at, report);
  }
  checkLabels(entry.labels, [...path, "labels"], report);
}
