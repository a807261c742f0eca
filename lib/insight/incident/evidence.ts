/**
 * Evidence of a failing request: a command line of curl, a line of an access log, or an id.
 *
 * @module
 */
import { accessLogLine } from "./access_log.ts";
import { curlCommand } from "./curl.ts";
import type { Evidence } from "./types.ts";

/** Longest evidence, in characters. */
const LONGEST = 64 * 1024;

const ID =
  /^(?:traceparent:\s*)?(?:00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}|[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Reads evidence; returns the reason as a sentence if it names no request. */
export function readEvidence(text: string): Evidence | string {
  const trimmed = text.trim();
  if (trimmed === "") {
    return "there is no evidence: paste a curl command line, or a line of an access log";
  }
  if (trimmed.length > LONGEST) {
    return `the evidence has more than ${LONGEST} characters: paste the line of one request`;
  }
  if (ID.test(trimmed)) {
    return `${trimmed} is an id, and neither daemon nor proxies store requests: find the line with ` +
      "it in an access log and paste that, or give the log with --logs";
  }
  if (/^(\$ )?curl(\s|$)/.test(trimmed)) return curlCommand(trimmed.replace(/^\$ /, ""));
  if (/[^\\]\n./.test(trimmed)) {
    return "the evidence has several lines: paste the line of one request";
  }
  return accessLogLine(trimmed);
}
