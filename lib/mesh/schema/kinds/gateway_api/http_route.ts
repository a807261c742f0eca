/**
 * HTTPRoute and GRPCRoute: names, effective fields, rules.
 *
 * @module
 */
import {
  type GRPCRoute,
  type GRPCRouteMatch,
  GRPCRouteSchema,
} from "#mesh/gateway/v1/grpc_route_pb.ts";
import {
  type HTTPRoute,
  type HTTPRouteMatch,
  type HTTPRouteRule,
  HTTPRouteSchema,
} from "#mesh/gateway/v1/http_route_pb.ts";
import type { Path } from "../../../../kit/text/mod.ts";
import type { TabledKind } from "../../kind.ts";
import type { ObjectIdentity, Report } from "../../problem.ts";
import { checkHeaderName, checkRegex, INVALID, REQUIRED } from "../../rules/mod.ts";
import {
  checkApiDuration,
  checkBackend,
  checkDefaultScope,
  checkHostnames,
  checkOneOf,
  checkParents,
  checkSectionName,
  checkSession,
  GATEWAY_API,
} from "./common.ts";
import { checkFilters } from "./filters.ts";

const MATCH_TYPES = ["Exact", "RegularExpression"];

/** Fields that act in routes of both kinds. */
const EFFECTIVE = [
  "parentRefs",
  "hostnames",
  "useDefaultGateways",
  "rules[].name",
  "rules[].matches",
  "rules[].filters[].type",
  "rules[].filters[].requestHeaderModifier",
  "rules[].filters[].responseHeaderModifier",
  "rules[].filters[].requestMirror",
  "rules[].backendRefs[].group",
  "rules[].backendRefs[].kind",
  "rules[].backendRefs[].name",
  "rules[].backendRefs[].namespace",
  "rules[].backendRefs[].port",
  "rules[].backendRefs[].weight",
  "rules[].backendRefs[].filters[].type",
  "rules[].backendRefs[].filters[].requestHeaderModifier",
  "rules[].backendRefs[].filters[].responseHeaderModifier",
  "rules[].sessionPersistence",
] as const;

export const HTTP_ROUTE: TabledKind<"HTTPRoute", "httpRoutes", HTTPRoute> = {
  kind: "HTTPRoute",
  ...GATEWAY_API,
  versions: ["v1", "v1beta1"],
  plural: "httproutes",
  table: "httpRoutes",
  schema: HTTPRouteSchema,
  effective: {
    paths: [
      ...EFFECTIVE,
      "rules[].filters[].requestRedirect",
      "rules[].filters[].urlRewrite",
      "rules[].filters[].cors",
      "rules[].filters[].externalAuth",
      "rules[].timeouts",
      "rules[].retry",
    ],
  },
  validate,
};

export const GRPC_ROUTE: TabledKind<"GRPCRoute", "grpcRoutes", GRPCRoute> = {
  kind: "GRPCRoute",
  ...GATEWAY_API,
  versions: ["v1"],
  plural: "grpcroutes",
  table: "grpcRoutes",
  schema: GRPCRouteSchema,
  effective: { paths: EFFECTIVE },
  validate: validateGrpc,
};

function validate(spec: HTTPRoute, _identity: ObjectIdentity, report: Report): void {
  checkParents(spec.parentRefs, report);
  checkHostnames(spec.hostnames, ["spec", "hostnames"], report);
  checkDefaultScope(spec.useDefaultGateways, ["spec", "useDefaultGateways"], report);
  spec.rules.forEach((rule, index) => checkRule(rule, ["spec", "rules", index], report));
}

function checkRule(rule: HTTPRouteRule, path: Path, report: Report): void {
  checkSectionName(rule.name, [...path, "name"], report);
  rule.matches.forEach((match, index) => checkMatch(match, [...path, "matches", index], report));
  checkFilters(rule.filters, [...path, "filters"], report);
  rule.backendRefs.forEach((ref, index) => {
    const at = [...path, "backendRefs", index];
    checkBackend(ref, at, report);
    checkFilters(ref.filters, [...at, "filters"], report);
  });
  const redirects = rule.filters.some(({ requestRedirect }) => requestRedirect !== undefined);
  if (redirects && rule.backendRefs.length > 0) {
    const message = "a rule that redirects has no destinations";
    report.fail([...path, "backendRefs"], "conflict", message, "Remove backendRefs.");
  }
  checkTimes(rule, path, report);
  checkSession(rule.sessionPersistence, [...path, "sessionPersistence"], report);
}

function checkTimes({ timeouts, retry }: HTTPRouteRule, path: Path, report: Report): void {
  checkApiDuration(timeouts?.request ?? "", [...path, "timeouts", "request"], report);
  checkApiDuration(timeouts?.backendRequest ?? "", [...path, "timeouts", "backendRequest"], report);
  checkApiDuration(retry?.backoff ?? "", [...path, "retry", "backoff"], report);
  retry?.codes.forEach((code, index) => {
    if (code >= 400 && code <= 599) return;
    const message = `status ${code} is not an error`;
    report.fail([...path, "retry", "codes", index], INVALID, message, "Write 400 to 599.");
  });
}

function checkMatch(match: HTTPRouteMatch, path: Path, report: Report): void {
  checkPath(match, [...path, "path"], report);
  for (const field of ["headers", "queryParams"] as const) {
    match[field].forEach(({ name, value, type }, index) => {
      const at = [...path, field, index];
      if (name === "") report.fail(at, REQUIRED, "name is missing", "Give name.");
      else if (field === "headers") checkHeaderName(name, [...at, "name"], report);
      checkOneOf(type, MATCH_TYPES, [...at, "type"], report);
      if (type === "RegularExpression") checkRegex(value, [...at, "value"], report);
    });
  }
}

function checkPath({ path: match }: HTTPRouteMatch, path: Path, report: Report): void {
  if (match === undefined) return;
  const types = ["Exact", "PathPrefix", "RegularExpression"];
  checkOneOf(match.type, types, [...path, "type"], report);
  const { type, value } = match;
  const at = [...path, "value"];
  if (type === "RegularExpression") return checkRegex(value ?? "/", at, report);
  if (
    value === undefined || (value.startsWith("/") && !/\/\/|\/\.{1,2}(\/|$)|%2[fF]|#/.test(value))
  ) {
    return;
  }
  const message = `${JSON.stringify(value)} is not a path of this type`;
  report.fail(at, INVALID, message, 'Begin with "/", without "//", "/./", "/../", "%2f" and "#".');
}

function validateGrpc(spec: GRPCRoute, _identity: ObjectIdentity, report: Report): void {
  checkParents(spec.parentRefs, report);
  checkHostnames(spec.hostnames, ["spec", "hostnames"], report);
  checkDefaultScope(spec.useDefaultGateways, ["spec", "useDefaultGateways"], report);
  spec.rules.forEach((rule, index) => {
    const path = ["spec", "rules", index];
    checkSectionName(rule.name, [...path, "name"], report);
    rule.matches.forEach((match, i) => checkGrpcMatch(match, [...path, "matches", i], report));
    checkFilters(rule.filters, [...path, "filters"], report);
    rule.backendRefs.forEach((ref, i) => {
      checkBackend(ref, [...path, "backendRefs", i], report);
      checkFilters(ref.filters, [...path, "backendRefs", i, "filters"], report);
    });
    checkSession(rule.sessionPersistence, [...path, "sessionPersistence"], report);
  });
}

function checkGrpcMatch({ method, headers }: GRPCRouteMatch, path: Path, report: Report): void {
  if (method !== undefined) {
    const at = [...path, "method"];
    checkOneOf(method.type, MATCH_TYPES, [...at, "type"], report);
    if (method.service === "" && method.method === "") {
      report.fail(at, REQUIRED, "neither service nor method is given", "Give one of them.");
    }
    for (const field of ["service", "method"] as const) {
      const value = method[field];
      if (value === "") continue;
      if (method.type === "RegularExpression") checkRegex(value, [...at, field], report);
      else if (!(field === "service" ? /^[\w.]+$/ : /^\w+$/).test(value)) {
        const message = `${JSON.stringify(value)} is not a name of a ${field}`;
        report.fail([...at, field], INVALID, message, "Write letters, digits and underscores.");
      }
    }
  }
  headers.forEach(({ name, value, type }, index) => {
    const at = [...path, "headers", index];
    if (name === "") report.fail(at, REQUIRED, "name is missing", "Give name.");
    else checkHeaderName(name, [...at, "name"], report);
    checkOneOf(type, MATCH_TYPES, [...at, "type"], report);
    if (type === "RegularExpression") checkRegex(value, [...at, "value"], report);
  });
}
