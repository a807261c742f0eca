/**
 * Cross-origin resource sharing.
 *
 * @module
 */
import {
  type CorsPolicy,
  CorsPolicySchema,
} from "#envoy/extensions/filters/http/cors/v3/cors_pb.ts";
import {
  type CorsPolicy as MeshCorsPolicy,
  CorsPolicy_UnmatchedPreflights,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { exactMatcher, stringMatcher } from "../matching/mod.ts";
import { wholePercent } from "./percent.ts";

/** Name of the filter that a route configures with this. */
export const CORS_FILTER = "envoy.filters.http.cors";

/**
 * Translates a policy. The older `allowOrigin` is used only without `allowOrigins`. Preflights from
 * other origins are forwarded to the service unless they are to be ignored.
 */
export function translateCors(policy: MeshCorsPolicy): CorsPolicy {
  const { allowOrigins, allowOrigin, maxAge } = policy;
  return create(CorsPolicySchema, {
    allowOriginStringMatch: allowOrigins.length > 0
      ? allowOrigins.map(stringMatcher)
      : allowOrigin.map(exactMatcher),
    allowMethods: policy.allowMethods.join(","),
    allowHeaders: policy.allowHeaders.join(","),
    exposeHeaders: policy.exposeHeaders.join(","),
    maxAge: maxAge === undefined ? "" : String(maxAge.seconds),
    allowCredentials: policy.allowCredentials,
    filterEnabled: { defaultValue: wholePercent(100) },
    forwardNotMatchingPreflights:
      policy.unmatchedPreflights !== CorsPolicy_UnmatchedPreflights.IGNORE,
  });
}
