/**
 * Environment variables of authentication and authorization.
 *
 * @module
 */
import { MeshError } from "../../../kit/base/mod.ts";
import { declareEnv } from "../../../kit/env/mod.ts";
import { COMPLIANCE_POLICY } from "../../../kit/pki/mod.ts";
import type { Features } from "../../translate/mod.ts";

const readers = ["pilot-discovery"] as const;

const ENABLE_SELECTOR_BASED_K8S_GATEWAY_POLICY = declareEnv({
  name: "ENABLE_SELECTOR_BASED_K8S_GATEWAY_POLICY",
  type: "bool",
  default: true,
  doc:
    "Policies that select workloads by labels apply to Gateway API gateways too; otherwise only those with a targetRef do.",
  readers,
});

const PILOT_SKIP_VALIDATE_TRUST_DOMAIN = declareEnv({
  name: "PILOT_SKIP_VALIDATE_TRUST_DOMAIN",
  type: "bool",
  default: false,
  doc: "Accept clients of any trust domain that the authorities sign.",
  readers,
});

const PILOT_JWT_ENABLE_REMOTE_JWKS = declareEnv({
  name: "PILOT_JWT_ENABLE_REMOTE_JWKS",
  type: "string",
  default: "false",
  doc:
    "What fetches the keys of a jwksUri: the daemon (false, meshd); the proxy for services of the mesh and the daemon otherwise (true, hybrid); the proxy (dataproxy).",
  readers,
});

const MESH_MULTIROOT_MESH = declareEnv({
  name: "MESH_MULTIROOT_MESH",
  type: "bool",
  default: false,
  doc: "Serve the authorities of the mesh configuration (caCertificates) to agents.",
  readers,
});

const REMOTE_KEYS: Readonly<Record<string, Features["remoteKeys"]>> = {
  false: "daemon",
  meshd: "daemon",
  true: "hybrid",
  hybrid: "hybrid",
  dataproxy: "proxy",
};

function remoteKeys(): Features["remoteKeys"] {
  const text = PILOT_JWT_ENABLE_REMOTE_JWKS.get();
  const known = Object.hasOwn(REMOTE_KEYS, text) ? REMOTE_KEYS[text] : undefined;
  if (known !== undefined) return known;
  const forms = Object.keys(REMOTE_KEYS).join(", ");
  throw new MeshError("env-value", `PILOT_JWT_ENABLE_REMOTE_JWKS is ${JSON.stringify(text)}`, {
    remedy: `Set it to one of ${forms}, or remove it.`,
  });
}

/** Switches that are read here. */
type SecurityFeatures = Pick<
  Features,
  "selectorsForApiGateways" | "checkTrustDomain" | "remoteKeys" | "multiRoot" | "fips"
>;

/** Reads them; throws `MeshError` for a value that cannot be read. */
export function readSecurity(): SecurityFeatures {
  return {
    selectorsForApiGateways: ENABLE_SELECTOR_BASED_K8S_GATEWAY_POLICY.get(),
    checkTrustDomain: !PILOT_SKIP_VALIDATE_TRUST_DOMAIN.get(),
    remoteKeys: remoteKeys(),
    multiRoot: MESH_MULTIROOT_MESH.get(),
    fips: COMPLIANCE_POLICY.get() !== undefined && COMPLIANCE_POLICY.get() !== "",
  };
}
