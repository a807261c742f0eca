/**
 * Conversion of session persistence.
 *
 * @module
 */
import type { SessionPersistence } from "#mesh/gateway/v1/references_pb.ts";
import { hexDigest, parseDuration } from "../../../kit/base/mod.ts";
import type { RuleSession } from "../../model/mod.ts";
import type { HTTPMatchRequest } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";

/** Characters of the digest in names of sessions. */
const DIGITS = 12;

/**
 * The session of a rule or of a backend.
 *
 * @param of what has the session; it gives a session without a name one that no other has
 * @param path path of the cookie
 */
export function convertSession(
  { type, sessionName, absoluteTimeout, cookieConfig }: SessionPersistence,
  of: string,
  path = "/",
): RuleSession {
  const own = hexDigest("sha256", of).slice(0, DIGITS);
  if (type === "Header") return { kind: "header", name: sessionName || `x-session-${own}`, path };
  const isPermanent = cookieConfig?.lifetimeType === "Permanent" && absoluteTimeout !== "";
  return {
    kind: "cookie",
    name: sessionName || `session-${own}`,
    path,
    // Cookies count whole seconds, and one of zero seconds would be one of the browser's session.
    ...(isPermanent ? { seconds: Math.ceil(parseDuration(absoluteTimeout) / 1000) } : {}),
  };
}

/** The path of the cookie of a rule: the only path that it matches, otherwise all paths. */
export function sessionPath(matches: readonly HTTPMatchRequest[]): string {
  const [match] = matches;
  const { case: kind, value } = match?.uri?.matchType ?? {};
  const isPath = (kind === "exact" || kind === "prefix") && /^[^;\s]+$/.test(value ?? "");
  return matches.length === 1 && isPath && value !== undefined ? value : "/";
}
