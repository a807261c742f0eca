/**
 * Sessions that stay with one endpoint (the filter `stateful_session`).
 *
 * @module
 */
import {
  StatefulSessionPerRouteSchema,
  StatefulSessionSchema,
} from "#envoy/extensions/filters/http/stateful_session/v3/stateful_session_pb.ts";
import { CookieBasedSessionStateSchema } from "#envoy/extensions/http/stateful_session/cookie/v3/cookie_pb.ts";
import { HeaderBasedSessionStateSchema } from "#envoy/extensions/http/stateful_session/header/v3/header_pb.ts";
import { type Any, create, packAny } from "../../proto/mod.ts";

/** Labels of services whose sessions stay with one endpoint; an empty one is no label. */
export interface SessionLabels {
  /** Sessions are known by a cookie, `name:/path`. */
  readonly cookie: string;
  /** Sessions are known by a header of this name; goes before the cookie. */
  readonly header: string;
}

/** Name of the HTTP filter; routes configure it by this. */
export const SESSION_FILTER = "envoy.filters.http.stateful_session";

/** How a service's sessions are known. */
export interface SessionRule {
  /** The label that says so. */
  readonly label: string;
  readonly value: string;
  /** What routes to the service say to the filter. */
  readonly config: Any;
}

/** What names of cookies and headers are made of (RFC 9110, tokens). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * How the sessions of a service with these labels are known; `undefined`: it has
 * none. A label whose value names no cookie or header counts for nothing: Envoy
 * would refuse the routes.
 */
export function sessionRule(
  labels: Readonly<Record<string, string>>,
  wanted: SessionLabels | undefined,
): SessionRule | undefined {
  if (wanted === undefined) return undefined;
  const header = labels[wanted.header] ?? "";
  if (wanted.header !== "" && TOKEN.test(header)) {
    const state = packAny(HeaderBasedSessionStateSchema, { name: header });
    return { label: wanted.header, value: header, config: perRoute("header", state) };
  }
  const cookie = labels[wanted.cookie] ?? "";
  const [name, path] = splitCookie(cookie);
  if (wanted.cookie === "" || !TOKEN.test(name)) return undefined;
  // Without a lifetime the cookie is the browser's session's.
  const state = packAny(CookieBasedSessionStateSchema, { cookie: { name, path } });
  return { label: wanted.cookie, value: cookie, config: perRoute("cookie", state) };
}

/** `name:/path`; without a path the cookie is for all. */
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
