/**
 * Host matchers of policies. Matching ignores case. A port may follow the host.
 *
 * @module
 */
import {
  type HeaderMatcher,
  HeaderMatcherSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { quote, regexMatch, textMatch } from "./text.ts";

const AUTHORITY = ":authority";

/** Matches the host of a request. */
export function hostMatch(host: string): HeaderMatcher {
  return headerMatch(AUTHORITY, host, true);
}

/** Matches a header value; `*` matches every present header. */
export function headerMatch(name: string, value: string, ignoreCase = false): HeaderMatcher {
  return create(HeaderMatcherSchema, {
    name,
    headerMatchSpecifier: value === "*"
      ? { case: "presentMatch", value: true }
      : { case: "stringMatch", value: textMatch(value, "", ignoreCase) },
  });
}

/** Matches the host of the authority of a tunnel, which always has a port; one in `host` must be the same. */
export function serviceMatch(host: string): HeaderMatcher {
  return host.endsWith("*") || /:\d+$/.test(host)
    ? hostMatch(host)
    : disguisedHost(host) ?? hostMatch(host);
}

/** Matches the port of an authority. */
export function authorityPort(port: string): HeaderMatcher {
  return headerMatch(AUTHORITY, `*:${port}`);
}

/**
 * Matches the same host with a port, or with a trailing dot. Servers treat both like the host, so a
 * rule that denies the host must match them.
 *
 * @returns `undefined` if the host has a port already, or allows any suffix
 */
export function disguisedHost(host: string): HeaderMatcher | undefined {
  if (host.endsWith("*") || /:\d+$/.test(host)) return undefined;
  const any = host.startsWith("*") ? ".*" : "";
  const name = quote(host.slice(any === "" ? 0 : 1).replace(/\.$/, ""));
  return create(HeaderMatcherSchema, {
    name: AUTHORITY,
    headerMatchSpecifier: {
      case: "stringMatch",
      value: regexMatch(`(?i)${any}${name}\\.?(?::\\d*)?`),
    },
  });
}
