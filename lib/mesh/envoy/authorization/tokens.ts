/**
 * Claims of verified tokens, as the token filter writes them to the metadata.
 *
 * @module
 */
import { type MetadataMatcher, MetadataMatcherSchema } from "#envoy/type/matcher/v3/metadata_pb.ts";
import type { StringMatcher } from "#envoy/type/matcher/v3/string_pb.ts";
import { type ValueMatcher, ValueMatcherSchema } from "#envoy/type/matcher/v3/value_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { PAYLOAD, TOKEN_FILTER } from "../core/mod.ts";
import { exactMatch, regexMatch, textMatch } from "./text.ts";

/** Matches a value in the metadata of a filter. */
export function metadataMatch(
  filter: string,
  path: readonly string[],
  value: ValueMatcher,
): MetadataMatcher {
  return create(MetadataMatcherSchema, {
    filter,
    path: path.map((key) => ({ segment: { case: "key" as const, value: key } })),
    value,
  });
}

/** Matches a string value. */
export function textValue(value: StringMatcher): ValueMatcher {
  return create(ValueMatcherSchema, { matchPattern: { case: "stringMatch", value } });
}

/** Matches a list that has a matching value. */
export function listOf(value: ValueMatcher): ValueMatcher {
  return create(ValueMatcherSchema, {
    matchPattern: { case: "listMatch", value: { matchPattern: { case: "oneOf", value } } },
  });
}

/** Matches if one of several matchers does. */
export function anyValue(values: readonly ValueMatcher[]): ValueMatcher {
  const [only] = values;
  if (values.length === 1 && only !== undefined) return only;
  return create(ValueMatcherSchema, {
    matchPattern: { case: "orMatch", value: { valueMatchers: [...values] } },
  });
}

/**
 * Matches a claim, or a nested claim, that is one of several strings or a list with one of them.
 * Issuers write a claim with one value either way.
 */
export function claimMatch(names: readonly string[], values: readonly string[]): MetadataMatcher {
  const one = anyValue(values.map((value) => textValue(textMatch(value))));
  return metadataMatch(TOKEN_FILTER, [PAYLOAD, ...names], anyValue([listOf(one), one]));
}

/** Matches a claim that is a string. */
export function plainClaimMatch(name: string, match: StringMatcher): MetadataMatcher {
  return metadataMatch(TOKEN_FILTER, [PAYLOAD, name], textValue(match));
}

/**
 * Matches issuer and subject of a token, `issuer/subject`. Issuers are usually URLs, so the last
 * slash separates the two.
 */
export function issuerAndSubject(
  principal: string,
): readonly [issuer: StringMatcher, subject: StringMatcher] {
  const any = regexMatch(".+");
  if (principal === "*") return [any, any];
  const slash = principal.lastIndexOf("/");
  const found = slash >= 0;
  const issuer = found ? principal.slice(0, slash) : principal;
  const subject = found ? principal.slice(slash + 1) : "";
  if (principal.startsWith("*")) {
    if (!found) return [any, textMatch(principal)];
    return [textMatch(issuer), exactMatch(subject)];
  }
  if (principal.endsWith("*")) {
    return found ? [exactMatch(issuer), textMatch(subject)] : [textMatch(principal), any];
  }
  return [exactMatch(issuer), exactMatch(subject)];
}
