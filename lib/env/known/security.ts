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
      text(
        "COMPLIANCE_POLICY",
        ALL,
        undefined,
        "Policy that restricts TLS versions and ciphers everywhere; empty: none.",
        { choices: ["fips-140-2"] },
      ),
      text(
        "EXTERNAL_CA",
        DAEMON,
        undefined,
        "Kind of external authority that signs.",
        { choices: ["MESHD_RA_ORCH_API"] },
      ),
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
  {
    state: { kind: "unsupported", reason: "authentication of callers" },
    readers: DAEMON,
    rows: [
      text("AUDIENCE", DAEMON, undefined, "Audience that tokens of callers must have."),
      text(
        "JWT_RULE",
        DAEMON,
        undefined,
        "Rule, as JSON, for tokens of callers.",
      ),
      bool(
        "PILOT_ENABLE_XDS_IDENTITY_CHECK",
        AGENT_DAEMON,
        true,
        "Accept a proxy only for the namespace in its credentials.",
      ),
      text(
        "TOKEN_AUDIENCES",
        AGENT,
        "mesh-ca",
        "Accepted audiences of tokens, separated by commas.",
      ),
      text(
        "TOKEN_ISSUER",
        AGENT_DAEMON,
        undefined,
        "Issuer that OIDC tokens must have; not checked when it is empty.",
      ),
      text(
        "TRUSTED_GATEWAY_CIDR",
        AGENT,
        undefined,
        "Addresses of gateways whose headers about the caller are trusted.",
      ),
      bool("XDS_AUTH", AGENT, true, "Authenticate clients of xDS."),
      bool(
        "XDS_AUTH_PLAINTEXT",
        AGENT,
        false,
        "Authenticate clients of xDS without TLS; for trusted networks.",
      ),
    ],
  },
];
