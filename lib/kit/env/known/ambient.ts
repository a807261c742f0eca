/**
 * Variables of ambient mode and the node's network plugin, which are not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { ALL, bool, DAEMON, inAmbient } from "./rows.ts";

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
    ],
  },
];
