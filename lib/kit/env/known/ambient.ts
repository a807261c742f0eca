/**
 * Variables of ambient mode and the node's network plugin, which are not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT_DAEMON, ALL, bool, DAEMON, inAmbient } from "./rows.ts";

/** Variables of ambient mode and the node's network plugin, which are not implemented. */
export const AMBIENT: readonly IneffectiveGroup[] = [
  {
    state: { kind: "unsupported", reason: "ambient mode" },
    readers: DAEMON,
    rows: [
      {
        ...bool(
          "AMBIENT_ENABLE_STATUS",
          ALL,
          false,
          "Write status about ambient mode to resources; without leader election, so for one replica only.",
        ),
        ...inAmbient(true),
      },
      {
        ...bool(
          "ENABLE_INGRESS_WAYPOINT_ROUTING",
          ALL,
          false,
          "Route gateways through the waypoints of services with the label mesh.io/ingress-use-waypoint.",
        ),
        ...inAmbient(true),
      },
      {
        ...bool(
          "PILOT_ENABLE_AMBIENT_WAYPOINTS",
          AGENT_DAEMON,
          false,
          "Run the controllers that waypoints need.",
        ),
        ...inAmbient(true),
      },
    ],
  },
];
