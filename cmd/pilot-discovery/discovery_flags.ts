import { type FlagSpec, INTROSPECTION_FLAGS, LOG_FLAGS } from "../../lib/kit/cli/mod.ts";
import {
  CLUSTER_ID,
  GRPC_KEEPALIVE_INTERVAL,
  GRPC_KEEPALIVE_TIMEOUT,
  POD_NAMESPACE,
} from "./variables.ts";

const ADDRESS = "as host:port or :port";

/** The flags of `pilot-discovery discovery`, without `--vklog`, which is global. */
export const DISCOVERY_FLAGS: readonly FlagSpec[] = [
  {
    name: "caCertFile",
    type: "string",
    complete: "file",
    description: "File with the x509 certificate of the server's CA",
  },
  {
    name: "clusterAliases",
    type: "stringMap",
    description: "Alias names of clusters, as alias=cluster",
  },
  {
    name: "clusterID",
    type: "string",
    default: "Orchestrator",
    env: CLUSTER_ID.name,
    description: "ID of the cluster that this daemon resides in",
  },
  {
    name: "clusterRegistriesNamespace",
    type: "string",
    default: "mesh-system",
    description: "Namespace of the secrets that name remote clusters",
  },
  {
    name: "cniNamespace",
    type: "string",
    default: "mesh-system",
    env: POD_NAMESPACE.name,
    description: "Namespace where the CNI agent resides",
  },
  {
    name: "configDir",
    type: "string",
    complete: "directory",
    description: "Directory to watch for configuration in YAML files",
  },
  ...INTROSPECTION_FLAGS,
  {
    name: "domain",
    type: "string",
    default: "cluster.local",
    description: "DNS domain suffix",
  },
  {
    name: "grpcAddr",
    type: "string",
    default: ":15010",
    description: `Plain discovery gRPC address, ${ADDRESS}; empty switches it off`,
  },
  {
    name: "httpAddr",
    type: "string",
    default: ":8080",
    description: `Discovery HTTP address, ${ADDRESS}; empty switches it off`,
  },
  {
    name: "httpsAddr",
    type: "string",
    default: ":15017",
    description: `Injection and validation HTTPS address, ${ADDRESS}`,
  },
  {
    name: "keepaliveInterval",
    type: "duration",
    default: "30s",
    env: GRPC_KEEPALIVE_INTERVAL.name,
    description: "Time without activity after which a peer is pinged",
  },
  {
    name: "keepaliveMaxServerConnectionAge",
    type: "duration",
    default: "2562047h47m16.854775807s",
    defaultText: "never",
    description: "Age at which a server connection is closed gracefully",
  },
  {
    name: "keepaliveTimeout",
    type: "duration",
    default: "10s",
    env: GRPC_KEEPALIVE_TIMEOUT.name,
    description: "Wait for an answer to a ping before the connection is closed",
  },
  ...LOG_FLAGS,
  {
    name: "meshConfig",
    type: "string",
    default: "./etc/mesh/config/mesh",
    complete: "file",
    description: "File with the mesh configuration; built-in defaults hold when it is not there",
  },
  {
    name: "monitoringAddr",
    type: "string",
    default: ":15014",
    description: `Self-monitoring HTTP address, ${ADDRESS}; empty switches it off`,
  },
  {
    name: "namespace",
    short: "n",
    type: "string",
    default: "mesh-system",
    env: POD_NAMESPACE.name,
    description:
      "Namespace where the controller resides: names of its certificate, and identities that may read everything",
  },
  {
    name: "networksConfig",
    type: "string",
    default: "./etc/mesh/config/meshNetworks",
    complete: "file",
    description: "File with the networks of the mesh",
  },
  {
    name: "orchApiBurst",
    type: "int",
    default: "160",
    description: "Greatest burst of calls to the orchestrator's API",
  },
  {
    name: "orchApiQPS",
    type: "float32",
    default: "80",
    description: "Greatest number of calls a second to the orchestrator's API",
  },
  {
    name: "orchconfig",
    type: "string",
    complete: "file",
    description: "Orchestrator configuration file to use in place of the in-cluster configuration",
  },
  {
    name: "profile",
    type: "bool",
    description: "Serve profiles at host:port/debug/pprof",
  },
  {
    name: "registries",
    type: "stringSlice",
    default: "Orchestrator",
    choices: ["Orchestrator", "Mock"],
    description: "Platform service registries to read, comma-separated",
  },
  {
    name: "secureGRPCAddr",
    type: "string",
    default: ":15012",
    description: `Secured discovery gRPC address, ${ADDRESS}`,
  },
  {
    name: "shutdownDuration",
    type: "duration",
    default: "10s",
    description: "Time that the server may take to end gracefully",
  },
  {
    name: "tls-cipher-suites",
    type: "stringSlice",
    description: "Cipher suites of the TLS listeners, comma-separated; the platform's when omitted",
  },
  {
    name: "tlsCertFile",
    type: "string",
    complete: "file",
    description: "File with the x509 server certificate",
  },
  {
    name: "tlsKeyFile",
    type: "string",
    complete: "file",
    description: "File with the private key of --tlsCertFile",
  },
];
