/**
 * Variables of several clusters without effect.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT_DAEMON, bool, DAEMON } from "./rows.ts";

/** Variables of several clusters without effect. */
export const CLUSTERS: readonly IneffectiveGroup[] = [
  {
    state: { kind: "unsupported", reason: "custom resources of remote clusters" },
    readers: DAEMON,
    rows: [
      bool(
        "PILOT_ENABLE_CROSS_CLUSTER_WORKLOAD_ENTRY",
        AGENT_DAEMON,
        true,
        "Read WorkloadEntries from other clusters.",
      ),
    ],
  },
];
