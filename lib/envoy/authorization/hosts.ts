/**
 * Hosts of policies. Case never matters; what stands behind a colon may.
 *
 * @module
 */
import {
  type HeaderMatcher,
  HeaderMatcherSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import { create } from "../../proto/mod.ts";
import { quote, regexMatch, textMatch } from "./text.ts";

const AUTHORITY = ":authority";

/** Whether the host of a request matches. */
export function hostMatch(host: string): HeaderMatcher {
  return headerMatch(AUTHORITY, host, true);
}

/** Whether a header has a value; `*` holds when it is there at all. */
export function headerMatch(name: string, value: string, ignoreCase = false): HeaderMatcher {
  return create(HeaderMatcherSchema, {
    name,
    headerMatchSpecifier: value === "*"
      ? { case: "presentMatch", value: true }
      : { case: "stringMatch", value: textMatch(value, "", ignoreCase) },
  });
}

/**
 * The same host with a port, or with the dot that ends a whole name: servers take
 * both for the host itself, so a rule that forbids it must know them.
 *
 * @returns `undefined` where the host has a port already, or anything goes behind it
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
