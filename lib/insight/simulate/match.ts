/**
 * Envoy's matchers of strings, headers, addresses and metadata.
 *
 * @module
 */
import { canonicalIp, compileRegex, isIp, parseCidr } from "../../kit/text/mod.ts";
import type { CidrRange } from "#envoy/config/core/v3/address_pb.ts";
import type { HeaderMatcher } from "#envoy/config/route/v3/route_components_pb.ts";
import type { FilterStateMatcher } from "#envoy/type/matcher/v3/filter_state_pb.ts";
import type { MetadataMatcher } from "#envoy/type/matcher/v3/metadata_pb.ts";
import type { StringMatcher } from "#envoy/type/matcher/v3/string_pb.ts";
import type { ValueMatcher } from "#envoy/type/matcher/v3/value_pb.ts";
import { PEER_PRINCIPAL } from "../../mesh/envoy/mod.ts";
import { negated, some, type Ternary } from "./ternary.ts";

/** Dynamic metadata, by filter. */
export type Metadata = Readonly<Record<string, unknown>>;

/** Stands for metadata that a filter wrote and that is not modelled. */
export const UNKNOWN: unique symbol = Symbol("unknown");

/** Returns a header's value; `undefined`: missing; `null`: not modelled. */
export type HeaderOf = (name: string) => string | undefined | null;

/** Reports if a string matches; regular expressions must match it as a whole. */
export function textMatches({ matchPattern, ignoreCase }: StringMatcher, text: string): Ternary {
  const fold = (one: string): string => ignoreCase ? one.toLowerCase() : one;
  switch (matchPattern.case) {
    case "exact":
      return fold(text) === fold(matchPattern.value);
    case "prefix":
      return fold(text).startsWith(fold(matchPattern.value));
    case "suffix":
      return fold(text).endsWith(fold(matchPattern.value));
    case "contains":
      return fold(text).includes(fold(matchPattern.value));
    case "safeRegex":
      return regexMatches(matchPattern.value.regex, text);
    default:
      return undefined;
  }
}

/** Reports if a matcher of filter state matches the client that a tunnel proves; the only state that is modelled. */
export function provesClient(
  { key, matcher }: FilterStateMatcher,
  principal: string | undefined,
): Ternary {
  if (key !== PEER_PRINCIPAL || matcher.case !== "stringMatch") return undefined;
  return principal === undefined ? false : textMatches(matcher.value, principal);
}

/** Reports if a regular expression matches the whole string. */
export function regexMatches(regex: string, text: string): Ternary {
  const compiled = compileRegex(regex);
  return typeof compiled === "string" ? undefined : compiled.matchesAll(text);
}

/** Reports if a header matches. A missing header is matched only by a matcher of absence. */
export function headerMatches(
  matcher: HeaderMatcher,
  header: HeaderOf,
): Ternary {
  const { headerMatchSpecifier: how, invertMatch } = matcher;
  const found = header(matcher.name.toLowerCase());
  if (found === null) return undefined;
  if (how.case === undefined) return (found !== undefined) !== invertMatch;
  if (how.case === "presentMatch") return ((found !== undefined) === how.value) !== invertMatch;
  if (found === undefined && !matcher.treatMissingHeaderAsEmpty) return false;
  const matched = valueOfHeader(how, found ?? "");
  return invertMatch ? negated(matched) : matched;
}

function valueOfHeader(how: HeaderMatcher["headerMatchSpecifier"], value: string): Ternary {
  switch (how.case) {
    case "stringMatch":
      return textMatches(how.value, value);
    case "exactMatch":
      return value === how.value;
    case "prefixMatch":
      return value.startsWith(how.value);
    case "suffixMatch":
      return value.endsWith(how.value);
    case "containsMatch":
      return value.includes(how.value);
    case "safeRegexMatch":
      return regexMatches(how.value.regex, value);
    case "rangeMatch": {
      const { start, end } = how.value;
      return /^-?\d+$/.test(value) && BigInt(value) >= start && BigInt(value) < end;
    }
    default:
      return undefined;
  }
}

/** Reports if an address is in a range; addresses of the other family are not. */
export function inRange(ip: string, { addressPrefix, prefixLen }: CidrRange): boolean {
  if (!isIp(ip)) return false;
  const bits = prefixLen ?? 0;
  const range = parseCidr(`${addressPrefix}/${bits}`);
  const own = parseCidr(`${ip}/${bits}`);
  return range !== undefined && own !== undefined && range.family === own.family &&
    canonicalIp(range.address) === canonicalIp(own.address);
}

/** Returns the value that a matcher compares; `UNKNOWN` if it is not modelled. */
export function metadataValue(
  { filter, path }: Pick<MetadataMatcher, "filter" | "path">,
  metadata: Metadata,
): unknown {
  let value: unknown = metadata[filter];
  if (value === UNKNOWN) return UNKNOWN;
  for (const { segment } of path) {
    const whole = typeof value === "object" && value !== null && !Array.isArray(value);
    value = whole && segment.case === "key"
      ? (value as Record<string, unknown>)[segment.value]
      : undefined;
  }
  return value;
}

/** Reports if metadata matches. */
export function metadataMatches(matcher: MetadataMatcher, metadata: Metadata): Ternary {
  const value = metadataValue(matcher, metadata);
  if (value === UNKNOWN) return undefined;
  const matched = matcher.value === undefined ? false : valueMatches(matcher.value, value);
  return matcher.invert ? negated(matched) : matched;
}

function valueMatches({ matchPattern: how }: ValueMatcher, value: unknown): Ternary {
  switch (how.case) {
    case "nullMatch":
      return value === null;
    case "boolMatch":
      return value === how.value;
    case "presentMatch":
      return (value !== undefined) === how.value;
    case "stringMatch":
      return typeof value === "string" ? textMatches(how.value, value) : false;
    case "listMatch": {
      const { matchPattern } = how.value;
      if (matchPattern.case !== "oneOf") return undefined;
      return Array.isArray(value)
        ? some(value, (item) => valueMatches(matchPattern.value, item))
        : false;
    }
    case "orMatch":
      return some(how.value.valueMatchers, (one) => valueMatches(one, value));
    default:
      return undefined;
  }
}
