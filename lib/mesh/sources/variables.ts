/**
 * Environment variables of the sources.
 *
 * @module
 */
import { declareEnv, type EnvVar } from "../../kit/env/mod.ts";

const readers = ["pilot-discovery"] as const;

/** Directory of credentials. */
export const MESH_CREDENTIAL_DIR: EnvVar<string | undefined> = declareEnv({
  name: "MESH_CREDENTIAL_DIR",
  type: "string",
  doc:
    "Directory of the certificates that `credentialName` names, `NAMESPACE/NAME/` with `tls.crt`, `tls.key` and `ca.crt`, and of the secrets that `imagePullSecret` names, with `.dockerconfigjson`.",
  readers,
});

/** The only namespace that is read. */
export const MESH_WATCH_NAMESPACE: EnvVar<string | undefined> = declareEnv({
  name: "MESH_WATCH_NAMESPACE",
  type: "string",
  doc: "Namespace whose objects are read from the orchestrator; empty: all.",
  readers,
});

/** Ambient mode; the defaults of other variables depend on it. */
export const PILOT_ENABLE_AMBIENT: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_AMBIENT",
  type: "bool",
  default: false,
  doc: "Enable ambient mode; defaults of other variables depend on it.",
  readers,
});

/** True: objects of the Gateway API are read. */
export const PILOT_ENABLE_GATEWAY_API: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_GATEWAY_API",
  type: "bool",
  default: true,
  doc:
    "Read objects of the Gateway API; otherwise its kinds are not watched, and none has an effect.",
  readers,
});

/** True: versions of the Gateway API that are no stable ones are read, too. */
export const PILOT_ENABLE_ALPHA_GATEWAY_API: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_ALPHA_GATEWAY_API",
  type: "bool",
  default: false,
  doc:
    "Read kinds of the Gateway API, such as TCPRoute, in alpha versions from API servers that have no other version of them, and let fields of its experimental channel act: `retry`, `sessionPersistence`, `useDefaultGateways`, `defaultScope`, the filter `ExternalAuth`, the kinds XBackend, XBackendTrafficPolicy and XMesh.",
  readers,
});

/** True: Services select WorkloadEntries. */
export const PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES",
  type: "bool",
  default: true,
  doc: "Use WorkloadEntries as endpoints of Services with a selector.",
  readers,
});

/** True: the WorkloadEntries of other clusters are read. */
export const PILOT_ENABLE_CROSS_CLUSTER_WORKLOAD_ENTRY: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_CROSS_CLUSTER_WORKLOAD_ENTRY",
  type: "bool",
  default: true,
  doc:
    "Read WorkloadEntries of other clusters, as endpoints of their Services and of ServiceEntries.",
  readers,
});

/** True: ServiceEntries select pods. */
export const PILOT_ENABLE_SERVICEENTRY_SELECT_PODS: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_SERVICEENTRY_SELECT_PODS",
  type: "bool",
  default: true,
  doc: "Use pods as endpoints of ServiceEntries with a selector.",
  readers,
});

/** Name of a ConfigMap. */
export const SHARED_MESH_CONFIG: EnvVar<string | undefined> = declareEnv({
  name: "SHARED_MESH_CONFIG",
  type: "string",
  doc:
    "Name of a ConfigMap of the system namespace with mesh configuration (key `mesh`), over which that of the ConfigMap `mesh` is read.",
  readers,
});

/** Namespace of the gateway for Ingress objects. */
export const ORCH_INGRESS_NS: EnvVar<string> = declareEnv({
  name: "ORCH_INGRESS_NS",
  type: "string",
  default: "mesh-system",
  doc: "Namespace of the Gateways that Ingress objects stand for, and of their Service.",
  readers,
});

/** True: host names of network gateways are resolved. */
export const RESOLVE_HOSTNAME_GATEWAYS: EnvVar<boolean> = declareEnv({
  name: "RESOLVE_HOSTNAME_GATEWAYS",
  type: "bool",
  default: true,
  doc: "Resolve host names in load balancer addresses of gateways between networks.",
  readers,
});

/** Interval between two fetches of a key set, in milliseconds. */
export const PILOT_JWT_PUB_KEY_REFRESH_INTERVAL: EnvVar<number> = declareEnv({
  name: "PILOT_JWT_PUB_KEY_REFRESH_INTERVAL",
  type: "duration",
  default: 20 * 60_000,
  range: { least: 1_000 },
  doc: "Time after which the daemon fetches the keys of a jwksUri again.",
  readers,
});

/** True: certificates of key servers are not verified. */
export const JWKS_RESOLVER_INSECURE_SKIP_VERIFY: EnvVar<boolean> = declareEnv({
  name: "JWKS_RESOLVER_INSECURE_SKIP_VERIFY",
  type: "bool",
  default: false,
  doc: "Do not verify the certificate of the server that keys are fetched from.",
  readers,
});

/** Ranges of internal addresses that may be fetched from. */
export const JWKS_ALLOWED_CIDRS: EnvVar<string> = declareEnv({
  name: "JWKS_ALLOWED_CIDRS",
  type: "string",
  default: "",
  doc:
    "Private, loopback or link-local ranges, separated by commas, from which the daemon may fetch keys and trust bundles.",
  readers,
});

/** True: workloads may register themselves. */
export const PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION",
  type: "bool",
  default: true,
  doc:
    "Create a WorkloadEntry for a proxy that names a WorkloadGroup when it connects (node metadata `AUTO_REGISTER_GROUP`).",
  readers,
});

/** True: the health that agents report of registered workloads is used. */
export const PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS: EnvVar<boolean> = declareEnv({
  name: "PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS",
  type: "bool",
  default: true,
  doc: "Use the health that agents report for registered workloads.",
  readers,
});

/** True: a workload must be of its group's service account. */
export const MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY: EnvVar<boolean> = declareEnv({
  name: "MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY",
  type: "bool",
  default: true,
  doc:
    "A workload registers and reports health only with a proved identity that has the namespace and service account of its WorkloadGroup. `false`: without an identity too, and with any.",
  readers,
});

/** Directory of registered workloads. */
export const MESH_REGISTRATION_DIR: EnvVar<string | undefined> = declareEnv({
  name: "MESH_REGISTRATION_DIR",
  type: "string",
  doc:
    "Directory in which registered workloads are kept over a restart of the daemon; without it they register again when they reconnect.",
  readers,
});

/** Time until the entry of a disconnected workload is deleted, in milliseconds. */
export const PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: EnvVar<number> = declareEnv({
  name: "PILOT_WORKLOAD_ENTRY_GRACE_PERIOD",
  type: "duration",
  default: "10s",
  range: { least: 0 },
  doc:
    "Time without a connection after which the WorkloadEntry of a registered workload is deleted.",
  readers,
});

/** True: the daemon exports all services. */
export const ENABLE_MCS_AUTO_EXPORT: EnvVar<boolean> = declareEnv({
  name: "ENABLE_MCS_AUTO_EXPORT",
  type: "bool",
  default: false,
  doc: "Create a ServiceExport for every Service of the mesh except cluster-local ones.",
  readers,
});

/** True: other hosts of Services have the endpoints of the client's cluster only. */
export const ENABLE_MCS_CLUSTER_LOCAL: EnvVar<boolean> = declareEnv({
  name: "ENABLE_MCS_CLUSTER_LOCAL",
  type: "bool",
  default: false,
  doc:
    "Resolve names below svc.cluster.local to endpoints of the same cluster only; needs ENABLE_MCS_SERVICE_DISCOVERY and ENABLE_MCS_HOST.",
  readers,
});

/** True: hosts below `svc.clusterset.local` are served. */
export const ENABLE_MCS_HOST: EnvVar<boolean> = declareEnv({
  name: "ENABLE_MCS_HOST",
  type: "bool",
  default: false,
  doc:
    "Serve names below svc.clusterset.local for services exported in some cluster; needs ENABLE_MCS_SERVICE_DISCOVERY.",
  readers,
});

/** True: clusters share the Services with a ServiceExport only. */
export const ENABLE_MCS_SERVICE_DISCOVERY: EnvVar<boolean> = declareEnv({
  name: "ENABLE_MCS_SERVICE_DISCOVERY",
  type: "bool",
  default: false,
  doc: "Keep endpoints within their cluster unless a ServiceExport shares them.",
  readers,
});

/** Group of ServiceExports and ServiceImports. */
export const MCS_API_GROUP: EnvVar<string> = declareEnv({
  name: "MCS_API_GROUP",
  type: "string",
  default: "multicluster.x-orch.io",
  doc: "API group of the resources that export services between clusters.",
  readers,
});

/** Version of ServiceExports and ServiceImports. */
export const MCS_API_VERSION: EnvVar<string> = declareEnv({
  name: "MCS_API_VERSION",
  type: "string",
  default: "v1alpha1",
  doc: "API version of the resources that export services between clusters.",
  readers,
});
