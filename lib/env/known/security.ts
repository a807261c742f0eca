/**
 * Variables of certificates that need the orchestrator, which is not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT_DAEMON, ALL, bool, DAEMON, text } from "./rows.ts";

/** Variables of certificates that need the orchestrator, which is not implemented. */
export const SECURITY: readonly IneffectiveGroup[] = [
  {
    state: { kind: "unsupported", reason: "certificates of the orchestrator" },
    readers: DAEMON,
    rows: [
      text(
        "CERT_SIGNER_DOMAIN",
        ALL,
        undefined,
        "Domain of the signers that certificate requests may name.",
      ),
      {
        ...text("EXTERNAL_CA", DAEMON, undefined, "Kind of external authority that signs."),
        choices: ["MESHD_RA_ORCH_API"],
      },
      text("ORCH_SIGNER", DAEMON, undefined, "Kind of the orchestrator's signer."),
      bool(
        "USE_REMOTE_CERTS",
        AGENT_DAEMON,
        false,
        "Let an external daemon load the authority's certificates from the configuration's cluster.",
      ),
    ],
  },
];
