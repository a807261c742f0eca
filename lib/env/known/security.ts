/**
 * Variables of the daemon that wait for certificates and authentication.
 *
 * @module
 */
import type { IdleTheme } from "../idle.ts";
import { AGENT, AGENT_DAEMON, ALL, bool, DAEMON, duration, int, text } from "./rows.ts";

/** Variables of the daemon that wait for certificates and authentication. */
export const SECURITY: readonly IdleTheme[] = [
  {
    state: { kind: "later", reason: "the certificate authority" },
    readers: DAEMON,
    rows: [
      text(
        "CA_TRUSTED_NODE_ACCOUNTS",
        ALL,
        undefined,
        "Service accounts whose proxies may ask for certificates of workloads on their node, separated by commas.",
      ),
      text(
        "CERT_SIGNER_DOMAIN",
        ALL,
        undefined,
        "Domain of the signers that requests for certificates may name.",
      ),
      text(
        "COMPLIANCE_POLICY",
        ALL,
        undefined,
        "Policy that bounds TLS versions and ciphers everywhere; empty: no bound.",
        { choices: ["fips-140-2"] },
      ),
      duration(
        "DEFAULT_WORKLOAD_CERT_TTL",
        DAEMON,
        "24h0m0s",
        "Life of a certificate when the request names none.",
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
        "Longest life of a certificate that is issued.",
      ),
      bool(
        "MESHCA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR",
        DAEMON,
        true,
        "Check the root certificate after a random time first, so that replicas differ.",
      ),
      duration(
        "MESHCA_SELF_SIGNED_CA_CERT_TTL",
        DAEMON,
        "87600h0m0s",
        "Life of the self-signed root certificate.",
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
        "Time between two looks at the root's expiry; zero or less: never.",
      ),
      int(
        "MESHCA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE",
        DAEMON,
        20,
        "Percent of the root's life that must be left, or it is renewed.",
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
        "Who signs the daemon's own certificate: meshd, or orch.io/ and the name of a signer.",
      ),
      text(
        "ROOT_CA_DIR",
        AGENT_DAEMON,
        "./etc/cacerts",
        "Folder in which certificate and key of an own authority are mounted.",
      ),
      bool(
        "USE_CACERTS_FOR_SELF_SIGNED_CA",
        AGENT,
        false,
        "Keep the self-signed root in a secret named cacerts.",
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
    state: { kind: "later", reason: "authentication of callers" },
    readers: DAEMON,
    rows: [
      text("AUDIENCE", DAEMON, undefined, "Audience that tokens of callers must name."),
      text(
        "JWT_RULE",
        DAEMON,
        undefined,
        "Rule, as JSON, by which the daemon checks tokens of callers.",
      ),
      bool(
        "PILOT_ENABLE_XDS_IDENTITY_CHECK",
        AGENT_DAEMON,
        true,
        "Let a proxy act only for the namespace that its credentials name.",
      ),
      text(
        "TOKEN_AUDIENCES",
        AGENT,
        "mesh-ca",
        "Audiences of which a token must name one, separated by commas.",
      ),
      text(
        "TOKEN_ISSUER",
        AGENT_DAEMON,
        undefined,
        "Issuer that OIDC tokens must name; not checked when it is empty.",
      ),
      text(
        "TRUSTED_GATEWAY_CIDR",
        AGENT,
        undefined,
        "Addresses of gateways whose headers about the caller are believed.",
      ),
      bool("XDS_AUTH", AGENT, true, "Authenticate clients of xDS."),
      bool(
        "XDS_AUTH_PLAINTEXT",
        AGENT,
        false,
        "Authenticate clients of xDS that come without TLS; for networks that are trusted.",
      ),
    ],
  },
];
