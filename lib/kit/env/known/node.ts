/**
 * Variables of agent features that are not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT, bool, text } from "./rows.ts";

/** Variables of agent features that are not implemented. */
export const NODE: readonly IneffectiveGroup[] = [
  {
    state: { kind: "unsupported", reason: "certificates from the agent" },
    readers: AGENT,
    rows: [
      text("CA_PROVIDER", AGENT, "MeshCA", "Certificate authority to use."),
      text(
        "CREDENTIAL_IDENTITY_PROVIDER",
        AGENT,
        "CloudVmPlatform",
        "Identity provider of the credentials.",
      ),
      text("XDS_AUTH_PROVIDER", AGENT, undefined, "Provider of the credentials for the daemon."),
    ],
  },
  {
    state: {
      kind: "ineffective",
      reason:
        "Envoy's builds have no extension that discovers metadata; peers give their workload " +
        "in headers and certificates",
    },
    readers: AGENT,
    rows: [
      bool(
        "PEER_METADATA_DISCOVERY",
        AGENT,
        false,
        "Let the proxy discover metadata of its peers.",
      ),
    ],
  },
];
