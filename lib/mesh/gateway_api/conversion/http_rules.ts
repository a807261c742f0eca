/**
 * Conversion of rules of HTTPRoutes and GRPCRoutes to rules of VirtualServices, one for each match.
 *
 * @module
 */
import type { GRPCMethodMatch, GRPCRoute } from "#mesh/gateway/v1/grpc_route_pb.ts";
import type {
  HTTPRoute as ApiRoute,
  HTTPRouteRetry,
  HTTPRouteTimeouts,
} from "#mesh/gateway/v1/http_route_pb.ts";
import {
  type HTTPMatchRequest,
  HTTPMatchRequestSchema,
  type HTTPRoute,
  HTTPRouteSchema,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { parseDuration } from "../../../kit/base/mod.ts";
import { create, durationOf } from "../../../kit/proto/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import {
  type Destinations,
  httpDestinations,
  weighted,
  type WeightedReference,
} from "./destinations.ts";
import { convertFilters, type RuleFields } from "./http_filters.ts";
import type { AnyFilter } from "./http_headers.ts";
import { conditionsOf, convertMatch } from "./http_matches.ts";

/** Answer of a rule without a backend, or that says what cannot be done. */
const NO_BACKEND = 500;
/** Number of retries of a rule that does not say it. */
const RETRIES = 2;
/** Failures that are retried beside the statuses of a rule. */
const RETRY_ON = "connect-failure,refused-stream,unavailable,cancelled";

/** A rule of either kind of route. */
interface Rule {
  readonly name: string;
  readonly filters: readonly AnyFilter[];
  readonly backendRefs: readonly WeightedReference[];
  readonly timeouts?: HTTPRouteTimeouts | undefined;
  readonly retry?: HTTPRouteRetry | undefined;
}

/**
 * Converts the rules of an HTTPRoute.
 *
 * @param experimental true: `retry` acts, which the stable channel lacks
 */
export function convertHttpRules(
  route: ConfigObject<ApiRoute>,
  destinations: Destinations,
  experimental: boolean,
): readonly HTTPRoute[] {
  return route.spec.rules.flatMap((rule, index) => {
    const known = experimental ? rule : { ...rule, retry: undefined };
    const fields = convertRule(known, { route, index }, destinations);
    return forMatches(rule.matches.map(convertMatch), fields);
  });
}

/** Converts the rules of a GRPCRoute. */
export function convertGrpcRules(
  route: ConfigObject<GRPCRoute>,
  destinations: Destinations,
): readonly HTTPRoute[] {
  return route.spec.rules.flatMap((rule, index) => {
    const matches = rule.matches.map(({ method, headers }) =>
      create(HTTPMatchRequestSchema, {
        ...(method === undefined ? {} : { uri: { matchType: methodPath(method) } }),
        headers: conditionsOf(headers, (name) => name.toLowerCase()),
      })
    );
    return forMatches(matches, convertRule(rule, { route, index }, destinations));
  });
}

function forMatches(matches: readonly HTTPMatchRequest[], fields: RuleFields): HTTPRoute[] {
  const each = matches.length === 0 ? [[]] : matches.map((match) => [match]);
  return each.map((match) => create(HTTPRouteSchema, { ...fields, match }));
}

/** The path of calls is `/service/method`. */
function methodPath({ type, service, method }: GRPCMethodMatch) {
  const regex = (value: string) => ({ case: "regex" as const, value });
  if (type === "RegularExpression") return regex(`/${service || "[^/]+"}/${method || ".+"}`);
  if (service === "") return regex(`/[^/]+/${method}`);
  return method === ""
    ? { case: "prefix" as const, value: `/${service}/` }
    : { case: "exact" as const, value: `/${service}/${method}` };
}

function convertRule(
  rule: Rule,
  { route: { meta }, index }: { readonly route: ConfigObject; readonly index: number },
  destinations: Destinations,
): RuleFields {
  const { fields, unsupported } = convertFilters(rule.filters, destinations);
  const name = rule.name || `${meta.namespace}.${meta.name}.${index}`;
  if (unsupported !== undefined) return { name, directResponse: { status: NO_BACKEND } };
  const common = { name, ...fields, ...timesOf(rule) };
  if (fields.redirect !== undefined) return common;
  if (weighted(rule.backendRefs).length === 0) {
    return { ...common, directResponse: { status: NO_BACKEND } };
  }
  return { ...common, route: httpDestinations(rule.backendRefs, destinations) };
}

/**
 * Timeouts and retries. Without retries the one attempt is the whole request, so that the shorter limit
 * of both is the attempt's.
 */
function timesOf({ timeouts, retry }: Rule): RuleFields {
  const request = limitOf(timeouts?.request);
  const attempt = limitOf(timeouts?.backendRequest);
  if (retry === undefined) {
    const timeout = attempt || request;
    return timeout ? { timeout: durationOf(timeout) } : {};
  }
  const backoff = limitOf(retry.backoff);
  return {
    ...(request ? { timeout: durationOf(request) } : {}),
    retries: {
      attempts: retry.attempts ?? RETRIES,
      retryOn: [RETRY_ON, ...retry.codes].join(","),
      ...(attempt ? { perTryTimeout: durationOf(attempt) } : {}),
      ...(backoff ? { backoff: durationOf(backoff) } : {}),
    },
  };
}

/** Milliseconds; 0: no limit. */
function limitOf(text: string | undefined): number {
  return text ? parseDuration(text) : 0;
}
