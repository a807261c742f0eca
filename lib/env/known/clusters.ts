/**
 * Variables of several clusters, which are not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT_DAEMON, bool, DAEMON } from "./rows.ts";

/** Variables of several clusters, which are not implemented. */
export const CLUSTERS: readonly IneffectiveGroup[] = [
  {
    state: { kind: "unsupported", reason: "several clusters" },
    readers: DAEMON,
    rows: [
      bool(
        "PILOT_ENABLE_CROSS_CLUSTER_WORKLOAD_ENTRY",
        AGENT_DAEMON,
        true,
        "Read WorkloadEntries from other clusters.",
      ),
      bool(
        "PILOT_MULTI_NETWORK_DISCOVER_GATEWAY_API",
        AGENT_DAEMON,
        true,
        "Use Gateway API objects with the network label as gateways of networks.",
      ),
    ],
  },
];
