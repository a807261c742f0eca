/**
 * Variables of certificates and authentication, which are not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT, AGENT_DAEMON, ALL, bool, DAEMON, duration, int, text } from "./rows.ts";

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
      duration(
        "DEFAULT_WORKLOAD_CERT_TTL",
        DAEMON,
        "24h0m0s",
        "Lifetime of a certificate when the request names none.",
      ),
      bool("ENABLE_CA_SERVER", ALL, true, "Issue certificates to workloads."),
      text(
        "EXTERNAL_CA",
        DAEMON,
        undefined,
        "Kind of external authority that signs.",
        { choices: ["MESHD_RA_ORCH_API"] },
      ),
      duration(
        "MAX_WORKLOAD_CERT_TTL",
        DAEMON,
        "2160h0m0s",
        "Maximum lifetime of an issued certificate.",
      ),
      bool(
        "MESHCA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR",
        DAEMON,
        true,
        "Delay the first check of the root certificate by a random time.",
      ),
      duration(
        "MESHCA_SELF_SIGNED_CA_CERT_TTL",
        DAEMON,
        "87600h0m0s",
        "Lifetime of the self-signed root certificate.",
      ),
      int(
        "MESHCA_SELF_SIGNED_CA_RSA_KEY_SIZE",
        DAEMON,
        2048,
        "Bits of the self-signed root's RSA key.",
      ),
      duration(
        "MESHCA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL",
        DAEMON,
        "1h0m0s",
        "Interval of checks of the root's expiry; zero or less: never.",
      ),
      int(
        "MESHCA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE",
        DAEMON,
        20,
        "Percentage of the root's remaining lifetime below which it is renewed.",
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
      text(
        "ROOT_CA_DIR",
        AGENT_DAEMON,
        "./etc/cacerts",
        "Folder with certificate and key of an own authority.",
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
