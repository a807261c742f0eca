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
        "PILOT_MULTI_NETWORK_DISCOVER_GATEWAY_API",
        AGENT_DAEMON,
        true,
        "Use Gateway API objects with the network label as gateways of networks.",
      ),
    ],
  },
];
