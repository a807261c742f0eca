/**
 * Forwarding: destinations and settings of a rule's route.
 *
 * @module
 */
import {
  type RouteAction,
  type RouteAction_MaxStreamDurationSchema,
  type RouteAction_RequestMirrorPolicy,
  RouteAction_RequestMirrorPolicySchema,
  RouteActionSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import type { FractionalPercent } from "#envoy/type/v3/percent_pb.ts";
import type {
  Destination,
  HTTPRoute,
  HTTPRouteDestination,
  Percent,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import {
  choose,
  type DecisionLog,
  formatDuration,
  NO_DECISIONS,
  type Source,
} from "../../../kit/base/mod.ts";
import {
  type Any,
  create,
  type Duration,
  durationMs,
  durationOf,
  type MessageInitShape,
} from "../../../kit/proto/mod.ts";
import { SESSION_FILTER } from "../core/mod.ts";
import { apiRuleOf, type RuleSession } from "../../model/mod.ts";
import {
  type HeaderOperations,
  joinHeaders,
  type TranslatedHeaders,
  translateHeaders,
} from "./headers.ts";
import { keptConfig } from "./kept_backends.ts";
import { finePercent, wholePercent } from "./percent.ts";
import { retryPolicy } from "./retry.ts";
import { pathRewrite } from "./rewrite.ts";
import {
  inRule,
  type MeshRouteDefaults,
  type ResolvedDestination,
  type RouteScope,
} from "./scope.ts";

const NOBODY: Source = { source: "built-in" };

const TIMEOUT = {
  group: "timeout",
  show: (timeout: Duration) => formatDuration(durationMs(timeout)),
};

/** Forwarding part of a route. */
export interface Forwarding {
  readonly action: RouteAction;
  /**
   * Header operations of the route: those of the rule, and those of its destination if there is
   * only one.
   */
  readonly operations: HeaderOperations;
  /** The destination, if there is only one. */
  readonly single?: ResolvedDestination;
}

/** A destination of a rule with its service. */
interface Target {
  readonly route: HTTPRouteDestination;
  readonly resolved: ResolvedDestination;
  readonly weight: number;
  readonly headers: TranslatedHeaders;
}

/**
 * Translates a rule that forwards; `undefined` if it has no destination, or several that all have
 * weight 0. A single destination gets all requests, whatever its weight; otherwise destinations of
 * weight 0 are omitted.
 *
 * @param at field path of the rule in its VirtualService: `spec.http[0]`
 */
export function translateForwarding(
  rule: HTTPRoute,
  headers: TranslatedHeaders,
  scope: RouteScope,
  at: string,
): Forwarding | undefined {
  const targets = targetsOf(rule.route, scope);
  const log = scope.decisions ?? NO_DECISIONS;
  const [first] = targets;
  if (first === undefined) return undefined;
  const single = rule.route.length === 1 ? first : undefined;
  const authority = rule.rewrite?.authority || headers.authority || single?.headers.authority;
  const hashPolicy = targets.flatMap((t) => t.resolved.hashPolicy ?? []);
  const session = apiRuleOf(rule)?.session;
  const action = create(RouteActionSchema, {
    clusterSpecifier: single === undefined
      ? {
        case: "weightedClusters",
        value: { clusters: targets.map((to) => clusterWeight(to, session)) },
      }
      : { case: "cluster", value: single.resolved.cluster },
    ...pathRewrite(rule.rewrite),
    hostRewriteSpecifier: authority ? { case: "hostRewriteLiteral", value: authority } : undefined,
    ...timeouts(
      choose<Duration>(log, TIMEOUT, [
        { value: rule.timeout, ...inRule(rule, scope, at, "timeout") },
      ]),
      log,
    ),
    retryPolicy: retryPolicy(
      rule.retries,
      scope.mesh,
      single !== undefined && hashPolicy.length > 0,
      { log, rule: inRule(rule, scope, at, "retries") },
    ),
    requestMirrorPolicies: mirrorPolicies(rule, scope),
    hashPolicy,
    appendXForwardedHost: scope.mesh.forwardHost === true && rewritesHost(authority, targets),
  });
  if (single === undefined) return { action, operations: headers.operations };
  return {
    action,
    operations: joinHeaders(headers.operations, single.headers.operations),
    single: single.resolved,
  };
}

function rewritesHost(authority: string | undefined, targets: readonly Target[]): boolean {
  return Boolean(authority) || targets.some(({ headers }) => headers.authority !== "");
}

/** Returns the action of a host without rules: forward to one cluster. */
export function plainAction(
  target: ResolvedDestination,
  mesh: MeshRouteDefaults,
  log: DecisionLog = NO_DECISIONS,
): RouteAction {
  const hashPolicy = [...target.hashPolicy ?? []];
  return create(RouteActionSchema, {
    clusterSpecifier: { case: "cluster", value: target.cluster },
    ...timeouts(undefined, log),
    retryPolicy: retryPolicy(undefined, mesh, false, { log, rule: NOBODY }),
    hashPolicy,
  });
}

/** Fields of a route action that limit the duration of a request. */
export interface Timeouts {
  readonly timeout: Duration;
  readonly maxStreamDuration?: MessageInitShape<typeof RouteAction_MaxStreamDurationSchema>;
  readonly maxGrpcTimeout?: Duration;
}

/**
 * Timeouts of a request; none unless the rule sets one, because Envoy's default would be 15 s.
 *
 * Without a rule's timeout the header `grpc-timeout` of a request limits its stream. With one, a
 * gRPC request may ask for less by that header, but not for more. The older field
 * `max_grpc_timeout` says so: Envoy ignores `timeout` on a route with `max_stream_duration`, and the
 * latter would end WebSockets and streams too.
 */
export function timeouts(timeout: Duration | undefined, log?: DecisionLog): Timeouts {
  if (timeout === undefined) log?.decide?.({ group: "timeout", source: "built-in", value: "none" });
  if (timeout !== undefined && durationMs(timeout) > 0) return { timeout, maxGrpcTimeout: timeout };
  const none = durationOf(0);
  return { timeout: none, maxStreamDuration: { grpcTimeoutHeaderMax: none } };
}

function targetsOf(routes: readonly HTTPRouteDestination[], scope: RouteScope): Target[] {
  return routes.flatMap((route) => {
    const { destination, weight, headers } = route;
    if (destination === undefined || (weight <= 0 && routes.length > 1)) return [];
    return [{
      route,
      resolved: scope.resolve(destination, scope.vsNamespace, scope.decisions),
      weight,
      headers: translateHeaders(headers),
    }];
  });
}

/** @param session sessions of the rule, which precede those of a service */
function clusterWeight(
  { resolved, route, weight, headers }: Target,
  session: RuleSession | undefined,
) {
  return {
    name: resolved.cluster,
    weight,
    ...headers.operations,
    typedPerFilterConfig: session === undefined
      ? sessionConfig(resolved)
      : keptConfig(session, route),
    hostRewriteSpecifier: headers.authority === ""
      ? undefined
      : { case: "hostRewriteLiteral" as const, value: headers.authority },
  };
}

/** Returns the session filter's configuration for a route or a weighted cluster. */
export function sessionConfig(
  resolved: ResolvedDestination | undefined,
): Record<string, Any> {
  return resolved?.session === undefined ? {} : { [SESSION_FILTER]: resolved.session };
}

/** `mirror` with its two forms of a percentage, then `mirrors`; mirrors with 0 % are omitted. */
function mirrorPolicies(rule: HTTPRoute, scope: RouteScope): RouteAction_RequestMirrorPolicy[] {
  const policies: RouteAction_RequestMirrorPolicy[] = [];
  const add = (destination: Destination | undefined, share: FractionalPercent): void => {
    if (destination === undefined || share.numerator === 0) return;
    policies.push(create(RouteAction_RequestMirrorPolicySchema, {
      cluster: scope.resolve(destination, scope.vsNamespace).cluster,
      runtimeFraction: { defaultValue: share },
      traceSampled: false,
      // Mirrored requests keep their host: Envoy would append `-shadow`, which no server expects.
      disableShadowHostSuffixAppend: true,
    }));
  };
  add(rule.mirror, mirrorShare(rule.mirrorPercentage, rule.mirrorPercent));
  for (const mirror of rule.mirrors) add(mirror.destination, mirrorShare(mirror.percentage));
  return policies;
}

function mirrorShare(percentage: Percent | undefined, whole = 100): FractionalPercent {
  return percentage === undefined ? wholePercent(whole) : finePercent(percentage);
}
