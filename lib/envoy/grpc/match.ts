/**
 * Matches of routes as gRPC libraries understand them (gRFC A28): a path and headers that the
 * program sets. What else a match may say is known of every call before it is made.
 *
 * @module
 */
import {
  type HeaderMatcher,
  HeaderMatcherSchema,
  type RouteMatch,
  RouteMatchSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import type { StringMatcher } from "#envoy/type/matcher/v3/string_pb.ts";
import { create } from "../../proto/mod.ts";
import { compileRegex } from "../../text/mod.ts";

/** Every call's method. */
const METHOD = "POST";

/** What a program's calls look like to a proxy beside it, which is spoken to without TLS. */
const SCHEME = "http";

/** Matches of one rule that a route is split into at the most: each header "without" doubles them. */
const MAX_SPLITS = 4;

/**
 * The matches that stand for one. None where no call matches: a call has no query parameters, and
 * no token that was verified on its way.
 *
 * @param authority that calls to the target have, `host:port`
 */
export function grpcMatches(match: RouteMatch, authority: string): RouteMatch[] {
  if (match.queryParameters.length > 0) return [];
  if (match.dynamicMetadata.some(({ invert }) => !invert)) return [];
  const known: Readonly<Record<string, string>> = {
    ":method": METHOD,
    ":scheme": SCHEME,
    ":authority": authority,
  };
  const headers: HeaderMatcher[] = [];
  for (const header of match.headers) {
    const value = known[header.name];
    if (value === undefined) headers.push(header);
    else if (!holds(header, value)) return [];
  }
  const { pathSpecifier, caseSensitive } = match;
  return alternatives(headers).map((all) =>
    create(RouteMatchSchema, {
      pathSpecifier,
      caseSensitive: caseSensitive === false ? false : undefined,
      headers: all,
    })
  );
}

/** Whether a header's matcher holds for a value. */
function holds({ headerMatchSpecifier: how, invertMatch }: HeaderMatcher, value: string): boolean {
  const found = how.case === "stringMatch" ? textHolds(how.value, value) : true;
  return found !== invertMatch;
}

function textHolds({ matchPattern }: StringMatcher, value: string): boolean {
  switch (matchPattern.case) {
    case "exact":
      return value === matchPattern.value;
    case "prefix":
      return value.startsWith(matchPattern.value);
    case "safeRegex": {
      const regex = compileRegex(matchPattern.value.regex);
      return typeof regex !== "string" && regex.matchesAll(value);
    }
    default:
      return false;
  }
}

/**
 * Where a missing header counts as an empty one there are two ways to match: it is missing, or it is
 * there and differs. Libraries do not agree on what a missing header is to an inverted match.
 */
function alternatives(headers: readonly HeaderMatcher[]): HeaderMatcher[][] {
  let all: HeaderMatcher[][] = [[]];
  let splits = 0;
  for (const header of headers) {
    const split = header.treatMissingHeaderAsEmpty && holds(header, "") && splits++ < MAX_SPLITS;
    const ways = split ? [missing(header.name), present(header)] : [present(header)];
    all = ways.flatMap((way) => all.map((before) => [...before, way]));
  }
  return all;
}

function missing(name: string): HeaderMatcher {
  return create(HeaderMatcherSchema, {
    name,
    headerMatchSpecifier: { case: "presentMatch", value: true },
    invertMatch: true,
  });
}

function present({ name, headerMatchSpecifier, invertMatch }: HeaderMatcher): HeaderMatcher {
  return create(HeaderMatcherSchema, { name, headerMatchSpecifier, invertMatch });
}
