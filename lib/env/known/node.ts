/**
 * Variables of agent features that are not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT, AGENT_DAEMON, bool, text } from "./rows.ts";

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
      text(
        "MESH_META_CERT_SIGNER",
        AGENT,
        undefined,
        "Signer of the workload's certificate.",
      ),
      text("TRUST_DOMAIN", AGENT, "cluster.local", "Trust domain of the workload's identity."),
      text("XDS_AUTH_PROVIDER", AGENT, undefined, "Provider of the credentials for the daemon."),
    ],
  },
  {
    state: {
      kind: "unsupported",
      reason: "a cloud platform's interfaces; only its metadata server is asked",
    },
    readers: AGENT,
    rows: [
      text(
        "CLOUDPLAT_QUOTA_PROJECT",
        AGENT_DAEMON,
        undefined,
        "Project whose quota is charged for requests to the cloud platform.",
      ),
    ],
  },
  {
    state: { kind: "unsupported", reason: "peer metadata" },
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
