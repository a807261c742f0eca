/**
 * Translates the matches of rules to route matches.
 *
 * @module
 */
import {
  type HeaderMatcher,
  HeaderMatcherSchema,
  type QueryParameterMatcher,
  QueryParameterMatcherSchema,
  type RouteMatch,
  RouteMatchSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import {
  type FilterStateMatcher,
  FilterStateMatcherSchema,
} from "#envoy/type/matcher/v3/filter_state_pb.ts";
import type { MetadataMatcher } from "#envoy/type/matcher/v3/metadata_pb.ts";
import type {
  HTTPMatchRequest,
  StringMatch,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { PEER_PRINCIPAL } from "../core/mod.ts";
import { claimMatcher, claimPath } from "./claims.ts";
import { isPresence, stringMatcher } from "./text_match.ts";

/**
 * Translates a match; `undefined` is a rule without match, which matches every path. Prefixes are
 * plain: `/a` also matches `/ab`. Headers and parameters are sorted, so that equal matches give
 * equal bytes.
 */
export function translateMatch(
  match: HTTPMatchRequest | undefined,
  { clients = false }: MatchOptions = {},
): RouteMatch {
  if (match === undefined) return create(RouteMatchSchema, { pathSpecifier: ANY_PATH });
  const { headers, claims } = headerMatches(match);
  return create(RouteMatchSchema, {
    pathSpecifier: pathSpecifier(match.uri),
    caseSensitive: match.ignoreUriCase ? false : undefined,
    headers: [...headers, ...pseudoHeaders(match)],
    queryParameters: sortedEntries(match.queryParams).map(([name, m]) => queryParameter(name, m)),
    dynamicMetadata: claims,
    filterState: clients && match.sourceNamespace !== "" && match.gateways.length === 0
      ? [clientsOf(match.sourceNamespace)]
      : [],
  });
}

/** Options of {@link translateMatch}. */
export interface MatchOptions {
  /** True: the proxy matches the namespace of a client, by the principal that its tunnel proves. */
  readonly clients?: boolean | undefined;
}

/** Matches clients of a namespace. */
function clientsOf(namespace: string): FilterStateMatcher {
  return create(FilterStateMatcherSchema, {
    key: PEER_PRINCIPAL,
    matcher: {
      case: "stringMatch",
      value: { matchPattern: { case: "contains", value: `/ns/${namespace}/sa/` } },
    },
  });
}

/** Reports if a match takes every request, so that later routes are unreachable. */
export function isCatchAll(match: RouteMatch): boolean {
  const { pathSpecifier: path } = match;
  const anyPath = (path.case === "prefix" && (path.value === "/" || path.value === "")) ||
    (path.case === "safeRegex" && path.value.regex === ".*");
  return anyPath && match.headers.length === 0 && match.queryParameters.length === 0 &&
    match.dynamicMetadata.length === 0 && match.filterState.length === 0 &&
    match.runtimeFraction === undefined;
}

const ANY_PATH = { case: "prefix", value: "/" } as const;

function pathSpecifier(uri: StringMatch | undefined) {
  const match = uri?.matchType;
  switch (match?.case) {
    case undefined:
      return ANY_PATH;
    case "exact":
      return { case: "path" as const, value: match.value };
    case "prefix":
      return { case: "prefix" as const, value: match.value };
    case "regex":
      // Envoy rejects an empty regex. No request has an empty path, so an exact match of it is
      // equivalent.
      return match.value === ""
        ? { case: "path" as const, value: "" }
        : { case: "safeRegex" as const, value: { regex: match.value } };
  }
}

/** `headers` and `withoutHeaders`, sorted by name, without those that stand for claims. */
function headerMatches(
  match: HTTPMatchRequest,
): { headers: HeaderMatcher[]; claims: MetadataMatcher[] } {
  const headers: HeaderMatcher[] = [];
  const claims: MetadataMatcher[] = [];
  for (
    const [conditions, invert] of [[match.headers, false], [match.withoutHeaders, true]] as const
  ) {
    for (const [name, text] of sortedEntries(conditions)) {
      const claim = claimPath(name);
      if (claim !== undefined) claims.push(claimMatcher(claim, text, invert));
      else headers.push(headerMatcher(name, text, invert));
    }
  }
  return { headers: headers.sort((a, b) => order(a.name, b.name)), claims };
}

/** `:method`, `:authority`, `:scheme`, which are separate fields of a rule. */
function pseudoHeaders(match: HTTPMatchRequest): HeaderMatcher[] {
  const fields = [
    [":method", match.method],
    [":authority", match.authority],
    [":scheme", match.scheme],
  ] as const;
  return fields.flatMap(([name, m]) => m === undefined ? [] : [headerMatcher(name, m, false)]);
}

/**
 * Returns the matcher of a header. An inverted matcher treats a missing header as empty, so that
 * "not equal to x" matches without the header; "not present" does not need this.
 */
function headerMatcher(name: string, match: StringMatch, invertMatch: boolean): HeaderMatcher {
  if (isPresence(match)) {
    return create(HeaderMatcherSchema, {
      name,
      headerMatchSpecifier: { case: "presentMatch", value: true },
      invertMatch,
    });
  }
  return create(HeaderMatcherSchema, {
    name,
    headerMatchSpecifier: { case: "stringMatch", value: stringMatcher(match) },
    invertMatch,
    treatMissingHeaderAsEmpty: invertMatch,
  });
}

function queryParameter(name: string, match: StringMatch): QueryParameterMatcher {
  return create(QueryParameterMatcherSchema, {
    name,
    queryParameterMatchSpecifier: isPresence(match)
      ? { case: "presentMatch", value: true }
      : { case: "stringMatch", value: stringMatcher(match) },
  });
}

function sortedEntries<T>(map: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(map).sort(([a], [b]) => order(a, b));
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
