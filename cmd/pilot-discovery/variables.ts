/**
 * Environment variables that the daemon's composition reads itself.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../lib/env/mod.ts";

const readers = ["pilot-discovery"];

/** Whether the debug pages are served. */
export const ENABLE_DEBUG_ON_HTTP: EnvVar<boolean> = declareEnv({
  name: "ENABLE_DEBUG_ON_HTTP",
  type: "bool",
  default: true,
  doc: "Serve the debug pages; disable them in production.",
  readers,
});

/** Whether the debug pages that change things are served. */
export const ENABLE_ADMIN_ENDPOINTS: EnvVar<boolean> = declareEnv({
  name: "UNSAFE_ENABLE_ADMIN_ENDPOINTS",
  type: "bool",
  default: false,
  doc: "Serve debug pages that change things; not for production.",
  readers,
});

/** Where certificates are that Gateways name. */
export const MESH_CREDENTIAL_DIR: EnvVar<string | undefined> = declareEnv({
  name: "MESH_CREDENTIAL_DIR",
  type: "string",
  doc:
    "Directory of the certificates that `credentialName` names: `NAMESPACE/NAME/` with `tls.crt`, `tls.key` and `ca.crt`.",
  readers,
});

/** The pod the daemon runs in; named to proxies as who serves them. */
export const POD_NAME: EnvVar<string | undefined> = declareEnv({
  name: "POD_NAME",
  type: "string",
  doc: "Name of the own pod; the host name when it is not set.",
  readers,
});

/** Where the daemon runs; stands in for two flags. */
export const POD_NAMESPACE: EnvVar<string | undefined> = declareEnv({
  name: "POD_NAMESPACE",
  type: "string",
  doc:
    "Namespace of the own pod; by default `default` for the agent, and by its flags for the daemon.",
  readers,
});

/** Stands in for the flag `--clusterID`. */
export const CLUSTER_ID: EnvVar<string> = declareEnv({
  name: "CLUSTER_ID",
  type: "string",
  default: "Orchestrator",
  doc: "Cluster and service registry this program belongs to.",
  readers,
});

/** Stands in for the flag `--keepaliveInterval`. */
export const GRPC_KEEPALIVE_INTERVAL: EnvVar<number> = declareEnv({
  name: "GRPC_KEEPALIVE_INTERVAL",
  type: "duration",
  default: "30s",
  range: { least: 1 },
  doc: "Time without activity on a gRPC connection after which the peer is pinged.",
  readers,
});

/** Stands in for the flag `--keepaliveTimeout`. */
export const GRPC_KEEPALIVE_TIMEOUT: EnvVar<number> = declareEnv({
  name: "GRPC_KEEPALIVE_TIMEOUT",
  type: "duration",
  default: "10s",
  range: { least: 1 },
  doc: "Wait for the answer to a ping before a gRPC connection is closed.",
  readers,
});
