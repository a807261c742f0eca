/**
 * Rules that several kinds share.
 *
 * @module
 */
import type { Duration } from "../../../kit/proto/mod.ts";
import {
  isCidr,
  isDnsLabel,
  isFqdn,
  isIp,
  isWildcardHost,
  type Path,
  regexFault,
} from "../../../kit/text/mod.ts";
import type { Report } from "../problem.ts";

/** The code of values that have a valid type and are not allowed. */
export const INVALID = "invalid-value";
/** The code of fields that must be set. */
export const REQUIRED = "required";
/** The code of fields or values that exclude each other. */
export const CONFLICT = "conflict";
export const NO_EFFECT = "no-effect";
/** The code of duplicates. */
export const DUPLICATE = "duplicate";

/** Prefix of Unix socket addresses. */
export const UNIX_PREFIX = "unix://";

/** A port must be 1 to 65535. */
export function checkPort(port: number | bigint, path: Path, report: Report): void {
  if (port >= 1 && port <= 65535) return;
  const message = `port ${port} is not between 1 and 65535`;
  report.fail(path, "invalid-port", message, "Write a port from 1 to 65535.");
}

/** A percentage must be 0 to 100. */
export function checkPercent(percent: number, path: Path, report: Report): void {
  if (percent >= 0 && percent <= 100) return;
  const message = `${percent} is not a percentage`;
  report.fail(path, "out-of-range", message, "Write a number from 0 to 100.");
}

/** A number must not be negative. */
export function checkNotNegative(value: number, path: Path, report: Report): void {
  if (value >= 0) return;
  report.fail(path, "out-of-range", `${value} is negative`, "Write 0 or more.");
}

/** A duration must be at least one millisecond, in whole milliseconds; `zero` allows 0. */
export function checkDuration(
  duration: Duration | undefined,
  path: Path,
  report: Report,
  zero: "zero" | "positive" = "positive",
): void {
  if (duration === undefined) return;
  const nanos = duration.seconds * 1_000_000_000n + BigInt(duration.nanos);
  if (nanos === 0n && zero === "zero") return;
  if (nanos < 1_000_000n) {
    report.fail(path, "invalid-duration", "the duration is shorter than 1ms", "Write 1ms or more.");
  } else if (nanos % 1_000_000n !== 0n) {
    const message = "the duration has parts of a millisecond";
    report.fail(path, "invalid-duration", message, "Write whole milliseconds.");
  }
}

/** Checks a host name; `wildcard` allows a leading wildcard. */
export function checkHost(
  host: string,
  path: Path,
  report: Report,
  wildcard: "wildcard" | "exact" = "wildcard",
): void {
  if (wildcard === "wildcard" ? isWildcardHost(host) : isFqdn(host)) return;
  const wild = wildcard === "wildcard" ? ", such as a.example.com or *.example.com" : "";
  const message = `${JSON.stringify(host)} is not a host name`;
  report.fail(path, "invalid-host", message, `Write a DNS name${wild}.`);
}

export function checkIp(address: string, path: Path, report: Report): void {
  if (isIp(address)) return;
  const message = `${JSON.stringify(address)} is not an IP address`;
  report.fail(path, "invalid-address", message, "Write an IPv4 or IPv6 address.");
}

/** Checks an IP address or range. */
export function checkSubnet(address: string, path: Path, report: Report): void {
  if (isIp(address) || isCidr(address)) return;
  const message = `${JSON.stringify(address)} is neither an IP address nor a range`;
  report.fail(path, "invalid-address", message, "Write, for example, 10.1.2.3 or 10.0.0.0/8.");
}

/** Checks the path of a Unix socket address; other addresses are accepted. */
export function checkUnixAddress(address: string, path: Path, report: Report): void {
  const socket = address.slice(UNIX_PREFIX.length);
  const remedy = "Write unix:///absolute/path or unix://@abstract.";
  if (!socket.startsWith("/") && !socket.startsWith("@")) {
    const message = "a Unix socket needs an absolute path or an abstract name";
    report.fail(path, "invalid-address", message, remedy);
  } else if (socket.endsWith("/") || socket === "@") {
    report.fail(path, "invalid-address", "a Unix socket cannot be a directory", remedy);
  }
}

/** Checks a regular expression: valid in RE2, and not empty. */
export function checkRegex(regex: string, path: Path, report: Report): void {
  const fault = regex === "" ? "the expression is empty" : regexFault(regex);
  if (fault === undefined) return;
  const remedy = "Write an expression in RE2 syntax: no look-around, no back-references.";
  report.fail(path, "invalid-regex", `bad regular expression: ${fault}`, remedy);
}

/** Checks the name of a subset: letters, digits and inner dashes, at most 63. */
export function checkSubsetName(name: string, path: Path, report: Report): void {
  if (name === "") report.fail(path, REQUIRED, "the subset has no name", "Give it a name.");
  else if (!/^[a-zA-Z0-9](?:[-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/.test(name)) {
    const message = `${JSON.stringify(name)} is not a subset name`;
    report.fail(path, "invalid-name", message, "Use letters, digits and '-', 63 at most.");
  }
}

/** Checks a selector's labels: no empty keys, no wildcards. */
export function checkSelector(
  labels: Readonly<Record<string, string>>,
  path: Path,
  report: Report,
): void {
  for (const [key, value] of Object.entries(labels)) {
    const at = [...path, key];
    const remedy = "Name labels and values exactly.";
    if (key === "") report.failKey(at, INVALID, "the label's key is empty", remedy);
    if (key.includes("*") || value.includes("*")) {
      const record = key.includes("*") ? report.failKey : report.fail;
      record(at, INVALID, "a selector takes no wildcards", remedy);
    }
  }
}

/**
 * Checks the namespaces of an export: `*`, `.` or names; `~` (no namespace) is accepted only with
 * `none`.
 */
export function checkExportTo(
  exportTo: readonly string[],
  path: Path,
  report: Report,
  { namespace, none = false }: { readonly namespace: string; readonly none?: boolean },
): void {
  const seen = new Set<string>();
  exportTo.forEach((entry, index) => {
    const at = [...path, index];
    const target = entry === "." ? namespace : entry;
    if (seen.has(target)) {
      report.fail(at, DUPLICATE, `"${target}" is listed twice`, "List each namespace once.");
    }
    seen.add(target);
    const special = entry === "*" || entry === "." || (entry === "~" && none);
    if (special || isDnsLabel(entry)) return;
    const message = `${JSON.stringify(entry)} is not a namespace`;
    report.fail(
      at,
      "invalid-name",
      message,
      'Write a namespace, "." for this one, or "*" for all.',
    );
  });
  for (const alone of ["*", "~"]) {
    if (!seen.has(alone) || exportTo.length === 1) continue;
    const message = `"${alone}" cannot stand beside other entries`;
    report.fail(path, CONFLICT, message, `Keep "${alone}" alone, or remove it.`);
  }
}

/** Protocols that a port may declare, by their names in capitals. */
export const PROTOCOLS: ReadonlySet<string> = new Set([
  "HTTP",
  "HTTP2",
  "HTTPS",
  "HTTP_PROXY",
  "GRPC",
  "GRPC-WEB",
  "GRPC-WEB-HTTPS",
  "TCP",
  "TLS",
  "UDP",
  "MONGO",
  "MYSQL",
  "REDIS",
  "HBONE",
]);

/** A declared protocol must be known; empty is allowed. */
export function checkProtocol(protocol: string, path: Path, report: Report): void {
  if (protocol === "" || PROTOCOLS.has(protocol.toUpperCase())) return;
  const message = `protocol ${JSON.stringify(protocol)} is not known`;
  report.fail(path, "unknown-value", message, `Write one of: ${[...PROTOCOLS].join(", ")}.`);
}

/** Reports duplicate names. */
export function checkUnique(
  names: Iterable<readonly [name: string | number, path: Path]>,
  what: string,
  report: Report,
): void {
  const seen = new Set<string | number>();
  for (const [name, path] of names) {
    if (seen.has(name)) {
      report.fail(path, DUPLICATE, `${what} "${name}" occurs twice`, `Give each ${what} once.`);
    }
    seen.add(name);
  }
}

/** Warns about a selector without labels, which people write to select nothing. */
export function warnEmptySelector(
  selector: { readonly labels: Readonly<Record<string, string>> } | undefined,
  path: Path,
  report: Report,
): void {
  if (selector === undefined || Object.keys(selector.labels).length > 0) return;
  const message = "workloadSelector without labels selects all workloads of the namespace";
  report.warn(path, "empty-selector", message, "Give labels, or remove workloadSelector.");
}

/** Reports a message whose members are all unset. */
export function checkNotEmpty(message: object, what: string, path: Path, report: Report): void {
  const set = Object.entries(message).some(([name, value]) =>
    !name.startsWith("$") && value !== undefined &&
    (Array.isArray(value) ? value.length > 0 : isSet(value))
  );
  if (!set) {
    report.fail(path, REQUIRED, `${what} sets nothing`, "Set a field of it, or remove it.");
  }
}

function isSet(value: unknown): boolean {
  // An unset oneof group in generated code is `{case: undefined}`.
  return value !== null && typeof value === "object"
    ? !("case" in value) || value.case !== undefined
    : value !== 0 && value !== "" && value !== false;
}
