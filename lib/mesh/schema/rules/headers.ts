/**
 * Rules of HTTP headers and string matches.
 *
 * @module
 */
import type { Headers, StringMatch } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { Path } from "../../../kit/text/mod.ts";
import type { Report } from "../problem.ts";
import { checkRegex, INVALID } from "./common.ts";

/** Header names by RFC 9110, without the characters that proxies reject. */
const HEADER_NAME = /^[-_A-Za-z0-9!#$%&'*+.^`|~]+$/;
/** Prefix of matches on claims of a verified token. */
const CLAIM_PREFIX = "@request.auth.claims";

/** Checks the name of a header; `what` is its role, for the message. */
export function checkHeaderName(name: string, path: Path, report: Report): void {
  if (HEADER_NAME.test(name)) return;
  const message = name === ""
    ? "the header's name is empty"
    : `${JSON.stringify(name)} is not a header name`;
  report.failKey(path, "invalid-header", message, "Use letters, digits, '-' and '_'.");
}

/** Checks names in a map of header matches; `claims` allows names of claims. */
export function checkHeaderMatches(
  matches: Readonly<Record<string, StringMatch>>,
  path: Path,
  report: Report,
): void {
  for (const [name, match] of Object.entries(matches)) {
    const at = [...path, name];
    if (!name.startsWith(CLAIM_PREFIX)) checkHeaderName(name, at, report);
    checkStringMatch(match, at, report);
  }
}

/**
 * An expression must be valid and a prefix must not be empty; a match without any of the three
 * tests presence.
 */
export function checkStringMatch(match: StringMatch, path: Path, report: Report): void {
  const { matchType } = match;
  if (matchType.case === "regex") checkRegex(matchType.value, [...path, "regex"], report);
  if (matchType.case === "prefix" && matchType.value === "") {
    const message = "an empty prefix matches everything";
    report.fail([...path, "prefix"], INVALID, message, "Write a prefix, or remove the match.");
  }
}

/** Headers that a proxy sets or adds by one rule; Envoy rejects routes with more. */
const MAX_OPERATIONS = 1_000;
const REMEDY = "Remove headers: the proxy takes no more in a route.";

/** The number of headers that are set and added on one side. */
function operated(headers: Headers | undefined, side: "request" | "response"): number {
  const { set = {}, add = {} } = headers?.[side] ?? {};
  return Object.keys(set).length + Object.keys(add).length;
}

/**
 * Checks the operations of a rule together with those of its only destination: both are operations of
 * one route.
 */
export function checkJoinedHeaders(
  rule: Headers | undefined,
  destination: Headers | undefined,
  path: Path,
  report: Report,
): void {
  for (const side of ["request", "response"] as const) {
    const counts = [operated(rule, side), operated(destination, side)] as const;
    const count = counts[0] + counts[1];
    // Each alone is checked for itself.
    if (count <= MAX_OPERATIONS || counts.some((one) => one > MAX_OPERATIONS)) continue;
    const message = `${count} headers are set and added, more than ${MAX_OPERATIONS}: ` +
      `${counts[0]} by the rule and ${counts[1]} by its only destination`;
    report.fail([...path, side], "too-large", message, REMEDY);
  }
}

/** Checks operations on request and response headers. */
export function checkHeaders(headers: Headers | undefined, path: Path, report: Report): void {
  for (const side of ["request", "response"] as const) {
    const operations = headers?.[side];
    if (operations === undefined) continue;
    const at = [...path, side];
    const count = operated(headers, side);
    if (count > MAX_OPERATIONS) {
      const message = `${count} headers are set and added, more than ${MAX_OPERATIONS}`;
      report.fail(at, "too-large", message, REMEDY);
      continue;
    }
    for (const verb of ["set", "add"] as const) {
      for (const [name, value] of Object.entries(operations[verb])) {
        checkOperatedName(name, [...at, verb, name], report, verb === "set" && side === "request");
        checkHeaderValue(value, [...at, verb, name], report);
      }
    }
    operations.remove.forEach((name, index) =>
      checkOperatedName(name, [...at, "remove", index], report, false)
    );
  }
}

/** The proxy routes by these headers and rejects changes of them, except setting the authority. */
function checkOperatedName(name: string, path: Path, report: Report, mayBeHost: boolean): void {
  const lower = name.toLowerCase();
  const isHost = lower === "host" || lower === ":authority";
  if (isHost && mayBeHost) return;
  if (isHost || lower.startsWith(":")) {
    const message = `header ${JSON.stringify(name)} cannot be changed here`;
    report.failKey(path, "invalid-header", message, "Use rewrite for host and path.");
  } else checkHeaderName(name, path, report);
}

/** A value may have commands of the access log format: `%NAME%`, `%NAME(args):10%`, `%%`. */
function checkHeaderValue(value: string, path: Path, report: Report): void {
  if (/[\0\r\n]/.test(value)) {
    report.fail(path, "invalid-header", "the value has a line break or NUL", "Remove it.");
  }
  const rest = value.replace(/%%|%[A-Z_0-9]+(?:\([^)]*\))?(?::\d+)?%/g, "");
  if (!rest.includes("%")) return;
  const message = "the value has a single %, which begins a command";
  report.fail(path, "invalid-header", message, "Write %% for the character itself.");
}
