/**
 * Variables of those parts of the Gateway API that are not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT_DAEMON, bool, DAEMON } from "./rows.ts";

/** Variables of those parts of the Gateway API that are not implemented. */
export const GATEWAY_API: readonly IneffectiveGroup[] = [
  {
    state: { kind: "unsupported", reason: "the Gateway API" },
    readers: DAEMON,
    rows: [
      bool(
        "PILOT_ENABLE_ALPHA_GATEWAY_API",
        AGENT_DAEMON,
        false,
        "Read the kinds of the Gateway API that are not stable yet.",
      ),
      bool("PILOT_ENABLE_GATEWAY_API", AGENT_DAEMON, true, "Read Gateway API resources."),
      bool(
        "PILOT_ENABLE_GATEWAY_API_STATUS",
        AGENT_DAEMON,
        true,
        "Write status to Gateway API resources.",
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
