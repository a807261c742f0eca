/**
 * Edges of the map from waypoints to the services whose connections they take.
 *
 * @module
 */
import { objectKey, type Service, serviceKeys } from "../../../mesh/model/mod.ts";
import { rowRef } from "../../../mesh/graph/mod.ts";
import type { DebugInputs } from "../inputs.ts";
import type { MapEdge } from "./edges.ts";

/** The edges, from the service in front of each waypoint; none while ambient mode is off. */
export function waypointEdges(
  { mesh: { graph, ambient } }: DebugInputs,
  services: readonly Service[],
): MapEdge[] {
  if (ambient === undefined) return [];
  return services.flatMap(({ key, namespace, host }) => {
    const { waypoint, canary } = graph.peek(ambient.waypoints.ofService, { namespace, host });
    const second = canary === undefined ? [] : [[canary.waypoint, canary.weight] as const];
    const first = waypoint === undefined ? [] : [[waypoint, 100 - (canary?.weight ?? 0)] as const];
    return [...first, ...second].flatMap(([one, percent]): MapEdge[] => {
      if (one.service === undefined) return [];
      const share = percent === 100 ? [] : [`${percent} %`];
      return [{
        from: serviceKeys.encode(one.service),
        to: key,
        kind: "waypoint",
        label: share.join(""),
        tone: "plain",
        object: rowRef({ table: "Gateway", key: objectKey(one) }),
        text: ["through the waypoint, in tunnels", ...share].join(", "),
      }];
    });
  });
}
