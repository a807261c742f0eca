/**
 * Applies the action of a route to a request.
 *
 * @module
 */
import {
  type RedirectAction,
  RedirectAction_RedirectResponseCode as Code,
  type Route,
  type RouteAction,
  RouteAction_ClusterNotFoundResponseCode as NotFoundCode,
  type VirtualHost,
} from "#envoy/config/route/v3/route_components_pb.ts";
import type { HeaderValueOption } from "#envoy/config/core/v3/base_pb.ts";
import { HeaderValueOption_HeaderAppendAction as Append } from "#envoy/config/core/v3/base_pb.ts";
import type { RouteConfiguration } from "#envoy/config/route/v3/route_pb.ts";
import { formatDuration } from "../../kit/base/mod.ts";
import { type Duration, durationMs, durationOf } from "../../kit/proto/mod.ts";
import { compileRegex } from "../../kit/text/mod.ts";
import { forward } from "./cluster.ts";
import { answered, type Journey, scaled, undecided } from "./journey.ts";
import { withoutPort } from "./path.ts";
import type { Exchange } from "./request.ts";
import type { Ending, Sent } from "./verdict.ts";
import { withoutQuery } from "./virtual_host.ts";

/** A selected route with its virtual host and index. */
export interface Chosen {
  readonly table: RouteConfiguration;
  readonly host: VirtualHost;
  readonly route: Route;
  readonly name: string;
}

/** Timeout of a route that names none, Envoy's `RouteAction.timeout`. */
const DEFAULT_TIMEOUT_MS = 15_000;

/** Applies the route's action. */
export function act(
  journey: Journey,
  chosen: Chosen,
  exchange: Exchange,
  delay: Sent["delay"],
): Ending[] {
  const { action } = chosen.route;
  const by = `route ${chosen.name}`;
  switch (action.case) {
    case "directResponse":
      return answered(action.value.status, by, "answers directly");
    case "redirect": {
      const to = locationOf(action.value, chosen.route, exchange);
      if (to === undefined) journey.unmodelled.add("the path of a redirect by expression");
      return answered(STATUS[action.value.responseCode], by, "redirects")
        .map((one) => ({ ...one, location: to }));
    }
    case "route":
      return forwardTo(journey, chosen, action.value, { exchange, delay });
    default:
      return undecided(`${by} has an action that is not modelled`);
  }
}

const STATUS: Readonly<Record<Code, number>> = {
  [Code.MOVED_PERMANENTLY]: 301,
  [Code.FOUND]: 302,
  [Code.SEE_OTHER]: 303,
  [Code.TEMPORARY_REDIRECT]: 307,
  [Code.PERMANENT_REDIRECT]: 308,
};

/** Statuses of requests to a cluster that does not exist. */
const ABSENT: Readonly<Record<NotFoundCode, number>> = {
  [NotFoundCode.SERVICE_UNAVAILABLE]: 503,
  [NotFoundCode.NOT_FOUND]: 404,
  [NotFoundCode.INTERNAL_SERVER_ERROR]: 500,
};

/** A request to forward, with the delay that was injected into it. */
interface Forwarded {
  readonly exchange: Exchange;
  readonly delay: Sent["delay"];
}

function forwardTo(
  journey: Journey,
  chosen: Chosen,
  action: RouteAction,
  { exchange, delay }: Forwarded,
): Ending[] {
  const { clusterSpecifier: to } = action;
  const sent = sentOf(chosen, action, exchange, delay);
  if (sent === undefined) return undecided(`what route ${chosen.name} makes of the path`);
  const absent = ABSENT[action.clusterNotFoundResponseCode];
  switch (to.case) {
    case "cluster":
      return [forward(journey, to.value, "HTTP", { request: sent, absent })];
    case "clusterHeader": {
      const name = exchange.header(to.value.toLowerCase());
      if (name === null) return undecided(`what is in the header ${to.value}`);
      if (name === undefined) return answered(503, `route ${chosen.name}`, `no header ${to.value}`);
      return [forward(journey, name, "HTTP", { request: sent, absent })];
    }
    case "weightedClusters": {
      const parts = to.value.clusters.filter(({ weight = 0 }) => weight > 0);
      const total = parts.reduce((sum, { weight = 0 }) => sum + weight, 0);
      return parts.flatMap((part) => {
        const host = part.hostRewriteSpecifier.value || sent.host;
        const request = { ...sent, host, headers: [...headersOf(part), ...sent.headers] };
        const ending = forward(journey, part.name, "HTTP", { request, absent });
        return scaled([ending], (part.weight ?? 0) / total);
      });
    }
    default:
      return undecided(`how route ${chosen.name} finds its cluster`);
  }
}

/** Milliseconds; 0: none. Envoy ignores `timeout` on a route with `max_stream_duration`. */
function limitOf({ timeout, maxStreamDuration: limits }: RouteAction): number {
  const limit = limits === undefined ? timeout : limits.maxStreamDuration ?? durationOf(0);
  return limit === undefined ? DEFAULT_TIMEOUT_MS : durationMs(limit);
}

function sentOf(
  { table, host, route }: Chosen,
  action: RouteAction,
  exchange: Exchange,
  delay: Sent["delay"],
): Sent | undefined {
  const path = rewritten(route, action, exchange.path);
  const named = action.hostRewriteSpecifier;
  if (path === undefined || !["hostRewriteLiteral", undefined].includes(named.case)) {
    return undefined;
  }
  const literal = named.case === "hostRewriteLiteral" ? named.value : "";
  const limit = limitOf(action);
  const retry = action.retryPolicy ?? host.retryPolicy;
  const attempts = retry === undefined ? 0 : retry.numRetries ?? 1;
  const mirrors = action.requestMirrorPolicies.length > 0
    ? action.requestMirrorPolicies
    : host.requestMirrorPolicies;
  return {
    host: literal || exchange.host,
    path,
    ...(exchange.forwardedFor === undefined ? {} : { forwardedFor: exchange.forwardedFor }),
    headers: [
      ...[...exchange.removed].map((name) => `-${name}`),
      ...[route, host, table].flatMap(headersOf),
    ],
    timeout: limit === 0 ? "none" : formatDuration(limit),
    retries: retry === undefined || attempts === 0
      ? ""
      : `${attempts} on ${retry.retryOn || "nothing"}${per(retry.perTryTimeout)}`,
    mirrors: mirrors.map(({ cluster }) => cluster),
    ...(delay === undefined ? {} : { delay }),
  };
}

function per(limit: Duration | undefined): string {
  return limit === undefined ? "" : `, each within ${formatDuration(durationMs(limit))}`;
}

interface HeaderOperations {
  readonly requestHeadersToAdd: readonly HeaderValueOption[];
  readonly requestHeadersToRemove: readonly string[];
}

function headersOf({ requestHeadersToAdd, requestHeadersToRemove }: HeaderOperations): string[] {
  return [
    ...requestHeadersToRemove.map((name) => `-${name}`),
    ...requestHeadersToAdd.map(({ header, appendAction }) =>
      `${appendAction === Append.APPEND_IF_EXISTS_OR_ADD ? "+" : ""}${header?.key ?? ""}`
    ),
  ];
}

/** Returns the rewritten path; `undefined` if the rewrite is not modelled. */
function rewritten(route: Route, action: RouteAction, path: string): string | undefined {
  if (action.pathRewritePolicy !== undefined) return undefined;
  if (action.regexRewrite !== undefined) {
    const { pattern, substitution } = action.regexRewrite;
    return replaceAll(pattern?.regex ?? "", substitution, path);
  }
  return action.prefixRewrite === "" ? path : withPrefix(route, action.prefixRewrite, path);
}

/** Replaces the matched prefix. */
function withPrefix({ match }: Route, prefix: string, path: string): string {
  const bare = withoutQuery(path);
  const query = path.slice(bare.length);
  const how = match?.pathSpecifier;
  const matched = how?.case === "prefix" || how?.case === "pathSeparatedPrefix" ? how.value : bare;
  return prefix + bare.slice(matched.length) + query;
}

/**
 * Replaces by an RE2 expression. If JavaScript's RegExp would interpret it differently, or reject
 * it, there is no result.
 */
function replaceAll(regex: string, substitution: string, path: string): string | undefined {
  if (typeof compileRegex(regex) === "string" || /\(\?[^:]|\\[pPQEzAC]|\[\[:/.test(regex)) {
    return undefined;
  }
  const bare = withoutQuery(path);
  const result = bare.replaceAll(new RegExp(regex, "gu"), (...found: unknown[]) => {
    return substitution.replaceAll(/\\(\\|\d)/g, (_, mark: string) => {
      return mark === "\\" ? "\\" : `${found[Number(mark)] ?? ""}`;
    });
  });
  return result + path.slice(bare.length);
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

function locationOf(
  redirect: RedirectAction,
  route: Route,
  { host, path, scheme }: Exchange,
): string | undefined {
  const { pathRewriteSpecifier: to, schemeRewriteSpecifier: wanted } = redirect;
  if (to.case === "regexRewrite") return undefined;
  const next = wanted.case === "schemeRedirect"
    ? wanted.value
    : wanted.case === "httpsRedirect" && wanted.value
    ? "https"
    : scheme;
  const bare = withoutQuery(path);
  const query = redirect.stripQuery ? "" : path.slice(bare.length);
  const target = to.case === "pathRedirect"
    ? to.value + (to.value.includes("?") ? "" : query)
    : to.case === "prefixRewrite"
    ? withPrefix(route, to.value, bare) + query
    : bare + query;
  const port = redirect.portRedirect === 0 ? "" : `:${redirect.portRedirect}`;
  const own = next !== scheme && host.endsWith(`:${DEFAULT_PORTS[scheme]}`);
  const name = redirect.hostRedirect ||
    (own || port !== "" ? withoutPort(host) : host);
  return `${next}://${name}${port}${target}`;
}
