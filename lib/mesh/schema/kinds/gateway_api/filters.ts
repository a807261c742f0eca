/**
 * Rules of the filters of HTTPRoutes and GRPCRoutes.
 *
 * @module
 */
import type { GRPCRouteFilter } from "#mesh/gateway/v1/grpc_route_pb.ts";
import type {
  HTTPHeaderFilter,
  HTTPPathModifier,
  HTTPRequestMirrorFilter,
  HTTPRouteFilter,
} from "#mesh/gateway/v1/http_route_pb.ts";
import type { Path } from "../../../../kit/text/mod.ts";
import type { Report } from "../../problem.ts";
import {
  checkHeaderName,
  checkPercent,
  checkPort,
  CONFLICT,
  INVALID,
  REQUIRED,
} from "../../rules/mod.ts";
import { checkBackend, checkHostname, checkOneOf, checkRequiredOneOf } from "./common.ts";

/** The field of each type. */
const FIELDS = {
  RequestHeaderModifier: "requestHeaderModifier",
  ResponseHeaderModifier: "responseHeaderModifier",
  RequestMirror: "requestMirror",
  RequestRedirect: "requestRedirect",
  URLRewrite: "urlRewrite",
  CORS: "cors",
  ExternalAuth: "externalAuth",
  ExtensionRef: "extensionRef",
} as const;

/** Types that a rule may have more than once. */
const REPEATABLE = ["RequestMirror", "ExtensionRef"];

type Filter = HTTPRouteFilter | GRPCRouteFilter;

/** Checks the filters of a rule or of a destination. */
export function checkFilters(filters: readonly Filter[], path: Path, report: Report): void {
  filters.forEach((filter, index) => checkFilter(filter, [...path, index], report));
  const types = filters.map(({ type }) => type);
  types.forEach((type, index) => {
    if (REPEATABLE.includes(type) || types.indexOf(type) === index) return;
    const message = `the filter ${type} is given twice`;
    report.fail([...path, index, "type"], CONFLICT, message, "Write one filter of the type.");
  });
  if (!types.includes("RequestRedirect") || !types.includes("URLRewrite")) return;
  const message = "RequestRedirect and URLRewrite exclude each other";
  report.fail(path, CONFLICT, message, "Remove one of them.");
}

function checkFilter(filter: Filter, path: Path, report: Report): void {
  checkRequiredOneOf(filter.type, Object.keys(FIELDS), [...path, "type"], report);
  const wanted = FIELDS[filter.type as keyof typeof FIELDS];
  for (const field of Object.values(FIELDS)) {
    const set = field in filter && (filter as HTTPRouteFilter)[field] !== undefined;
    if (set && field !== wanted) {
      const message = `${field} does not go with type ${filter.type}`;
      report.failKey([...path, field], CONFLICT, message, "Remove the field.");
    } else if (!set && field === wanted) {
      report.fail(path, REQUIRED, `type ${filter.type} needs ${field}`, `Give ${field}.`);
    }
  }
  for (const field of ["requestHeaderModifier", "responseHeaderModifier"] as const) {
    if (filter[field]) checkHeaders(filter[field], [...path, field], report);
  }
  if (filter.requestMirror) checkMirror(filter.requestMirror, [...path, "requestMirror"], report);
  if ("externalAuth" in filter) checkAuth(filter, [...path, "externalAuth"], report);
  if ("requestRedirect" in filter) checkRedirect(filter, path, report);
  if ("urlRewrite" in filter && filter.urlRewrite) {
    const { hostname, path: change } = filter.urlRewrite;
    if (hostname !== "") checkHostname(hostname, [...path, "urlRewrite", "hostname"], report);
    checkModifier(change, [...path, "urlRewrite", "path"], report);
  }
}

function checkHeaders({ set, add, remove }: HTTPHeaderFilter, path: Path, report: Report): void {
  for (const [field, list] of [["set", set], ["add", add]] as const) {
    list.forEach(({ name }, index) =>
      checkHeaderName(name, [...path, field, index, "name"], report)
    );
  }
  remove.forEach((name, index) => checkHeaderName(name, [...path, "remove", index], report));
}

function checkMirror(mirror: HTTPRequestMirrorFilter, path: Path, report: Report): void {
  const { backendRef, percent, fraction } = mirror;
  if (backendRef === undefined) {
    report.fail(path, REQUIRED, "backendRef is missing", "Name a Service.");
  } else checkBackend(backendRef, [...path, "backendRef"], report);
  if (percent !== undefined) checkPercent(percent, [...path, "percent"], report);
  if (fraction === undefined) return;
  const at = [...path, "fraction"];
  if (percent !== undefined) {
    const message = "percent and fraction exclude each other";
    report.failKey(at, CONFLICT, message, "Remove one of them.");
  }
  const { numerator, denominator = 100 } = fraction;
  if (denominator >= 1 && numerator >= 0 && numerator <= denominator) return;
  report.fail(at, INVALID, `${numerator} of ${denominator} is not a share`, "Write 0 to 1.");
}

/** The server that a filter asks. */
function checkAuth({ externalAuth }: HTTPRouteFilter, path: Path, report: Report): void {
  if (externalAuth === undefined) return;
  const { protocol, backendRef, grpc, http } = externalAuth;
  checkRequiredOneOf(protocol, ["HTTP", "GRPC"], [...path, "protocol"], report);
  if (backendRef === undefined) {
    report.fail(path, REQUIRED, "backendRef is missing", "Name a Service.");
  } else checkBackend(backendRef, [...path, "backendRef"], report);
  for (const [field, set, own] of [["grpc", grpc, "GRPC"], ["http", http, "HTTP"]] as const) {
    if (set === undefined || protocol === own) continue;
    const message = `${field} does not go with protocol ${protocol}`;
    report.failKey([...path, field], CONFLICT, message, "Remove the field.");
  }
  const { path: prefix = "", allowedResponseHeaders = [] } = http ?? {};
  if (/[?#\s]/.test(prefix)) {
    const message = `${JSON.stringify(prefix)} is no prefix of a path`;
    report.fail([...path, "http", "path"], INVALID, message, 'Write, for example, "/check".');
  }
  const lists = [
    ["grpc", "allowedHeaders", grpc?.allowedHeaders ?? []],
    ["http", "allowedHeaders", http?.allowedHeaders ?? []],
    ["http", "allowedResponseHeaders", allowedResponseHeaders],
  ] as const;
  for (const [of, field, names] of lists) {
    names.forEach((name, index) => checkHeaderName(name, [...path, of, field, index], report));
  }
}

function checkRedirect({ requestRedirect }: HTTPRouteFilter, path: Path, report: Report): void {
  if (requestRedirect === undefined) return;
  const { scheme, hostname, path: change, port, statusCode } = requestRedirect;
  const at = [...path, "requestRedirect"];
  checkOneOf(scheme, ["http", "https"], [...at, "scheme"], report);
  if (hostname !== "") checkHostname(hostname, [...at, "hostname"], report);
  checkModifier(change, [...at, "path"], report);
  if (port !== undefined) checkPort(port, [...at, "port"], report);
  if (statusCode === undefined || [301, 302, 303, 307, 308].includes(statusCode)) return;
  const message = `${statusCode} is not a status of a redirect`;
  report.fail([...at, "statusCode"], INVALID, message, "Use 301, 302, 303, 307 or 308.");
}

function checkModifier(change: HTTPPathModifier | undefined, path: Path, report: Report): void {
  if (change === undefined) return;
  const types = { ReplaceFullPath: "replaceFullPath", ReplacePrefixMatch: "replacePrefixMatch" };
  checkRequiredOneOf(change.type, Object.keys(types), [...path, "type"], report);
  for (const [type, field] of Object.entries(types)) {
    const set = change[field as "replaceFullPath"] !== undefined;
    if (set === (type === change.type)) continue;
    const message = set ? `${field} does not go with type ${change.type}` : `${field} is missing`;
    report.fail(path, set ? CONFLICT : REQUIRED, message, `Give the field of the type alone.`);
  }
}
