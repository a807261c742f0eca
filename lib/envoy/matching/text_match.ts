/**
 * Matching of texts: headers, query parameters, origins.
 *
 * @module
 */
import { type StringMatcher, StringMatcherSchema } from "#envoy/type/matcher/v3/string_pb.ts";
import type { StringMatch } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create } from "../../proto/mod.ts";

/**
 * Whether a match asks only that there be a value: an empty match, the prefix ""
 * and, by convention, the regex `*`, which is none that RE2 would take.
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
 * The proxy's matcher. Empty prefixes and regexes, which the proxy refuses, are
 * written in their equal forms: any text, and the empty text.
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

/** A matcher for one text. */
export function exactMatcher(value: string): StringMatcher {
  return create(StringMatcherSchema, { matchPattern: { case: "exact", value } });
}

/** RE2 over the whole text. */
function safeRegex(regex: string): StringMatcher {
  return create(StringMatcherSchema, { matchPattern: { case: "safeRegex", value: { regex } } });
}
