/**
 * Position of a filter by the group that it declares.
 *
 * @module
 */
import type { Filter } from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { HttpFilter } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";

/**
 * Position among the filters: before authentication, before authorization, after authorization, or
 * the last before the forwarding filter.
 */
export type FilterPosition = "authn" | "authz" | "behind-authz" | "end";

/** Filter types by purpose: suffixes of their type names. */
const AUTHN = /\.JwtAuthentication$/;

const AUTHZ = /\.(RBAC|ExtAuthz)$/;

/** Filters that run after authorization. */
const ADMITTED = /\.(HTTPFault|Cors|Router)$/;

/** Filters that end a chain. */
const FORWARDS = /\.(Router|TcpProxy|HttpConnectionManager|RedisProxy|ThriftProxy)$/;

/** Returns the types by which positions are determined. */
function typesOf(filters: readonly (HttpFilter | Filter)[]): string[] {
  return filters.map(({ configType }) =>
    configType.case === "typedConfig" ? configType.value.typeUrl : ""
  );
}

/** Returns the index for a filter with a position. */
export function indexOf(
  filters: readonly (HttpFilter | Filter)[],
  position: FilterPosition,
): number {
  const types = typesOf(filters);
  const end = types.findIndex((type) => FORWARDS.test(type));
  const last = end < 0 ? types.length : end;
  const after = (kind: RegExp): number => types.findLastIndex((type) => kind.test(type)) + 1;
  const admitted = types.findIndex((type) => ADMITTED.test(type));
  const guard = admitted < 0 ? last : Math.min(admitted, last);
  switch (position) {
    case "end":
      return last;
    case "authn": {
      const first = types.findIndex((type) => AUTHN.test(type) || AUTHZ.test(type));
      return first < 0 ? guard : first;
    }
    case "authz": {
      const behind = after(AUTHN);
      if (behind > 0) return behind;
      const first = types.findIndex((type) => AUTHZ.test(type));
      return first < 0 ? guard : first;
    }
    case "behind-authz":
      return Math.max(after(AUTHN), after(AUTHZ)) || guard;
  }
}
