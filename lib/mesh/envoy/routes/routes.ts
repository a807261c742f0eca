/**
 * Translates a VirtualService to the routes of a virtual host.
 *
 * @module
 */
import {
  DirectResponseActionSchema,
  type RetryPolicy,
  type Route,
  type RouteMatch,
  RouteSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import { RuntimeFractionalPercentSchema } from "#envoy/config/core/v3/base_pb.ts";
import { CorsPolicySchema } from "#envoy/extensions/filters/http/cors/v3/cors_pb.ts";
import { HTTPFaultSchema } from "#envoy/extensions/filters/http/fault/v3/fault_pb.ts";
import {
  type HTTPMatchRequest,
  type HTTPRoute,
  PercentSchema,
  type VirtualService,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import {
  type DecisionLog,
  inParts,
  NO_DECISIONS,
  type PassedOver,
  UNDIVIDED,
} from "../../../kit/base/mod.ts";
import { type Any, create, packAny } from "../../../kit/proto/mod.ts";
import { apiRuleOf } from "../../model/mod.ts";
import { isCatchAll, translateMatch } from "../matching/mod.ts";
import { plainAction, sessionConfig, timeouts, translateForwarding } from "./action.ts";
import { type KeptRule, keptRules } from "./kept_backends.ts";
import { ruleFilters } from "./rule_filters.ts";
import { CORS_FILTER, translateCors } from "./cors.ts";
import { byElements } from "./elements.ts";
import { FAULT_FILTER, translateFault } from "./fault.ts";
import { type HeaderOperations, operationsOf, translateHeaders } from "./headers.ts";
import { finePercent } from "./percent.ts";
import { translateDirectResponse, translateRedirect } from "./rewrite.ts";
import { metadataOfRule } from "./rule_metadata.ts";
import {
  conditionHolds,
  inRule,
  inService,
  type MeshRouteDefaults,
  type ResolvedDestination,
  type RouteScope,
} from "./scope.ts";

/**
 * Returns the routes of a VirtualService in a scope, first match wins: one for each match of each
 * HTTP rule, in order. It omits matches for other gateways, ports or sources, and everything after
 * a route that matches all requests. A rule that still has a `delegate` is omitted: the delegate's
 * rules replace it.
 *
 * @returns empty if nothing applies: the host is then served as if there were no VirtualService
 */
export function translateHttpRoutes(vs: VirtualService, scope: RouteScope): Route[] {
  const routes: Route[] = [];
  const passedOver: PassedOver[] = [];
  const log = scope.decisions ?? NO_DECISIONS;
  const outcomes = outcomesOf();
  let full: string | undefined;
  const translated = inParts(
    scope.parts ?? UNDIVIDED,
    [...matchesOf(vs)],
    (some) => translateMatches(some, scope, { first: routes.length, full, outcomes }),
    weightOf,
  );
  for (const part of translated) {
    for (const route of part.routes) routes.push(route);
    for (const match of part.passedOver) passedOver.push(match);
    full = part.full;
    if (full !== undefined && log.decide === undefined) return routes;
  }
  if (passedOver.length > 0) {
    log.decide?.({
      group: "rules left out",
      ...inService(scope, "spec.http"),
      value: passedOver.length,
      passedOver,
    });
  }
  return routes;
}

/** Header operations that take as long as a route. */
const HEADERS_PER_ROUTE = 4;

/** Weight of a match: the first one of a rule has the rule's destinations and headers. */
function weightOf({ rule, match }: RuleMatch): number {
  if (match !== rule.match[0]) return 1;
  const headers = [rule, ...rule.route].reduce(
    (sum, { headers }) => sum + operationsOf(headers),
    0,
  );
  return 1 + rule.route.length + Math.floor(headers / HEADERS_PER_ROUTE);
}

/** Results of the matches before some others. */
interface Before {
  /** Number of routes. */
  readonly first: number;
  /** Field path of a match that takes every request. */
  readonly full: string | undefined;
  readonly outcomes: typeof outcomeOf;
}

/** The routes of some matches. */
interface Translated {
  readonly routes: readonly Route[];
  readonly passedOver: readonly PassedOver[];
  readonly full: string | undefined;
}

/** Translates some matches, up to one that takes every request; all of them if decisions are recorded. */
function translateMatches(
  matches: readonly RuleMatch[],
  scope: RouteScope,
  { first, full: before, outcomes }: Before,
): Translated {
  const routes: Route[] = [];
  const passedOver: PassedOver[] = [];
  let full = before;
  const log = scope.decisions ?? NO_DECISIONS;
  for (const { at, rule, match, kept } of matches) {
    const why = full !== undefined
      ? `${full} takes every request before it`
      : whyNot(rule, match, scope);
    if (why !== undefined) {
      passedOver.push({ ...inRule(rule, scope, at), why });
      continue;
    }
    const inside = log.decide === undefined
      ? scope
      : { ...scope, decisions: log.within(`routes[${first + routes.length}]`) };
    const route = translateRule({ rule, match, at, kept }, inside, outcomes);
    routes.push(route);
    if (!isCatchAll(route.match!)) continue;
    full = at;
    if (log.decide === undefined) break;
  }
  return { routes, passedOver, full };
}

interface RuleMatch {
  /** Its field path: `spec.http[0].match[1]`. */
  readonly at: string;
  readonly rule: HTTPRoute;
  /** `undefined`: the rule has no matches and applies to every request. */
  readonly match: HTTPMatchRequest | undefined;
  /** The rule is for the sessions of one backend. */
  readonly kept?: KeptRule;
}

/** The matches of all rules, in order; those for sessions of one backend precede the rule's own. */
function* matchesOf(vs: VirtualService): Generator<RuleMatch> {
  for (const [i, rule] of vs.http.entries()) {
    const at = `spec.http[${i}]`;
    const kept = keptRules(rule);
    if (rule.match.length === 0) yield* withSessions({ at, rule, match: undefined }, kept);
    for (const [j, match] of rule.match.entries()) {
      yield* withSessions({ at: `${at}.match[${j}]`, rule, match }, kept);
    }
  }
}

function* withSessions(own: RuleMatch, kept: readonly KeptRule[]): Generator<RuleMatch> {
  for (const one of kept) yield { ...own, rule: one.rule, kept: one };
  yield own;
}

function whyNot(
  rule: HTTPRoute,
  match: HTTPMatchRequest | undefined,
  scope: RouteScope,
): string | undefined {
  if (rule.delegate !== undefined) return "the rules of its delegate come in its place";
  if (match === undefined || conditionHolds(match, scope)) return undefined;
  if (scope.source?.isAnyone === true && Object.keys(match.sourceLabels).length > 0) {
    return "its match is for source labels, which a waypoint does not know";
  }
  return "its match is for other gateways, ports or sources";
}

/** The one route of a host without a VirtualService. */
export function defaultRoute(
  target: ResolvedDestination,
  mesh: MeshRouteDefaults,
  log: DecisionLog = NO_DECISIONS,
): Route {
  const inside = log.within("routes[0]");
  inside.decide?.({ group: "rule", source: "built-in", value: "everything to the service" });
  const match = translateMatch(undefined);
  return create(RouteSchema, {
    name: "default",
    match,
    action: { case: "route", value: plainAction(target, mesh, inside) },
    typedPerFilterConfig: sessionConfig(target),
    decorator: { operation: operationName(match, `${target.host}:${target.port}`) },
  });
}

/**
 * Returns the one route of an inbound port, without timeout.
 *
 * @param operation operation name in traces, for example `a.ns.svc.cluster.local:80/*`
 * @param retries retry policy, see `inboundRetries`; default: none
 */
export function inboundRoute(cluster: string, operation: string, retries?: RetryPolicy): Route {
  const { timeout } = timeouts(undefined);
  return create(RouteSchema, {
    name: "default",
    match: translateMatch(undefined),
    action: {
      case: "route",
      value: {
        clusterSpecifier: { case: "cluster", value: cluster },
        timeout,
        maxStreamDuration: { maxStreamDuration: timeout, grpcTimeoutHeaderMax: timeout },
        retryPolicy: retries,
      },
    },
    decorator: { operation },
  });
}

function translateRule(
  { rule, match, at, kept }: RuleMatch,
  scope: RouteScope,
  outcomes: typeof outcomeOf,
): Route {
  const routeMatch = translateMatch(match, { clients: scope.source?.isAnyone });
  if (kept !== undefined) routeMatch.headers.push(kept.header);
  const upTo = apiRuleOf(rule)?.upTo;
  if (upTo !== undefined) {
    const defaultValue = finePercent(create(PercentSchema, { value: upTo / 10_000 }));
    routeMatch.runtimeFraction = create(RuntimeFractionalPercentSchema, { defaultValue });
  }
  scope.decisions?.decide?.({
    group: "rule",
    ...inRule(rule, scope, at),
    value: rule.name || undefined,
  });
  const { action, operations, target, settings } = outcomes(rule, scope, ruleAt(at));
  const plain = { match: routeMatch, action };
  return create(RouteSchema, {
    name: match === undefined || match.name === "" ? rule.name : `${rule.name}.${match.name}`,
    ...scope.elements === true ? byElements(plain, rule) : plain,
    ...operations,
    statPrefix: match?.statPrefix ?? "",
    typedPerFilterConfig: { ...settings, ...kept?.filters },
    metadata: scope.named === true
      ? undefined
      : metadataOfRule(`${scope.vsNamespace}/${scope.vsName}`),
    decorator: { operation: operationName(routeMatch, target) },
  });
}

/** Result of a rule. It does not depend on the match. */
interface Outcome {
  readonly action: Route["action"];
  readonly operations: HeaderOperations;
  /** Name of the destination in traces. */
  readonly target: string;
  readonly settings: Record<string, Any>;
}

function outcomeOf(rule: HTTPRoute, scope: RouteScope, at: string): Outcome {
  const { action, operations, single } = translateAction(rule, scope, at);
  const target = single !== undefined && isServiceCluster(single.cluster)
    ? `${single.host}:${single.port}`
    : `${scope.vsName}:${scope.port}`;
  return {
    action,
    operations,
    target,
    settings: { ...filterConfigs(rule), ...sessionConfig(single), ...ruleFilters(rule, scope) },
  };
}

/**
 * {@link outcomeOf}, computed once per rule: the routes of a rule's matches share it. If decisions
 * are recorded, each route records its own.
 */
function outcomesOf(): typeof outcomeOf {
  const known = new Map<HTTPRoute, Outcome>();
  return (rule, scope, at) => {
    if (scope.decisions?.decide !== undefined) return outcomeOf(rule, scope, at);
    const found = known.get(rule) ?? outcomeOf(rule, scope, at);
    known.set(rule, found);
    return found;
  };
}

interface RuleAction {
  readonly action: Route["action"];
  readonly operations: HeaderOperations;
  readonly single?: ResolvedDestination;
}

/**
 * Status of a rule that forwards but has no destination, like that of a cluster without endpoints.
 */
const NOWHERE = 503;

/** Returns the field path of a match's rule. */
function ruleAt(at: string): string {
  const match = at.indexOf(".match[");
  return match < 0 ? at : at.slice(0, match);
}

function translateAction(rule: HTTPRoute, scope: RouteScope, at: string): RuleAction {
  const headers = translateHeaders(rule.headers);
  const { operations } = headers;
  if (rule.redirect !== undefined) {
    return {
      action: { case: "redirect", value: translateRedirect(rule.redirect, scope) },
      operations,
    };
  }
  const answer = (value: ReturnType<typeof translateDirectResponse>): RuleAction => ({
    action: { case: "directResponse", value },
    operations,
  });
  if (rule.directResponse !== undefined) {
    return answer(translateDirectResponse(rule.directResponse));
  }
  const forwarding = translateForwarding(rule, headers, scope, at);
  if (forwarding === undefined) {
    return answer(create(DirectResponseActionSchema, { status: NOWHERE }));
  }
  return { ...forwarding, action: { case: "route", value: forwarding.action } };
}

/** Returns the filter configurations of this route. */
function filterConfigs(rule: HTTPRoute): Record<string, Any> {
  const configs: Record<string, Any> = {};
  const fault = rule.fault === undefined ? undefined : translateFault(rule.fault);
  if (fault !== undefined) configs[FAULT_FILTER] = packAny(HTTPFaultSchema, fault);
  if (rule.corsPolicy !== undefined) {
    configs[CORS_FILTER] = packAny(CorsPolicySchema, translateCors(rule.corsPolicy));
  }
  return configs;
}

/** Reports if a cluster's name has a host and port: `direction|port|subset|host`. */
function isServiceCluster(name: string): boolean {
  return name.split("|").length === 4;
}

/** Returns the operation name in traces: the target and the matched path. */
function operationName({ pathSpecifier: path }: RouteMatch, target: string): string {
  switch (path.case) {
    case "prefix":
      return `${target}${path.value}*`;
    case "path":
      return target + path.value;
    case "safeRegex":
      return target + path.value.regex;
    default:
      return `${target}/*`;
  }
}
