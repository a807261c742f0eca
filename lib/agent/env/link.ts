/**
 * Variables of the connection to the daemon.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../env/mod.ts";

const readers = ["pilot-agent"] as const;

/** They, each documented at its declaration. */
export const LINK_VARIABLES: {
  readonly servedConfig: EnvVar<boolean>;
  readonly deltaXds: EnvVar<boolean>;
  readonly maxMessageBytes: EnvVar<number>;
  readonly maxStreams: EnvVar<number>;
  readonly keepaliveInterval: EnvVar<number>;
  readonly keepaliveTimeout: EnvVar<number>;
} = {
  servedConfig: declareEnv({
    name: "PROXY_CONFIG_XDS_AGENT",
    type: "bool",
    default: false,
    doc: "Ask the daemon, before the proxy is started, for the workers and variables that " +
      "ProxyConfigs give it.",
    readers,
  }),
  deltaXds: declareEnv({
    name: "MESH_DELTA_XDS",
    type: "bool",
    default: true,
    doc: "The proxy asks for its configuration by delta xDS.",
    readers,
  }),
  maxMessageBytes: declareEnv({
    name: "MESH_GPRC_MAXRECVMSGSIZE",
    type: "int",
    default: 4194304,
    range: { least: 1 },
    doc:
      "Largest message taken over gRPC, in bytes; when it is not set, the agent takes messages " +
      "of the daemon of any size.",
    readers,
  }),
  maxStreams: declareEnv({
    name: "MESH_GPRC_MAXSTREAMS",
    type: "int",
    default: 100000,
    range: { least: 1 },
    doc: "Most streams at the same time on one gRPC connection.",
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
};
