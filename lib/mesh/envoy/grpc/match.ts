/**
 * Route matches that gRPC libraries support (gRFC A28): a path and headers of the program. The
 * other conditions are constant for all calls, so they are evaluated here.
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
import { create } from "../../../kit/proto/mod.ts";
import { compileRegex } from "../../../kit/text/mod.ts";

/** HTTP method of every call. */
const METHOD = "POST";

/** Scheme of a program's calls, as a proxy without TLS would see them. */
const SCHEME = "http";

/** Maximum number of matches for one rule: each "without" header doubles them. */
const MAX_SPLITS = 4;

/**
 * Returns the equivalent matches. The result is empty if no call matches: calls have no query
 * parameters and no verified token.
 *
 * @param authority authority of calls to the target, `host:port`
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

/** Reports if a header matcher matches a value. */
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
 * If a missing header counts as an empty one, there are two alternatives: it is missing, or it is
 * present and differs. Libraries differ in how an inverted match treats a missing header.
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
