/**
 * Variables of the agent that wait for what it does not do yet.
 *
 * @module
 */
import type { IdleTheme } from "../idle.ts";
import { AGENT, AGENT_DAEMON, ALL, bool, duration, float, int, MESHCTL, text } from "./rows.ts";

/** Variables of the agent that wait for what it does not do yet. */
export const NODE: readonly IdleTheme[] = [
  {
    state: { kind: "later", reason: "certificates handed out by the agent" },
    readers: AGENT,
    rows: [
      text(
        "CA_ADDR",
        AGENT,
        undefined,
        "Address of the certificate authority; that of discovery when it is not set.",
      ),
      text("CA_PROVIDER", AGENT, "MeshCA", "Which authority signs."),
      text(
        "CA_ROOT_CA",
        AGENT,
        undefined,
        "File of the root certificate that the authority's connection is verified with.",
      ),
      text("CREDENTIAL_FETCHER_TYPE", AGENT, "JWT", "How the agent comes by its credentials."),
      text(
        "CREDENTIAL_IDENTITY_PROVIDER",
        AGENT,
        "CloudVmPlatform",
        "Who vouches for the credentials.",
      ),
      text("ECC_CURVE", AGENT, "P256", "Curve of keys of the algorithm ECDSA.", {
        choices: ["P256", "P384"],
      }),
      text(
        "ECC_SIGNATURE_ALGORITHM",
        AGENT,
        undefined,
        "Algorithm of keys of elliptic curves; RSA keys when it is not set.",
        { choices: ["ECDSA"] },
      ),
      duration(
        "FILE_DEBOUNCE_DURATION",
        AGENT,
        "100ms",
        "Quiet time after a file has changed before it is read.",
      ),
      bool(
        "FILE_MOUNTED_CERTS",
        AGENT,
        false,
        "Certificates are files that somebody else keeps, and the agent asks no authority.",
      ),
      text("JWT_POLICY", AGENT, "third-party-jwt", "Which kind of token the agent shows."),
      text(
        "MESHD_SAN",
        AGENT,
        undefined,
        "Name that the daemon's certificate must have, where the address does not tell.",
      ),
      text(
        "MESH_META_CERT_SIGNER",
        AGENT,
        undefined,
        "Signer that the workload's certificate is asked of.",
      ),
      text(
        "OUTPUT_CERTS",
        AGENT,
        undefined,
        "Folder that key and certificate are written to; not written when it is empty.",
      ),
      bool("PKCS8_KEY", AGENT_DAEMON, false, "Write private keys in the form PKCS #8."),
      text(
        "PROV_CERT",
        AGENT,
        undefined,
        "Folder of a certificate that the machine was given, shown to get another one.",
      ),
      float(
        "SECRET_GRACE_PERIOD_RATIO",
        AGENT,
        0.5,
        "Part of a certificate's life that is left when it is renewed.",
      ),
      float(
        "SECRET_GRACE_PERIOD_RATIO_JITTER",
        AGENT,
        0.01,
        "How far that part varies at random, so that not all are renewed at once.",
      ),
      duration("SECRET_TTL", AGENT, "24h0m0s", "Life that is asked for a certificate."),
      text("TRUST_DOMAIN", AGENT, "cluster.local", "Trust domain of the workload's identity."),
      text(
        "WORKLOAD_IDENTITY_SOCKET_FILE",
        AGENT,
        "socket",
        "Name of the socket of another provider of certificates, used when it is there.",
      ),
      int("WORKLOAD_RSA_KEY_SIZE", AGENT, 2048, "Bits of the workload's RSA key."),
      text("XDS_AUTH_PROVIDER", AGENT, undefined, "Who gives the credentials for the daemon."),
      text(
        "XDS_ROOT_CA",
        AGENT,
        undefined,
        "File of the root certificate that the daemon's connection is verified with.",
      ),
    ],
  },
  {
    state: { kind: "later", reason: "the agent's DNS proxy" },
    readers: AGENT,
    rows: [
      bool(
        "DNS_FORWARD_PARALLEL",
        AGENT,
        false,
        "Ask all nameservers at once and take the first answer.",
      ),
      text("DNS_PROXY_ADDR", AGENT, "localhost:15053", "Address of the DNS proxy."),
      bool("MESH_META_DNS_CAPTURE", AGENT, false, "Capture DNS queries and answer them."),
      bool(
        "MESH_META_ENABLE_DNS_SERVER",
        AGENT,
        false,
        "Answer DNS queries without capturing any.",
      ),
    ],
  },
  {
    state: { kind: "later", reason: "application probes" },
    readers: AGENT,
    rows: [
      bool(
        "ENABLE_PROBE_KEEPALIVE_CONNECTIONS",
        AGENT_DAEMON,
        false,
        "Keep the connection to the application between two probes.",
      ),
      bool("MESH_ENABLE_HTTP2_PROBING", AGENT_DAEMON, true, "Let HTTPS probes speak HTTP/2."),
      text(
        "MESH_ORCH_APP_PROBERS",
        AGENT,
        undefined,
        "The application's probes, as JSON, that the agent makes in its place.",
      ),
      bool(
        "REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION",
        AGENT,
        false,
        "Send probes to localhost instead of the pod's address.",
      ),
    ],
  },
  {
    state: { kind: "later", reason: "Wasm modules" },
    readers: AGENT,
    rows: [
      bool(
        "MESH_AGENT_ENABLE_WASM_REMOTE_LOAD_CONVERSION",
        ALL,
        true,
        "Fetch Wasm modules for the proxy and hand it local files.",
      ),
      int("WASM_HTTP_REQUEST_MAX_RETRIES", AGENT, 5, "How often fetching a module is tried again."),
      duration("WASM_HTTP_REQUEST_TIMEOUT", AGENT, "15s", "Time for one try of fetching a module."),
      text(
        "WASM_INSECURE_REGISTRIES",
        AGENT,
        undefined,
        "Registries and hosts that modules may come from without verification, separated by commas.",
      ),
      duration(
        "WASM_MODULE_EXPIRY",
        AGENT,
        "24h0m0s",
        "How long a module that nobody uses is kept.",
      ),
      duration(
        "WASM_PURGE_INTERVAL",
        AGENT,
        "1h0m0s",
        "Time between two looks for modules to throw away.",
      ),
    ],
  },
  {
    state: { kind: "later", reason: "the debug tap" },
    readers: AGENT,
    rows: [
      bool(
        "PROXY_XDS_DEBUG_VIA_AGENT",
        AGENT,
        true,
        "Offer the daemon's debug API at a port of the agent.",
      ),
      int("PROXY_XDS_DEBUG_VIA_AGENT_PORT", AGENT, 15004, "Port of the debug tap."),
    ],
  },
  {
    state: { kind: "later", reason: "the agent's bootstrap file for gRPC clients" },
    readers: AGENT,
    rows: [
      text(
        "GRPC_XDS_BOOTSTRAP",
        AGENT,
        "etc/mesh/proxy/grpc-bootstrap.json",
        "File that gRPC clients read to find the agent.",
      ),
    ],
  },
  {
    state: { kind: "later", reason: "cloud platforms" },
    readers: AGENT,
    rows: [
      text(
        "CLOUDPLAT_METADATA",
        AGENT_DAEMON,
        undefined,
        "What is known of the cloud platform: project, project number, cluster and zone, separated by vertical bars.",
      ),
      text(
        "CLOUDPLAT_QUOTA_PROJECT",
        AGENT_DAEMON,
        undefined,
        "Project whose quota requests to the cloud platform count against.",
      ),
      text(
        "CLOUD_PLATFORM",
        AGENT_DAEMON,
        undefined,
        "The cloud platform, or none; found out when it is not set.",
        { choices: ["aws", "azure", "gcp", "none"] },
      ),
    ],
  },
  {
    state: { kind: "later", reason: "core dumps" },
    readers: AGENT,
    rows: [
      bool("MESH_DATAPROXY_ENABLE_CORE_DUMP", AGENT, false, "Let the proxy leave a core dump."),
    ],
  },
  {
    state: { kind: "later", reason: "peer metadata" },
    readers: AGENT,
    rows: [
      bool("PEER_METADATA_DISCOVERY", AGENT, false, "Let the proxy find out who its peers are."),
    ],
  },
  {
    state: { kind: "later", reason: "commands of meshctl that talk to control planes" },
    readers: MESHCTL,
    rows: [
      text("MESHCTL_AUTHORITY", MESHCTL, undefined, "Preset of --authority."),
      text("MESHCTL_CERT_DIR", MESHCTL, undefined, "Preset of --cert-dir."),
      bool("MESHCTL_INSECURE", MESHCTL, false, "Preset of --insecure."),
      bool("MESHCTL_PLAINTEXT", MESHCTL, false, "Preset of --plaintext."),
      bool(
        "MESHCTL_PREFER_EXPERIMENTAL",
        MESHCTL,
        false,
        "Run the experimental form of a command where there is one.",
      ),
      text("MESHCTL_XDS_ADDRESS", MESHCTL, undefined, "Preset of --xds-address."),
      int("MESHCTL_XDS_PORT", MESHCTL, 15012, "Preset of --xds-port."),
    ],
  },
];
