/**
 * Matching on claims of a verified JSON web token, written as headers named
 * `@request.auth.claims.group.id` or `@request.auth.claims[group][id]`.
 *
 * @module
 */
import { type MetadataMatcher, MetadataMatcherSchema } from "#envoy/type/matcher/v3/metadata_pb.ts";
import type { StringMatch } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { isPresence, stringMatcher } from "./text_match.ts";

const PREFIX = "@request.auth.claims";

/** The proxy's filter that verifies tokens, and the metadata key of the payload. */
const FILTER = "envoy.filters.http.jwt_authn";

const PAYLOAD = "payload";

/** Returns the path of a claim from a header name; `undefined` for ordinary headers. */
export function claimPath(header: string): string[] | undefined {
  if (!header.toLowerCase().startsWith(PREFIX)) return undefined;
  const rest = header.slice(PREFIX.length);
  if (rest.startsWith(".") && rest.length > 1) return rest.slice(1).split(".");
  if (rest.startsWith("[") && rest.endsWith("]") && rest.length > 2) {
    return rest.slice(1, -1).split("][");
  }
  return undefined;
}

/**
 * Matches a claim that is a string or a list of strings. Without a verified token nothing matches,
 * and everything if inverted.
 */
export function claimMatcher(
  path: readonly string[],
  match: StringMatch,
  invert: boolean,
): MetadataMatcher {
  return create(MetadataMatcherSchema, {
    filter: FILTER,
    path: [PAYLOAD, ...path].map((key) => ({ segment: { case: "key" as const, value: key } })),
    value: { matchPattern: valuePattern(match) },
    invert,
  });
}

type ValuePattern = NonNullable<
  NonNullable<Parameters<typeof create<typeof MetadataMatcherSchema>>[1]>["value"]
>["matchPattern"];

function valuePattern(match: StringMatch): ValuePattern {
  if (isPresence(match)) return { case: "presentMatch", value: true };
  const text = { matchPattern: { case: "stringMatch" as const, value: stringMatcher(match) } };
  const list = {
    matchPattern: {
      case: "listMatch" as const,
      value: { matchPattern: { case: "oneOf" as const, value: text } },
    },
  };
  return { case: "orMatch", value: { valueMatchers: [text, list] } };
}
