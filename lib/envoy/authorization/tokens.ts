/**
 * Claims of verified tokens, as the token filter writes them to the metadata.
 *
 * @module
 */
import { type MetadataMatcher, MetadataMatcherSchema } from "#envoy/type/matcher/v3/metadata_pb.ts";
import type { StringMatcher } from "#envoy/type/matcher/v3/string_pb.ts";
import { type ValueMatcher, ValueMatcherSchema } from "#envoy/type/matcher/v3/value_pb.ts";
import { create } from "../../proto/mod.ts";
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

/** Matches a list that has a matching string. */
export function listValue(value: StringMatcher): ValueMatcher {
  return create(ValueMatcherSchema, {
    matchPattern: {
      case: "listMatch",
      value: { matchPattern: { case: "oneOf", value: textValue(value) } },
    },
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

/** Matches a claim, or a nested claim, that is a string or a list with a matching string. */
export function claimMatch(names: readonly string[], value: string): MetadataMatcher {
  const match = textMatch(value);
  return metadataMatch(
    TOKEN_FILTER,
    [PAYLOAD, ...names],
    anyValue([listValue(match), textValue(match)]),
  );
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
