/**
 * Models of HTTP filters.
 *
 * @module
 */
import { CorsPolicySchema } from "#envoy/extensions/filters/http/cors/v3/cors_pb.ts";
import { ExtAuthzSchema } from "#envoy/extensions/filters/http/ext_authz/v3/ext_authz_pb.ts";
import { HTTPFaultSchema } from "#envoy/extensions/filters/http/fault/v3/fault_pb.ts";
import { HeaderMutationSchema } from "#envoy/extensions/filters/http/header_mutation/v3/header_mutation_pb.ts";
import { ConfigSchema as HeaderToMetadataSchema } from "#envoy/extensions/filters/http/header_to_metadata/v3/header_to_metadata_pb.ts";
import {
  type JwtAuthentication,
  JwtAuthenticationSchema,
  type JwtRequirement,
} from "#envoy/extensions/filters/http/jwt_authn/v3/config_pb.ts";
import { RBACPerRouteSchema, RBACSchema } from "#envoy/extensions/filters/http/rbac/v3/rbac_pb.ts";
import { durationMs } from "../../kit/proto/mod.ts";
import { AUTHORIZER_FILTER, SESSION_BACKEND_FILTER, SESSION_FILTER } from "../../mesh/envoy/mod.ts";
import { accessUndecided } from "./access_open.ts";
import { traceAccess } from "./access_trace.ts";
import type { Effect, Model, Passage } from "./filter.ts";
import { fraction } from "./fraction.ts";
import { answered, note, scaled, undecided } from "./journey.ts";
import { traceToken, type Verification, verify } from "./jwt.ts";
import { metadataMatches, textMatches, UNKNOWN } from "./match.ts";
import { judge, type Subject } from "./rbac.ts";
import { unpack } from "./resources.ts";
import type { Ending } from "./verdict.ts";
import { some } from "./ternary.ts";
import { matches, withoutQuery } from "./virtual_host.ts";

const PASSES: Effect = { kind: "passes" };

function ends(endings: readonly Ending[]): Effect {
  return { kind: "ends", endings };
}

/** Filters that do not change the request. */
const looksOn: Model = () => PASSES;

/** Faults that a route configures. */
const fault: Model = ({ journey }, config, _route, own) => {
  const orders = unpack(HTTPFaultSchema, own ?? config);
  if (orders === undefined) return PASSES;
  const { delay, abort, headers, upstreamCluster, responseRateLimit } = orders;
  if (headers.length > 0 || upstreamCluster !== "" || responseRateLimit !== undefined) {
    return ends(undecided("faults by conditions"));
  }
  const wait = delay?.faultDelaySecifier;
  const held = wait?.case === "fixedDelay"
    ? { ms: durationMs(wait.value), share: fraction(delay?.percentage) }
    : undefined;
  if (held !== undefined) {
    note(journey, "HTTP filter", "fault", `delays ${percent(held.share)} by ${held.ms} ms`);
  }
  const share = fraction(abort?.percentage);
  const error = abort?.errorType;
  if (error === undefined || share === 0) return { kind: "strikes", endings: [], delay: held };
  if (error.case !== "httpStatus" && error.case !== "grpcStatus") {
    return ends(undecided("faults by header"));
  }
  // A gRPC status is in a response with HTTP status 200; other clients get the mapped HTTP status.
  if (error.case === "grpcStatus") {
    journey.unmodelled.add("the HTTP status of a fault that is a gRPC status");
  }
  const status = error.case === "httpStatus" ? error.value : 200;
  note(journey, "HTTP filter", "fault", `aborts ${percent(share)} with ${status}`);
  const struck = scaled(answered(status, "fault", "a fault is injected"), share);
  return { kind: "strikes", endings: struck, delay: held };
};

function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100} %`;
}

/** Responds to CORS preflight requests. */
const cors: Model = ({ journey, exchange: { method, header } }, _config, _route, own) => {
  const policy = unpack(CorsPolicySchema, own);
  const origin = header("origin");
  if (policy === undefined || origin === undefined) return PASSES;
  if (origin === null) return ends(undecided("the origin of the request"));
  const asks = method === "OPTIONS" && header("access-control-request-method") !== undefined;
  const allowed = some(policy.allowOriginStringMatch, (one) => textMatches(one, origin));
  if (allowed === undefined) return asks ? ends(undecided("the origins of a policy")) : PASSES;
  note(journey, "HTTP filter", "cors", `${allowed ? "allows" : "does not allow"} ${origin}`);
  const answers = asks && (allowed || policy.forwardNotMatchingPreflights === false);
  return answers ? ends(answered(200, "cors", "answers a preflight request")) : PASSES;
};

/** Verifies tokens. */
const tokens: Model = ({ journey, exchange }, any) => {
  const config = unpack(JwtAuthenticationSchema, any);
  if (config === undefined) return ends(undecided("the configuration of tokens"));
  const { method, header } = exchange;
  const preflight = method === "OPTIONS" && header("origin") !== undefined &&
    header("access-control-request-method") !== undefined;
  if (config.bypassCorsPreflight && preflight) return PASSES;
  for (const rule of config.rules) {
    const applies = rule.match === undefined ? true : matches(rule.match, exchange);
    if (applies === undefined) return ends(undecided("which rule for tokens applies"));
    if (!applies) continue;
    const requirement = requirementOf(config, rule.requirementType);
    if (requirement === undefined) return PASSES;
    return verified({ config, exchange, journey }, requirement);
  }
  return PASSES;
};

function verified(verification: Verification, requirement: JwtRequirement): Effect {
  const { exchange, journey: { steps } } = verification;
  const found = verify(verification, requirement);
  const { passes, status, why, remedy, payloads, removes, clearsRoute } = found;
  const got = Object.keys(payloads).length > 0;
  steps.push({
    stage: "HTTP filter",
    name: "jwt_authn",
    why: passes !== true ? why : got ? "accepts the token" : "requires none",
    token: traceToken(verification, passes === true ? "" : why),
  });
  if (passes === undefined) return ends(undecided(why, remedy));
  if (!passes) return ends(answered(status, "jwt_authn", why));
  if (got) exchange.metadata["envoy.filters.http.jwt_authn"] = payloads;
  for (const name of removes) exchange.removed.add(name);
  return clearsRoute ? { kind: "reroutes" } : PASSES;
}

function requirementOf(
  { requirementMap }: JwtAuthentication,
  type: JwtAuthentication["rules"][number]["requirementType"],
): JwtRequirement | undefined {
  return type.case === "requirementName" ? requirementMap[type.value] : type.value;
}

const RBAC = "envoy.filters.http.rbac";

/** Access rules. */
const access: Model = (passage, config, _route, own) => {
  const { journey, exchange } = passage;
  const perRoute = unpack(RBACPerRouteSchema, own);
  const rbac = perRoute === undefined ? unpack(RBACSchema, config) : perRoute.rbac;
  if (rbac === undefined) return PASSES;
  if (rbac.matcher !== undefined || rbac.shadowMatcher !== undefined) {
    return ends(undecided("access rules by matchers"));
  }
  const subject = subjectOf(passage);
  if (rbac.shadowRules !== undefined) {
    const trace = traceAccess(rbac.shadowRules, subject, true);
    const shadow = judge(rbac.shadowRules, subject);
    if (shadow.allowed === undefined) journey.unmodelled.add("a rule on trial");
    const kept = exchange.metadata[RBAC] as Record<string, unknown> | undefined;
    const prefix = rbac.shadowRulesStatPrefix;
    exchange.metadata[RBAC] = {
      ...kept,
      [`${prefix}shadow_effective_policy_id`]: shadow.policy,
      [`${prefix}shadow_engine_result`]: shadow.allowed === false ? "denied" : "allowed",
    };
    const said = shadow.policy || "no policy";
    journey.steps.push({
      stage: "HTTP filter",
      name: "rbac",
      access: trace,
      why: `on trial: ${said} of ${shadow.action} applies`,
    });
  }
  if (rbac.rules === undefined) return PASSES;
  const { allowed, policy, action } = judge(rbac.rules, subject);
  const trace = traceAccess(rbac.rules, subject, false);
  if (allowed === undefined) return ends(accessUndecided(trace, subject));
  const why = policy === "" ? `no policy of ${action} applies` : `${policy} of ${action} applies`;
  journey.steps.push({
    stage: "HTTP filter",
    name: "rbac",
    access: trace,
    why: `${why}: ${allowed ? "goes on" : "refused"}`,
  });
  return allowed ? PASSES : ends(answered(403, policy === "" ? "rbac" : `policy ${policy}`, why));
};

function subjectOf({ journey, exchange }: Passage): Subject {
  const { connection, remoteIp, path, header, metadata } = exchange;
  return {
    destination: journey.call.destination,
    directIp: connection.sourceIp,
    remoteIp,
    assumedAddresses: journey.call.assumedAddresses ?? [],
    principal: connection.principal,
    principalAssumed: journey.call.tls?.principalAssumed === true,
    serverName: connection.serverName,
    path: withoutQuery(path),
    header,
    metadata,
  };
}

/** External authorization: the result is not known here. */
const asking: Model = ({ journey, exchange }, any) => {
  const config = unpack(ExtAuthzSchema, any);
  const when = config?.filterEnabledMetadata;
  const asked = when === undefined ? true : metadataMatches(when, exchange.metadata);
  if (asked === false) return PASSES;
  note(journey, "HTTP filter", "ext_authz", "asks an authoriser");
  journey.unmodelled.add("the answer of the authoriser (taken as consent)");
  return PASSES;
};

/** External authorization of some routes. */
const askingOfRoute: Model = ({ journey }) => {
  note(journey, "HTTP filter", "ext_authz", "asks an authoriser");
  journey.unmodelled.add("the answer of the authoriser (taken as consent)");
  return PASSES;
};

/** Sessions that stay with one endpoint. */
const sticky: Model = ({ journey }, _config, _route, own) => {
  if (own !== undefined) {
    note(journey, "HTTP filter", "stateful_session", "sends a session to the endpoint it had");
  }
  return PASSES;
};

/** The written metadata is not modelled; later matchers of it have no result. */
const headersToMetadata: Model = ({ exchange }, any) => {
  const config = unpack(HeaderToMetadataSchema, any);
  if (config === undefined) return ends(undecided("metadata of headers"));
  for (const { header, remove, onHeaderPresent, onHeaderMissing } of config.requestRules) {
    for (const write of [onHeaderPresent, onHeaderMissing]) {
      if (write !== undefined) exchange.metadata[write.metadataNamespace || OWN] = UNKNOWN;
    }
    if (remove) exchange.touched.add(header.toLowerCase());
  }
  return PASSES;
};

/** Metadata namespace if none is configured. */
const OWN = "envoy.filters.http.header_to_metadata";

/** Changed headers are not modelled; later matchers of them have no result. */
const changesHeaders: Model = ({ exchange }, any) => {
  const config = unpack(HeaderMutationSchema, any);
  if (config === undefined) return ends(undecided("changes of headers"));
  for (const { action } of config.mutations?.requestMutations ?? []) {
    if (action.case === "remove") exchange.touched.add(action.value.toLowerCase());
    else if (action.case === "append") {
      exchange.touched.add(action.value.header?.key.toLowerCase() ?? "");
    } else return ends(undecided("changes of headers"));
  }
  return PASSES;
};

/** Models by filter name. */
export const HTTP_FILTERS: Readonly<Record<string, Model>> = {
  "envoy.filters.http.grpc_web": looksOn,
  "envoy.filters.http.grpc_stats": looksOn,
  "envoy.filters.http.on_demand": looksOn,
  "envoy.filters.http.set_filter_state": looksOn,
  [OWN]: headersToMetadata,
  "envoy.filters.http.header_mutation": changesHeaders,
  "envoy.filters.http.fault": fault,
  "envoy.filters.http.cors": cors,
  "envoy.filters.http.jwt_authn": tokens,
  [RBAC]: access,
  "envoy.filters.http.ext_authz": asking,
  [AUTHORIZER_FILTER]: askingOfRoute,
  // The routes of sessions of a backend say by their matches which session they are for.
  [SESSION_BACKEND_FILTER]: looksOn,
  [SESSION_FILTER]: sticky,
};
