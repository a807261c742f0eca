/**
 * AuthorizationPolicies for servers with a gRPC library that supports xDS (gRFC A41).
 *
 * @module
 */
import { RBACSchema } from "#envoy/extensions/filters/http/rbac/v3/rbac_pb.ts";
import {
  type HttpFilter,
  HttpFilterSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { UNDIVIDED } from "../../../kit/base/mod.ts";
import { create, packAnyInParts } from "../../../kit/proto/mod.ts";
import type { Effect } from "./clause.ts";
import type { AuthorizationInput } from "./filters.ts";
import { accessRules, effectOf, isDryRun, type RuleOptions } from "./rules.ts";

/** The evaluated actions, in this order. */
const DECIDED = ["custom", "deny", "allow"] as const satisfies readonly Effect[];

/**
 * Returns the filters that allow or deny calls. gRPC libraries reject rules that only log or are in
 * shadow mode, so both are omitted. Libraries cannot call a provider, so requests that match a
 * policy with action `CUSTOM` are denied. Each filter has a unique name, because libraries require
 * it.
 */
export function grpcAccessFilters(
  { policies, trustDomains, otherSpellings, parts = UNDIVIDED }: Pick<
    AuthorizationInput,
    "policies" | "trustDomains" | "otherSpellings" | "parts"
  >,
): HttpFilter[] {
  const options: RuleOptions = { http: true, library: true, trustDomains, otherSpellings, parts };
  const enforced = policies.filter((policy) => !isDryRun(policy));
  return DECIDED.flatMap((effect) => {
    const some = enforced.filter((policy) => effectOf(policy) === effect);
    if (some.length === 0) return [];
    const rules = parts.part(() => accessRules(some, effect, options));
    const typedConfig = packAnyInParts(parts, RBACSchema, { rules });
    return [create(HttpFilterSchema, {
      name: `envoy.filters.http.rbac.${effect}`,
      configType: { case: "typedConfig", value: typedConfig },
    })];
  });
}
