/**
 * Values of policies as matchers: whole, with a wildcard at either end, or any.
 *
 * @module
 */
import { type StringMatcher, StringMatcherSchema } from "#envoy/type/matcher/v3/string_pb.ts";
import { create } from "../../proto/mod.ts";

/** Holds for texts that a whole expression matches. */
export function regexMatch(regex: string): StringMatcher {
  return create(StringMatcherSchema, { matchPattern: { case: "safeRegex", value: { regex } } });
}

/** Holds for this text and no other. */
export function exactMatch(value: string, ignoreCase = false): StringMatcher {
  return create(StringMatcherSchema, { matchPattern: { case: "exact", value }, ignoreCase });
}

/**
 * Reads a value: `*` is any text but none, `*x` and `x*` end or begin with `x`.
 *
 * @param before stands before every value that does not begin with a wildcard
 */
export function textMatch(value: string, before = "", ignoreCase = false): StringMatcher {
  if (value === "*") return regexMatch(".+");
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

/** A text as an expression that matches it alone. */
export function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** As {@link quote}, with `*` for any text, or for what an expression says. */
export function quoteWildcards(text: string, any = ".*"): string {
  return text.split("*").map(quote).join(any);
}
