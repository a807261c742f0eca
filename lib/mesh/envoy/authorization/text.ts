/**
 * Values of policies as matchers: exact, with a wildcard at one end, or any.
 *
 * @module
 */
import { type StringMatcher, StringMatcherSchema } from "#envoy/type/matcher/v3/string_pb.ts";
import { create } from "../../../kit/proto/mod.ts";

/** Matches text that a regular expression matches as a whole. */
export function regexMatch(regex: string): StringMatcher {
  return create(StringMatcherSchema, { matchPattern: { case: "safeRegex", value: { regex } } });
}

/** Matches exactly this text. */
export function exactMatch(value: string, ignoreCase = false): StringMatcher {
  return create(StringMatcherSchema, { matchPattern: { case: "exact", value }, ignoreCase });
}

/**
 * Parses a value: `*` matches any text that is not empty, `*x` and `x*` match by suffix and prefix.
 *
 * @param before prefix of the text that every value but `*` matches
 */
export function textMatch(value: string, before = "", ignoreCase = false): StringMatcher {
  if (value === "*") return regexMatch(".+");
  if (value.startsWith("*") && before !== "") {
    return regexMatch(`${quote(before)}.*${quote(value.slice(1))}`);
  }
  if (value.startsWith("*")) {
    return create(StringMatcherSchema, {
      matchPattern: { case: "suffix", value: value.slice(1) },
      ignoreCase,
    });
  }
  if (!value.endsWith("*")) return exactMatch(before + value, ignoreCase);
  return create(StringMatcherSchema, {
    matchPattern: { case: "prefix", value: before + value.slice(0, -1) },
    ignoreCase,
  });
}

/** Returns a regular expression that matches exactly this text. */
export function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Like {@link quote}, but `*` matches any text, or the given expression. */
export function quoteWildcards(text: string, any = ".*"): string {
  return text.split("*").map(quote).join(any);
}
