/**
 * Variables of certificates and authentication, which are not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT, AGENT_DAEMON, ALL, bool, DAEMON, text } from "./rows.ts";

/** Variables of certificates and authentication, which are not implemented. */
export const SECURITY: readonly IneffectiveGroup[] = [
  {
    state: { kind: "unsupported", reason: "the certificate authority" },
    readers: DAEMON,
    rows: [
      text(
        "CA_TRUSTED_NODE_ACCOUNTS",
        ALL,
        undefined,
        "Service accounts whose proxies may request certificates for workloads on their node, separated by commas.",
      ),
      text(
        "CERT_SIGNER_DOMAIN",
        ALL,
        undefined,
        "Domain of the signers that certificate requests may name.",
      ),
      {
        ...text(
          "COMPLIANCE_POLICY",
          ALL,
          undefined,
          "Policy that restricts TLS versions and ciphers everywhere; empty: none.",
        ),
        choices: ["fips-140-2"],
      },
      {
        ...text("EXTERNAL_CA", DAEMON, undefined, "Kind of external authority that signs."),
        choices: ["MESHD_RA_ORCH_API"],
      },
      text(
        "MESHD_CUSTOM_HOST",
        ALL,
        undefined,
        "Further host names in the daemon's own certificate, separated by commas.",
      ),
      text("ORCH_SIGNER", DAEMON, undefined, "Kind of the orchestrator's signer."),
      text(
        "PILOT_CERT_PROVIDER",
        AGENT_DAEMON,
        "meshd",
        "Signer of the daemon's own certificate: meshd, or orch.io/ with the name of a signer.",
      ),
      bool(
        "USE_CACERTS_FOR_SELF_SIGNED_CA",
        AGENT,
        false,
        "Store the self-signed root in a secret named cacerts.",
      ),
      bool(
        "USE_REMOTE_CERTS",
        AGENT_DAEMON,
        false,
        "Let an external daemon load the authority's certificates from the configuration's cluster.",
      ),
    ],
  },
];
