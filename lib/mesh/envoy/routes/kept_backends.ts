/**
 * Sessions of rules with several backends: a session stays with its backend.
 *
 * A rule has one more route for each backend, before its own. It takes the requests of sessions that name the
 * backend, whatever its weight.
 *
 * @module
 */
import {
  type HeaderMatcher,
  HeaderMatcherSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import type {
  Destination,
  HTTPRoute,
  HTTPRouteDestination,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { hexDigest } from "../../../kit/base/mod.ts";
import { type Any, create } from "../../../kit/proto/mod.ts";
import { apiRuleOf, type RuleSession } from "../../model/mod.ts";
import { backendOfSession, SESSION_BACKEND_FILTER } from "../core/mod.ts";

/** Characters of the name of a backend in sessions. */
const DIGITS = 8;

/** A rule for the sessions of one backend. */
export interface KeptRule {
  /** The rule with this backend alone. */
  readonly rule: HTTPRoute;
  /** The condition that requests of its sessions meet. */
  readonly header: HeaderMatcher;
  /** Filter configuration of its routes, by name of the filter. */
  readonly filters: Record<string, Any>;
}

/** The rules for sessions of a rule; none if it has no sessions or at most one backend. */
export function keptRules(rule: HTTPRoute): readonly KeptRule[] {
  const session = apiRuleOf(rule)?.session;
  if (session === undefined || rule.route.length < 2) return [];
  // Without any weight the rule has no backend at all.
  if (rule.route.every(({ weight }) => weight <= 0)) return [];
  return rule.route.flatMap((route) => {
    if (route.destination === undefined) return [];
    const header = matcherOf(session, backendName(route.destination));
    return [{ rule: { ...rule, route: [route] }, header, filters: keptConfig(session, route) }];
  });
}

/** The filter configuration for requests to one of several backends, by name of the filter. */
export function keptConfig(
  session: RuleSession,
  { destination }: HTTPRouteDestination,
): Record<string, Any> {
  if (destination === undefined) return {};
  return { [SESSION_BACKEND_FILTER]: backendOfSession(session, backendName(destination)) };
}

/** A name without meaning, which does not depend on the order and the weights of backends. */
function backendName({ host, port, subset }: Destination): string {
  return hexDigest("sha256", `${host} ${port?.number ?? 0} ${subset}`).slice(0, DIGITS);
}

function matcherOf({ kind, name }: RuleSession, backend: string): HeaderMatcher {
  if (kind === "header") {
    return create(HeaderMatcherSchema, {
      name: name.toLowerCase(),
      headerMatchSpecifier: {
        case: "stringMatch",
        value: { matchPattern: { case: "prefix", value: `${backend}.` } },
      },
    });
  }
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const regex = `(?:.*;\\s*)?${literal}="?${backend}\\..*`;
  return create(HeaderMatcherSchema, {
    name: "cookie",
    headerMatchSpecifier: {
      case: "stringMatch",
      value: { matchPattern: { case: "safeRegex", value: { regex } } },
    },
  });
}
