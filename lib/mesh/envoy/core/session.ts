/**
 * Sticky sessions (the filter `stateful_session`).
 *
 * @module
 */
import {
  StatefulSessionPerRouteSchema,
  StatefulSessionSchema,
} from "#envoy/extensions/filters/http/stateful_session/v3/stateful_session_pb.ts";
import { CookieBasedSessionStateSchema } from "#envoy/extensions/http/stateful_session/cookie/v3/cookie_pb.ts";
import { HeaderBasedSessionStateSchema } from "#envoy/extensions/http/stateful_session/header/v3/header_pb.ts";
import { type Any, create, durationOf, packAny } from "../../../kit/proto/mod.ts";
import type { RuleSession } from "../../model/mod.ts";

/** Labels of services with sticky sessions; an empty string disables a label. */
export interface SessionLabels {
  /** Label for sessions by cookie, `name:/path`. */
  readonly cookie: string;
  /** Label for sessions by header name; it takes precedence over the cookie. */
  readonly header: string;
}

/** Name of the HTTP filter; routes configure it by this name. */
export const SESSION_FILTER = "envoy.filters.http.stateful_session";

/** Session settings of a service. */
export interface SessionRule {
  /** The label that configures the sessions. */
  readonly label: string;
  readonly value: string;
  /** Filter configuration for routes to the service. */
  readonly config: Any;
}

/** Characters of cookie and header names (RFC 9110, tokens). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Returns the session settings of a service with these labels; `undefined`: none. A label with an
 * invalid cookie or header name is ignored, because Envoy would reject the routes.
 */
export function sessionRule(
  labels: Readonly<Record<string, string>>,
  wanted: SessionLabels | undefined,
): SessionRule | undefined {
  if (wanted === undefined) return undefined;
  const header = labels[wanted.header] ?? "";
  if (wanted.header !== "" && TOKEN.test(header)) {
    const config = sessionOfRoute({ kind: "header", name: header, path: "/" });
    return { label: wanted.header, value: header, config };
  }
  const cookie = labels[wanted.cookie] ?? "";
  const [name, path] = splitCookie(cookie);
  if (wanted.cookie === "" || !TOKEN.test(name)) return undefined;
  const config = sessionOfRoute({ kind: "cookie", name, path });
  return { label: wanted.cookie, value: cookie, config };
}

/** Filter configuration of a route whose sessions stay with one endpoint. */
export function sessionOfRoute({ kind, name, path, seconds }: RuleSession): Any {
  if (kind === "header") return perRoute(kind, packAny(HeaderBasedSessionStateSchema, { name }));
  // Without a TTL it is a session cookie of the browser.
  const ttl = seconds === undefined ? {} : { ttl: durationOf(seconds * 1000) };
  return perRoute(
    kind,
    packAny(CookieBasedSessionStateSchema, { cookie: { name, path, ...ttl } }),
  );
}

/** `name:/path`; without a path the cookie applies to all paths. */
function splitCookie(value: string): [name: string, path: string] {
  const colon = value.indexOf(":");
  if (colon < 0) return [value, "/"];
  return [value.slice(0, colon), value.slice(colon + 1) || "/"];
}

function perRoute(kind: "cookie" | "header", typedConfig: Any): Any {
  const statefulSession = create(StatefulSessionSchema, {
    sessionState: { name: `envoy.http.stateful_session.${kind}`, typedConfig },
  });
  return packAny(StatefulSessionPerRouteSchema, {
    override: { case: "statefulSession", value: statefulSession },
  });
}
