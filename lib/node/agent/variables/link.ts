/**
 * Variables of the connection to the daemon.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../../kit/env/mod.ts";

const readers = ["pilot-agent"] as const;

/** The variables; each is documented at its declaration. */
export const LINK_VARIABLES: {
  readonly servedConfig: EnvVar<boolean>;
  readonly deltaXds: EnvVar<boolean>;
  readonly maxMessageBytes: EnvVar<number>;
  readonly maxStreams: EnvVar<number>;
  readonly keepaliveInterval: EnvVar<number>;
  readonly keepaliveTimeout: EnvVar<number>;
  readonly tap: EnvVar<boolean>;
  readonly tapPort: EnvVar<number>;
  readonly savedConfig: EnvVar<boolean>;
} = {
  servedConfig: declareEnv({
    name: "PROXY_CONFIG_XDS_AGENT",
    type: "bool",
    default: false,
    doc: "Request workers and variables of ProxyConfigs from the daemon before the proxy starts.",
    readers,
  }),
  deltaXds: declareEnv({
    name: "MESH_DELTA_XDS",
    type: "bool",
    default: true,
    doc: "The proxy uses delta xDS.",
    readers,
  }),
  maxMessageBytes: declareEnv({
    name: "MESH_GPRC_MAXRECVMSGSIZE",
    type: "int",
    default: 4194304,
    range: { least: 1 },
    doc:
      "Largest gRPC message that is accepted, in bytes; when it is not set, the agent accepts messages of the daemon of any size.",
    readers,
  }),
  maxStreams: declareEnv({
    name: "MESH_GPRC_MAXSTREAMS",
    type: "int",
    default: 100000,
    range: { least: 1 },
    doc: "Maximum of concurrent streams on one gRPC connection.",
    readers,
  }),
  keepaliveInterval: declareEnv({
    name: "GRPC_KEEPALIVE_INTERVAL",
    type: "duration",
    default: "30s",
    range: { least: 1 },
    doc: "Time without activity on a gRPC connection after which the peer is pinged.",
    readers,
  }),
  keepaliveTimeout: declareEnv({
    name: "GRPC_KEEPALIVE_TIMEOUT",
    type: "duration",
    default: "10s",
    range: { least: 1 },
    doc: "Wait for the answer to a ping before a gRPC connection is closed.",
    readers,
  }),
  tap: declareEnv({
    name: "PROXY_XDS_DEBUG_VIA_AGENT",
    type: "bool",
    default: true,
    doc: "Serve the daemon's debug queries on a port of loopback, the debug tap.",
    readers,
  }),
  tapPort: declareEnv({
    name: "PROXY_XDS_DEBUG_VIA_AGENT_PORT",
    type: "int",
    default: 15004,
    range: { least: 0, most: 65535 },
    doc: "Port of the debug tap; 0 is one that the system chooses.",
    readers,
  }),
  savedConfig: declareEnv({
    name: "MESH_AGENT_SAVED_CONFIG",
    type: "bool",
    default: false,
    doc:
      "Keep the configuration that the proxy accepted in a file, and serve it to a proxy that starts while the daemon is away.",
    readers,
  }),
};
