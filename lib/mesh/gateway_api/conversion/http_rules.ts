/**
 * Conversion of rules of HTTPRoutes and GRPCRoutes to rules of VirtualServices, one for each match.
 *
 * @module
 */
import type { GRPCMethodMatch, GRPCRoute } from "#mesh/gateway/v1/grpc_route_pb.ts";
import type { SessionPersistence } from "#mesh/gateway/v1/references_pb.ts";
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
import {
  type ConfigObject,
  objectRef,
  type RuleAuthorizer,
  type RuleSession,
  withApiRule,
} from "../../model/mod.ts";
import { ruleShares } from "./backend_filters.ts";
import {
  type Destinations,
  httpDestinations,
  weighted,
  type WeightedReference,
} from "./destinations.ts";
import { convertFilters, type RuleFields } from "./http_filters.ts";
import type { AnyFilter } from "./http_headers.ts";
import { conditionsOf, convertMatch } from "./http_matches.ts";
import { convertSession, sessionPath } from "./sessions.ts";

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
  readonly sessionPersistence?: SessionPersistence | undefined;
}

/** Facts and lookups for the rules of a route. */
export interface RuleContext {
  readonly destinations: Destinations;
  /** True: fields of the standard's experimental channel act. */
  readonly experimental: boolean;
}

/** Converts the rules of an HTTPRoute. */
export function convertHttpRules(
  route: ConfigObject<ApiRoute>,
  context: RuleContext,
): readonly HTTPRoute[] {
  return route.spec.rules.flatMap((rule, index) =>
    convertRule(rule, rule.matches.map(convertMatch), { route, index, ...context })
  );
}

/** Converts the rules of a GRPCRoute. */
export function convertGrpcRules(
  route: ConfigObject<GRPCRoute>,
  context: RuleContext,
): readonly HTTPRoute[] {
  return route.spec.rules.flatMap((rule, index) => {
    const matches = rule.matches.map(({ method, headers }) =>
      create(HTTPMatchRequestSchema, {
        ...(method === undefined ? {} : { uri: { matchType: methodPath(method) } }),
        headers: conditionsOf(headers, (name) => name.toLowerCase()),
      })
    );
    return convertRule(rule, matches, { route, index, ...context });
  });
}

/** A rule of a route, by its place. */
interface RulePlace extends RuleContext {
  readonly route: ConfigObject;
  readonly index: number;
}

/** The rules that a rule becomes: for each match one, or one for each share of the requests. */
function convertRule(
  rule: Rule,
  matches: readonly HTTPMatchRequest[],
  place: RulePlace,
): HTTPRoute[] {
  const { route, index, experimental } = place;
  const known = experimental ? rule : { ...rule, retry: undefined, sessionPersistence: undefined };
  const shares = ruleShares(known).map(({ rule, upTo }) => ({
    ...convertFields(rule, place),
    share: upTo === undefined ? {} : { upTo },
  }));
  const session = sessionOf(known, matches, place);
  const at = `spec.rules[${index}]`;
  const each = matches.length === 0 ? [undefined] : matches;
  return each.flatMap((match, i) =>
    shares.map(({ fields, authorizer, share }) =>
      withApiRule(
        create(HTTPRouteSchema, { ...fields, match: match === undefined ? [] : [match] }),
        {
          object: objectRef(route),
          rule: at,
          match: match === undefined ? at : `${at}.matches[${i}]`,
          ...(authorizer === undefined ? {} : { authorizer }),
          ...(session === undefined ? {} : { session }),
          ...share,
        },
      )
    )
  );
}

function sessionOf(
  { sessionPersistence: session }: Rule,
  matches: readonly HTTPMatchRequest[],
  { route, index }: RulePlace,
): RuleSession | undefined {
  if (session === undefined) return undefined;
  return convertSession(session, `${objectRef(route)} ${index}`, sessionPath(matches));
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

function convertFields(
  rule: Rule,
  { route: { meta }, index, destinations, experimental }: RulePlace,
): { readonly fields: RuleFields; readonly authorizer?: RuleAuthorizer } {
  const { fields, authorizer, unsupported } = convertFilters(
    rule.filters,
    destinations,
    experimental,
  );
  const name = rule.name || `${meta.namespace}.${meta.name}.${index}`;
  if (unsupported !== undefined) {
    return { fields: { name, directResponse: { status: NO_BACKEND } } };
  }
  const common = { name, ...fields, ...timesOf(rule) };
  const asked = authorizer === undefined ? {} : { authorizer };
  if (fields.redirect !== undefined) return { fields: common, ...asked };
  if (weighted(rule.backendRefs).length === 0) {
    return { fields: { ...common, directResponse: { status: NO_BACKEND } }, ...asked };
  }
  const hasSession = rule.sessionPersistence !== undefined;
  return {
    fields: { ...common, route: httpDestinations(rule.backendRefs, destinations, hasSession) },
    ...asked,
  };
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
