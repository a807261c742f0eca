/**
 * Matchers of strings: headers, query parameters, origins.
 *
 * @module
 */
import { type StringMatcher, StringMatcherSchema } from "#envoy/type/matcher/v3/string_pb.ts";
import type { StringMatch } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create } from "../../../kit/proto/mod.ts";

/**
 * Reports if a match only requires presence: an empty match, the prefix "" and, by convention, the
 * regex `*`, which is not valid in RE2.
 */
export function isPresence(match: StringMatch): boolean {
  const { matchType } = match;
  switch (matchType.case) {
    case undefined:
      return true;
    case "prefix":
      return matchType.value === "";
    case "regex":
      return matchType.value === "*";
    case "exact":
      return false;
  }
}

/**
 * Returns Envoy's matcher. Envoy rejects empty prefixes and regexes; they are replaced by
 * equivalents: any string, and the empty string.
 */
export function stringMatcher(match: StringMatch): StringMatcher {
  const { matchType } = match;
  if (isPresence(match)) return safeRegex(".*");
  if (matchType.case === "regex" && matchType.value !== "") return safeRegex(matchType.value);
  if (matchType.case === "prefix") {
    return create(StringMatcherSchema, { matchPattern: matchType });
  }
  return exactMatcher(matchType.value ?? "");
}

/** Returns a matcher for one string. */
export function exactMatcher(value: string): StringMatcher {
  return create(StringMatcherSchema, { matchPattern: { case: "exact", value } });
}

/** An RE2 expression that must match the whole string. */
function safeRegex(regex: string): StringMatcher {
  return create(StringMatcherSchema, { matchPattern: { case: "safeRegex", value: { regex } } });
}
