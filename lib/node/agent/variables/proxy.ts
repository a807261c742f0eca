/**
 * Variables of the proxy that the agent runs.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../../kit/env/mod.ts";

const readers = ["pilot-agent"] as const;

/** The variables; each is documented at its declaration. */
export const PROXY_VARIABLES: {
  readonly proxyConfig: EnvVar<string | undefined>;
  readonly bootstrapTemplate: EnvVar<string | undefined>;
  readonly bootstrapOverride: EnvVar<string | undefined>;
  readonly disabled: EnvVar<boolean>;
  readonly grpcBootstrap: EnvVar<string>;
  readonly exitOnZeroConnections: EnvVar<boolean>;
  readonly minimumDrain: EnvVar<number>;
  readonly stripFragment: EnvVar<boolean>;
  readonly bypassOverload: EnvVar<boolean>;
  readonly deferredClusters: EnvVar<boolean>;
} = {
  proxyConfig: declareEnv({
    name: "PROXY_CONFIG",
    type: "string",
    doc: "Proxy configuration as YAML or JSON, merged over the mesh configuration's defaultConfig.",
    readers,
  }),
  bootstrapTemplate: declareEnv({
    name: "MESH_BOOTSTRAP",
    type: "string",
    doc: "Bootstrap template; wins over all other settings of one.",
    readers,
  }),
  bootstrapOverride: declareEnv({
    name: "MESH_BOOTSTRAP_OVERRIDE",
    type: "string",
    doc: "File whose content the proxy merges over its bootstrap file.",
    readers,
  }),
  grpcBootstrap: declareEnv({
    name: "GRPC_XDS_BOOTSTRAP",
    type: "string",
    default: "etc/mesh/proxy/grpc-bootstrap.json",
    doc: "File that gRPC programs read to find the agent; the agent writes it if this is set.",
    readers,
  }),
  disabled: declareEnv({
    name: "DISABLE_DATAPROXY",
    type: "bool",
    default: false,
    doc: "Run without a data-plane proxy.",
    readers,
  }),
  exitOnZeroConnections: declareEnv({
    name: "EXIT_ON_ZERO_ACTIVE_CONNECTIONS",
    type: "bool",
    default: false,
    doc: "While draining, end the proxy when it has no connection left.",
    readers,
  }),
  minimumDrain: declareEnv({
    name: "MINIMUM_DRAIN_DURATION",
    type: "duration",
    default: "5s",
    range: { least: 0 },
    doc: "Wait before connections are counted while draining.",
    readers,
  }),
  stripFragment: declareEnv({
    name: "HTTP_STRIP_FRAGMENT_FROM_PATH_UNSAFE_IF_DISABLED",
    type: "bool",
    default: true,
    doc:
      "Remove the fragment of a path before rules match it; otherwise the proxy refuses such requests.",
    readers,
  }),
  bypassOverload: declareEnv({
    name: "BYPASS_OVERLOAD_MANAGER_FOR_STATIC_LISTENERS",
    type: "bool",
    default: true,
    doc: "The overload manager leaves the health and metrics listeners alone.",
    readers,
  }),
  deferredClusters: declareEnv({
    name: "ENABLE_DEFERRED_CLUSTER_CREATION",
    type: "bool",
    default: true,
    doc: "The proxy's workers create a cluster when it is first used.",
    readers,
  }),
};
