/**
 * The endpoints among which a node proxy chooses: the nearest ones, by their capacity.
 *
 * @module
 */
import {
  LoadBalancing_Mode as Mode,
  LoadBalancing_Scope as Scope,
  type Service,
  type Workload,
} from "#mesh/workload/workload_pb.ts";
import type { ServiceEndpoint } from "./known.ts";

/**
 * The endpoints of a service that connections of a workload go to. Those count that agree with the client in most
 * of the preferred scopes, in order. Endpoints without an address are reached from other networks alone.
 */
export function chosen(
  source: Workload,
  { loadBalancing }: Service,
  endpoints: readonly ServiceEndpoint[],
): ServiceEndpoint[] {
  const reachable = endpoints.filter(({ workload, ip }) =>
    capacityOf(workload) > 0 &&
    (ip !== "" || workload.hostname !== "" ||
      workload.networkGateway !== undefined && workload.network !== source.network)
  );
  const { mode = Mode.UNSPECIFIED_MODE, routingPreference: scopes = [] } = loadBalancing ?? {};
  if (mode === Mode.UNSPECIFIED_MODE) return reachable;
  const ranked = reachable.map((one) => ({ one, rank: rankOf(source, one.workload, scopes) }))
    .filter(({ rank }) => mode !== Mode.STRICT || rank === scopes.length);
  const best = Math.max(...ranked.map(({ rank }) => rank));
  return ranked.filter(({ rank }) => rank === best).map(({ one }) => one);
}

/** The part of the connections that a workload gets, compared with others. */
export function capacityOf({ capacity }: Workload): number {
  return capacity ?? 1;
}

/** The number of scopes, from the first one on, in which two workloads agree. */
function rankOf(source: Workload, other: Workload, scopes: readonly Scope[]): number {
  const differs = scopes.findIndex((scope) => placeIn(source, scope) !== placeIn(other, scope));
  return differs === -1 ? scopes.length : differs;
}

function placeIn({ locality, node, clusterId, network }: Workload, scope: Scope): string {
  switch (scope) {
    case Scope.REGION:
      return locality?.region ?? "";
    case Scope.ZONE:
      return locality?.zone ?? "";
    case Scope.SUBZONE:
      return locality?.subzone ?? "";
    case Scope.NODE:
      return node;
    case Scope.CLUSTER:
      return clusterId;
    case Scope.NETWORK:
      return network;
    default:
      return "";
  }
}
