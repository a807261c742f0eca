/**
 * Environment variables of listeners.
 *
 * @module
 */
import { declareEnv } from "../../../kit/env/mod.ts";
import type { Features } from "../../translate/mod.ts";

const readers = ["pilot-discovery"] as const;

const PILOT_HTTP10 = declareEnv({
  name: "PILOT_HTTP10",
  type: "bool",
  default: false,
  doc: "Allow HTTP/1.0 in outbound HTTP listeners.",
  readers,
});

const PILOT_SIDECAR_USE_REMOTE_ADDRESS = declareEnv({
  name: "PILOT_SIDECAR_USE_REMOTE_ADDRESS",
  type: "bool",
  default: false,
  doc: "Set use_remote_address on the outbound listeners of sidecars.",
  readers,
});

const ENABLE_100_CONTINUE_HEADERS = declareEnv({
  name: "ENABLE_100_CONTINUE_HEADERS",
  type: "bool",
  default: true,
  doc: "Proxy 100-continue headers unchanged.",
  readers,
});

const ENABLE_HCM_INTERNAL_NETWORKS = declareEnv({
  name: "ENABLE_HCM_INTERNAL_NETWORKS",
  type: "bool",
  default: false,
  doc: "Treat addresses of the mesh networks as internal in HTTP listeners.",
  readers,
});

const MESH_ENABLE_IPV4_OUTBOUND_LISTENER_FOR_IPV6_CLUSTERS = declareEnv({
  name: "MESH_ENABLE_IPV4_OUTBOUND_LISTENER_FOR_IPV6_CLUSTERS",
  type: "bool",
  default: false,
  doc: "Listen for IPv4 destinations in clusters that have only IPv6.",
  readers,
});

const MESH_DUAL_STACK = declareEnv({
  name: "MESH_DUAL_STACK",
  type: "bool",
  default: false,
  doc: "Support workloads with IPv4 and IPv6 addresses.",
  readers,
});

const PILOT_ENABLE_DOCDB_FILTER = declareEnv({
  name: "PILOT_ENABLE_DOCDB_FILTER",
  type: "bool",
  default: true,
  doc: "Add the filter for the document database's protocol.",
  readers,
});

const PILOT_ENABLE_KVSTORE_FILTER = declareEnv({
  name: "PILOT_ENABLE_KVSTORE_FILTER",
  type: "bool",
  default: false,
  doc: "Add the filter for the key-value store's protocol.",
  readers,
});

const PILOT_ENABLE_QUIC_LISTENERS = declareEnv({
  name: "PILOT_ENABLE_QUIC_LISTENERS",
  type: "bool",
  default: false,
  doc:
    "Listen for QUIC where a gateway terminates TLS and its service has a UDP port of that number.",
  readers,
});

const ENABLE_TLS_ON_SIDECAR_INGRESS = declareEnv({
  name: "ENABLE_TLS_ON_SIDECAR_INGRESS",
  type: "bool",
  default: false,
  doc: "Use the tls settings of a Sidecar's ingress listeners.",
  readers,
});

const PILOT_ALLOW_SIDECAR_SERVICE_INBOUND_LISTENER_MERGE = declareEnv({
  name: "PILOT_ALLOW_SIDECAR_SERVICE_INBOUND_LISTENER_MERGE",
  type: "bool",
  default: false,
  doc: "Keep listeners of service ports beside those that a Sidecar resource names.",
  readers,
});

const PILOT_ENABLE_ALPN_FILTER = declareEnv({
  name: "PILOT_ENABLE_ALPN_FILTER",
  type: "bool",
  default: true,
  doc:
    "Add the filters that announce detected HTTP in mutual TLS handshakes, for ports without a declared protocol.",
  readers,
});

/** Switches that are read here. */
type ListenersFeatures = Pick<
  Features,
  | "http10"
  | "tlsOnIngress"
  | "ingressBesideServices"
  | "announceDetectedHttp"
  | "quicListeners"
  | "proxy100Continue"
  | "internalNetworks"
  | "dualStack"
  | "ipv4Outbound"
  | "documentFilter"
  | "keyValueFilter"
  | "sidecarUseRemoteAddress"
>;

/** Reads them; throws `MeshError` for a value that cannot be read. */
export function readListeners(): ListenersFeatures {
  return {
    http10: PILOT_HTTP10.get(),
    tlsOnIngress: ENABLE_TLS_ON_SIDECAR_INGRESS.get(),
    ingressBesideServices: PILOT_ALLOW_SIDECAR_SERVICE_INBOUND_LISTENER_MERGE.get(),
    announceDetectedHttp: PILOT_ENABLE_ALPN_FILTER.get(),
    quicListeners: PILOT_ENABLE_QUIC_LISTENERS.get(),
    proxy100Continue: ENABLE_100_CONTINUE_HEADERS.get(),
    internalNetworks: ENABLE_HCM_INTERNAL_NETWORKS.get(),
    dualStack: MESH_DUAL_STACK.get(),
    ipv4Outbound: MESH_ENABLE_IPV4_OUTBOUND_LISTENER_FOR_IPV6_CLUSTERS.get(),
    documentFilter: PILOT_ENABLE_DOCDB_FILTER.get(),
    keyValueFilter: PILOT_ENABLE_KVSTORE_FILTER.get(),
    sidecarUseRemoteAddress: PILOT_SIDECAR_USE_REMOTE_ADDRESS.get(),
  };
}
