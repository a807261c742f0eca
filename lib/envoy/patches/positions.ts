/**
 * Where a filter is put that says which group it belongs to.
 *
 * @module
 */
import type { Filter } from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { HttpFilter } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";

/**
 * A place among the filters: before callers are authenticated, before they are
 * let in, behind that, or the last before what forwards.
 */
export type Place = "authn" | "authz" | "behind-authz" | "end";

/** Types of filters by what they are for; the last part of their names. */
const AUTHN = /\.JwtAuthentication$/;

const AUTHZ = /\.(RBAC|ExtAuthz)$/;

/** What requests pass once they are let in. */
const ADMITTED = /\.(HTTPFault|Cors|Router)$/;

/** What ends a chain. */
const FORWARDS = /\.(Router|TcpProxy|HttpConnectionManager|RedisProxy|ThriftProxy)$/;

/** Types as places are told by. */
function typesOf(filters: readonly (HttpFilter | Filter)[]): string[] {
  return filters.map(({ configType }) =>
    configType.case === "typedConfig" ? configType.value.typeUrl : ""
  );
}

/** The index at which a filter of a place goes. */
export function indexOf(filters: readonly (HttpFilter | Filter)[], place: Place): number {
  const types = typesOf(filters);
  const end = types.findIndex((type) => FORWARDS.test(type));
  const last = end < 0 ? types.length : end;
  const after = (kind: RegExp): number => types.findLastIndex((type) => kind.test(type)) + 1;
  const admitted = types.findIndex((type) => ADMITTED.test(type));
  const guard = admitted < 0 ? last : Math.min(admitted, last);
  switch (place) {
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
