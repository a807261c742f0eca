/**
 * Environment variables of authentication.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../kit/env/mod.ts";

const readers = ["pilot-discovery"] as const;

/** Rule for tokens. */
export const JWT_RULE: EnvVar<string | undefined> = declareEnv({
  name: "JWT_RULE",
  type: "string",
  doc:
    "Rule for tokens of callers: JSON with `issuer`, `jwksUri` (by default from the issuer's OpenID configuration) and `audiences`. Without it, tokens are not accepted.",
  readers,
});

export const TOKEN_ISSUER: EnvVar<string | undefined> = declareEnv({
  name: "TOKEN_ISSUER",
  type: "string",
  doc: "Issuer that tokens must have, instead of the one in `JWT_RULE`.",
  readers,
});

/** Audience of tokens. */
export const AUDIENCE: EnvVar<string | undefined> = declareEnv({
  name: "AUDIENCE",
  type: "string",
  doc: "Audience that tokens must have when `JWT_RULE` names none.",
  readers,
});

export const TOKEN_AUDIENCES: EnvVar<string> = declareEnv({
  name: "TOKEN_AUDIENCES",
  type: "string",
  default: "mesh-ca",
  doc:
    "Audiences, separated by commas. An agent requests tokens of the platform for the first one; a daemon takes tokens that have one of them when neither `JWT_RULE` nor `AUDIENCE` names any.",
  readers,
});

/** Addresses of gateways. */
export const TRUSTED_GATEWAY_CIDR: EnvVar<string | undefined> = declareEnv({
  name: "TRUSTED_GATEWAY_CIDR",
  type: "string",
  doc:
    "Addresses of gateways, CIDR separated by commas, whose header `x-forwarded-client-cert` authenticates callers.",
  readers,
});

/** True: clients of xDS are authenticated. */
export const XDS_AUTH: EnvVar<boolean> = declareEnv({
  name: "XDS_AUTH",
  type: "bool",
  default: true,
  doc: "Authenticate clients of xDS on the secured port.",
  readers,
});

/** True: also those without TLS. */
export const XDS_AUTH_PLAINTEXT: EnvVar<boolean> = declareEnv({
  name: "XDS_AUTH_PLAINTEXT",
  type: "bool",
  default: false,
  doc: "Authenticate clients of xDS on the plain port, too.",
  readers,
});

/** True: proxies are what they say only if their credentials say so. */
export const PILOT_ENABLE_XDS_IDENTITY_CHECK: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_XDS_IDENTITY_CHECK",
  type: "bool",
  default: true,
  doc:
    "Accept an authenticated proxy only for the namespace and service account of its credentials.",
  readers,
});

/** Service accounts that read credentials. */
export const MESH_CREDENTIAL_ACCOUNTS: EnvVar<string> = declareEnv({
  name: "MESH_CREDENTIAL_ACCOUNTS",
  type: "string",
  default: "",
  doc:
    "Service accounts, `NAMESPACE/ACCOUNT` separated by commas, whose authenticated proxies receive the credentials of their namespace that `credentialName` names; `*` stands for every namespace or account. Empty: with an orchestrator, accounts that may list the secrets of their namespace; without one, all authenticated proxies.",
  readers,
});

/** True: clients on the daemon's machine read credentials without an identity. */
export const MESH_CREDENTIAL_ANONYMOUS: EnvVar<boolean> = declareEnv({
  name: "MESH_CREDENTIAL_ANONYMOUS",
  type: "bool",
  default: false,
  doc:
    "Send the credentials that `credentialName` names to clients on the daemon's own machine that are not authenticated, for every namespace that they claim; each program of the machine can then read the keys. Ineffective with an orchestrator, and with `MESH_CREDENTIAL_ACCOUNTS`.",
  readers,
});

/** Accounts of node agents. */
export const CA_TRUSTED_NODE_ACCOUNTS: EnvVar<string | undefined> = declareEnv({
  name: "CA_TRUSTED_NODE_ACCOUNTS",
  type: "string",
  doc:
    "Service accounts of node agents, `NAMESPACE/ACCOUNT` separated by commas, which may request certificates for identities of pods on their own node. Needs an orchestrator.",
  readers,
});

/** The audiences when the rule names none. */
export function audiences(): string[] {
  const text = AUDIENCE.get() || TOKEN_AUDIENCES.get();
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}
