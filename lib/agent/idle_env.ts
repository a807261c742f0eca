/**
 * Variables of the agent's reference that do not act yet.
 *
 * @module
 */
import { envText } from "../env/mod.ts";

/** By the part of the agent that will read them. */
const NOT_ACTING: Readonly<Record<string, readonly string[]>> = {
  "certificates": [
    "CA_ADDR",
    "CA_PROVIDER",
    "CA_ROOT_CA",
    "CREDENTIAL_FETCHER_TYPE",
    "CREDENTIAL_IDENTITY_PROVIDER",
    "ECC_CURVE",
    "ECC_SIGNATURE_ALGORITHM",
    "FILE_MOUNTED_CERTS",
    "JWT_POLICY",
    "MESHD_SAN",
    "MESH_MULTIROOT_MESH",
    "OUTPUT_CERTS",
    "PROV_CERT",
    "SECRET_GRACE_PERIOD_RATIO",
    "SECRET_GRACE_PERIOD_RATIO_JITTER",
    "SECRET_TTL",
    "TRUST_DOMAIN",
    "WORKLOAD_IDENTITY_SOCKET_FILE",
    "WORKLOAD_RSA_KEY_SIZE",
    "XDS_AUTH_PROVIDER",
    "XDS_ROOT_CA",
  ],
  "the DNS proxy": [
    "DNS_FORWARD_PARALLEL",
    "DNS_PROXY_ADDR",
    "MESH_META_DNS_CAPTURE",
    "MESH_META_ENABLE_DNS_SERVER",
  ],
  "application probes": [
    "ENABLE_PROBE_KEEPALIVE_CONNECTIONS",
    "MESH_ENABLE_HTTP2_PROBING",
    "MESH_ORCH_APP_PROBERS",
    "REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION",
  ],
  "Wasm modules": [
    "MESH_AGENT_ENABLE_WASM_REMOTE_LOAD_CONVERSION",
    "WASM_HTTP_REQUEST_MAX_RETRIES",
    "WASM_HTTP_REQUEST_TIMEOUT",
    "WASM_INSECURE_REGISTRIES",
    "WASM_MODULE_EXPIRY",
    "WASM_PURGE_INTERVAL",
  ],
  "the debug tap": ["PROXY_XDS_DEBUG_VIA_AGENT", "PROXY_XDS_DEBUG_VIA_AGENT_PORT"],
  "proxyless clients": ["GRPC_XDS_BOOTSTRAP"],
  "dynamic proxy configuration": ["PROXY_CONFIG_XDS_AGENT"],
  "cloud platforms": ["CLOUD_PLATFORM", "CLOUDPLAT_METADATA", "CLOUDPLAT_QUOTA_PROJECT"],
  "core dumps": ["MESH_DATAPROXY_ENABLE_CORE_DUMP"],
  "peer metadata": ["PEER_METADATA_DISCOVERY"],
};

/** A variable that is set and does nothing. */
export interface IdleVariable {
  readonly name: string;
  /** The part of the agent it belongs to. */
  readonly part: string;
}

/** The variables that are set in the environment and do not act, sorted by name. */
export function idleVariables(): IdleVariable[] {
  return Object.entries(NOT_ACTING)
    .flatMap(([part, names]) => names.map((name) => ({ name, part })))
    .filter(({ name }) => (envText(name) ?? "") !== "")
    .sort((a, b) => a.name < b.name ? -1 : 1);
}
