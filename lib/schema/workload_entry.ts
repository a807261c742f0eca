/**
 * Rules of WorkloadEntry, which ServiceEntry's endpoints share.
 *
 * @module
 */
import type { WorkloadEntry } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import { isDnsLabel, isFqdn, isIp, type Path } from "../text/mod.ts";
import { checkLabels } from "./metadata.ts";
import { fail, type ObjectIdentity, type Report } from "./problem.ts";
import { checkPort, checkUnixAddress, CONFLICT, REQUIRED, UNIX_PREFIX } from "./rules.ts";

/** Checks a WorkloadEntry's specification. */
export function validateWorkloadEntry(
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
    if (entry.network !== "") return;
    const message = "a workload needs an address or a network";
    fail(report, at, REQUIRED, message, "Give its IP address, host name or Unix socket.");
  } else if (!isIp(address) && !isFqdn(address)) {
    const message = `${JSON.stringify(address)} is neither an IP address nor a host name`;
    fail(
      report,
      at,
      "invalid-address",
      message,
      "Write an IP address, a DNS name or unix:///path.",
    );
  }
}

/** Ports and labels of a workload; its address has rules of its own by resolution. */
export function checkWorkload(entry: WorkloadEntry, path: Path, report: Report): void {
  const ports = Object.entries(entry.ports);
  if (ports.length > 0 && entry.address.startsWith(UNIX_PREFIX)) {
    const message = "a Unix socket has no ports";
    fail(report, [...path, "ports"], CONFLICT, message, "Remove the ports.", "key");
  }
  for (const [name, port] of ports) {
    const at = [...path, "ports", name];
    if (!isDnsLabel(name)) {
      const message = `${JSON.stringify(name)} is not a port name`;
      fail(report, at, "invalid-name", message, "Use lower-case letters, digits and '-'.", "key");
    }
    checkPort(port, at, report);
  }
  checkLabels(entry.labels, [...path, "labels"], report);
}
