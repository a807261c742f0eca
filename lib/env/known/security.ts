/**
 * Variables of certificates that need the orchestrator, which is not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT_DAEMON, bool, DAEMON } from "./rows.ts";

/** Variables of certificates that need the orchestrator, which is not implemented. */
export const SECURITY: readonly IneffectiveGroup[] = [
  {
    state: { kind: "unsupported", reason: "certificates of the orchestrator" },
    readers: DAEMON,
    rows: [
      bool(
        "USE_REMOTE_CERTS",
        AGENT_DAEMON,
        false,
        "Let an external daemon load the authority's certificates from the configuration's cluster.",
      ),
    ],
  },
];
