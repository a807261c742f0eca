/**
 * Selects the virtual host and the route of a request.
 *
 * @module
 */
import type { Route, RouteMatch, VirtualHost } from "#envoy/config/route/v3/route_components_pb.ts";
import type { RouteConfiguration } from "#envoy/config/route/v3/route_pb.ts";
import {
  headerMatches,
  metadataMatches,
  provesClient,
  regexMatches,
  textMatches,
} from "./match.ts";
import { fraction } from "./fraction.ts";
import { withoutPort } from "./path.ts";
import type { Exchange } from "./request.ts";
import { every, type Ternary } from "./ternary.ts";

/** A virtual host and its matching domain. */
export interface FoundHost {
  readonly host: VirtualHost;
  readonly domain: string;
}

/**
 * Returns the virtual host of a name: the exact name, then `*.rest`, then `first.*`, the longest
 * first, then `*`.
 */
export function findVirtualHost(
  { virtualHosts, ignorePortInHostMatching }: RouteConfiguration,
  host: string,
): FoundHost | undefined {
  const name = (ignorePortInHostMatching ? withoutPort(host) : host).toLowerCase();
  let best: (FoundHost & { readonly rank: number }) | undefined;
  for (const one of virtualHosts) {
    for (const domain of one.domains) {
      const rank = rankOf(domain.toLowerCase(), name);
      if (rank > (best?.rank ?? 0)) best = { host: one, domain, rank };
    }
  }
  return best;
}

/** Greater than the length of any domain. */
const LONG = 1000;

/** Returns how specifically a domain matches; 0: not at all. */
function rankOf(domain: string, name: string): number {
  if (domain === "*") return 1;
  if (domain === name) return 4 * LONG;
  if (domain.startsWith("*")) {
    return fits(name, domain) && name.endsWith(domain.slice(1)) ? 2 * LONG + domain.length : 0;
  }
  if (!domain.endsWith("*")) return 0;
  return fits(name, domain) && name.startsWith(domain.slice(0, -1)) ? LONG + domain.length : 0;
}

/** A wildcard matches at least one character. */
function fits(name: string, domain: string): boolean {
  return name.length >= domain.length;
}

/** A selected route, or why there is none. */
export type FoundRoute =
  | { readonly route: Route; readonly at: number; readonly why: string }
  | { readonly undecided: string }
  | undefined;

/** Returns the first route that matches. */
export function findRoute({ routes }: VirtualHost, exchange: Exchange): FoundRoute {
  for (const [at, route] of routes.entries()) {
    if (route.match === undefined) continue;
    const matched = matches(route.match, exchange);
    if (matched === undefined) return { undecided: `whether route ${nameOf(route, at)} matches` };
    if (matched) return { route, at, why: describe(route.match) };
  }
  return undefined;
}

/** A route without name is identified by its index. */
export function nameOf({ name }: Route, at: number): string {
  return name === "" ? `#${at}` : name;
}

/** Reports if a match holds for a request. */
export function matches(match: RouteMatch, exchange: Exchange): Ternary {
  const { header, metadata } = exchange;
  const { runtimeFraction: part, tlsContext } = match;
  const parts: (() => Ternary)[] = [
    () => pathMatches(match, exchange),
    () => every(match.headers, (one) => headerMatches(one, header)),
    () => every(match.queryParameters, (one) => queryMatches(one, exchange.path)),
    () => every(match.dynamicMetadata, (one) => metadataMatches(one, metadata)),
    () => every(match.filterState, (one) => provesClient(one, exchange.connection.principal)),
    () => match.grpc === undefined || isGrpc(exchange),
    () => part === undefined || isBelow(exchange.random, fraction(part.defaultValue)),
    () => tlsContext === undefined ? true : undefined,
  ];
  return every(parts, (part) => part());
}

function isBelow(random: number | undefined, bound: number): Ternary {
  return random === undefined ? undefined : random < bound;
}

function isGrpc({ header }: Exchange): boolean {
  return /^application\/grpc(\+|$)/.test(header("content-type") ?? "");
}

function pathMatches(
  { pathSpecifier: how, caseSensitive }: RouteMatch,
  exchange: Exchange,
): Ternary {
  // A CONNECT request has no path.
  if (exchange.method === "CONNECT") return how.case === "connectMatcher";
  const fold = (text: string): string => caseSensitive === false ? text.toLowerCase() : text;
  const path = withoutQuery(exchange.path);
  switch (how.case) {
    case "prefix":
      return fold(path).startsWith(fold(how.value));
    case "path":
      return fold(path) === fold(how.value);
    case "safeRegex":
      return regexMatches(how.value.regex, path);
    case "pathSeparatedPrefix": {
      const [folded, prefix] = [fold(path), fold(how.value)];
      return folded === prefix || folded.startsWith(`${prefix}/`);
    }
    case "connectMatcher":
      return false;
    default:
      return undefined;
  }
}

/** Returns a path without its query. */
export function withoutQuery(path: string): string {
  const mark = path.indexOf("?");
  return mark < 0 ? path : path.slice(0, mark);
}

type QueryMatcher = RouteMatch["queryParameters"][number];

/** The first of several parameters with the same name is used; nothing is unescaped. */
function queryMatches(
  { name, queryParameterMatchSpecifier: how }: QueryMatcher,
  path: string,
): Ternary {
  const found = path.slice(withoutQuery(path).length + 1).split("&")
    .map((pair) => [pair.split("=", 1)[0], pair.slice(pair.indexOf("=") + 1)] as const)
    .find(([key]) => key === name);
  if (how.case === "presentMatch") return (found !== undefined) === how.value;
  if (how.case === undefined) return found !== undefined;
  return found === undefined ? false : textMatches(how.value, found[1]);
}

function describe(match: RouteMatch): string {
  const { pathSpecifier: how, runtimeFraction: part } = match;
  const bound = Math.round(fraction(part?.defaultValue) * 10_000) / 100;
  const path = how.case === "safeRegex"
    ? `path ~ ${how.value.regex}`
    : how.case === "prefix"
    ? `path ${how.value}*`
    : `path ${typeof how.value === "string" ? how.value : how.case}`;
  return [
    path,
    ...match.headers.map(({ name }) => `header ${name}`),
    ...match.queryParameters.map(({ name }) => `query parameter ${name}`),
    ...match.filterState.map(() => "the client's namespace"),
    ...match.dynamicMetadata.map(({ path }) => `claim ${path.at(-1)?.segment.value ?? ""}`),
    ...(part === undefined ? [] : [`a random number up to ${bound} %`]),
  ].join(", ");
}
