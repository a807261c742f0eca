/**
 * Variables that act in one program and that others take as well, because the programs of a mesh
 * are given the same environment. What they mean is said where they act.
 *
 * @module
 */
import type { ListedEnv } from "../table.ts";
import type { EnvType } from "../value.ts";
import { AGENT_DAEMON, ALL } from "./rows.ts";

function listed(
  type: EnvType,
  programs: readonly string[],
  names: readonly string[],
): ListedEnv[] {
  return names.map((name) => ({ name, type, programs }));
}

/** Which programs take the variables that act. */
export const SHARED: readonly ListedEnv[] = [
  ...listed("bool", AGENT_DAEMON, [
    "PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION",
    "PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS",
    "JWKS_RESOLVER_INSECURE_SKIP_VERIFY",
    "MESH_ENABLE_IPV4_OUTBOUND_LISTENER_FOR_IPV6_CLUSTERS",
    "MESH_MULTIROOT_MESH",
    "METRICS_LOCALHOST_ACCESS_ONLY",
    "PILOT_DATAPROXY_FILTER_STATS",
    "PILOT_ENABLE_CDS_CACHE",
    "PILOT_ENABLE_DOCDB_FILTER",
    "PILOT_ENABLE_EDS_DEBOUNCE",
    "PILOT_ENABLE_IP_AUTOALLOCATE",
    "PILOT_ENABLE_KVSTORE_FILTER",
    "PILOT_ENABLE_METADATA_EXCHANGE",
    "PILOT_ENABLE_RDS_CACHE",
    "PILOT_ENABLE_TELEMETRY_LABEL",
    "PILOT_ENABLE_XDS_CACHE",
    "PILOT_ENDPOINT_TELEMETRY_LABEL",
    "PILOT_HTTP10",
    "PILOT_SCOPE_GATEWAY_TO_NAMESPACE",
    "PILOT_SEND_UNHEALTHY_ENDPOINTS",
    "PILOT_SIDECAR_USE_REMOTE_ADDRESS",
    "PILOT_XDS_CACHE_STATS",
  ]),
  ...listed("duration", AGENT_DAEMON, [
    "PILOT_DEBOUNCE_AFTER",
    "PILOT_DEBOUNCE_MAX",
    "PILOT_JWT_PUB_KEY_REFRESH_INTERVAL",
    "PILOT_XDS_CACHE_INDEX_CLEAR_INTERVAL",
    "PILOT_WORKLOAD_ENTRY_GRACE_PERIOD",
  ]),
  ...listed("float", AGENT_DAEMON, [
    "PILOT_MAX_REQUESTS_PER_SECOND",
    "PILOT_TRACE_SAMPLING",
  ]),
  ...listed("int", AGENT_DAEMON, [
    "MESH_GPRC_MAXRECVMSGSIZE",
    "MESH_GPRC_MAXSTREAMS",
    "PILOT_PUSH_THROTTLE",
    "PILOT_XDS_CACHE_SIZE",
  ]),
  ...listed("string", AGENT_DAEMON, [
    "MESH_BOOTSTRAP",
    "MESH_METRICS_ANNOTATIONS",
    "PILOT_DRAINING_LABEL",
    "PILOT_JWT_ENABLE_REMOTE_JWKS",
  ]),
  ...listed("bool", ["pilot-agent"], [
    "UNSAFE_ENABLE_ADMIN_ENDPOINTS",
  ]),
  ...listed("bool", ALL, [
    "BYPASS_OVERLOAD_MANAGER_FOR_STATIC_LISTENERS",
    "ENABLE_100_CONTINUE_HEADERS",
    "ENABLE_AUTO_SNI",
    "ENABLE_DEBUG_ON_HTTP",
    "ENABLE_DEFERRED_CLUSTER_CREATION",
    "ENABLE_DEFERRED_STATS_CREATION",
    "ENABLE_DELIMITED_STATS_TAG_REGEX",
    "ENABLE_ENHANCED_DESTINATIONRULE_MERGE",
    "ENABLE_ENHANCED_RESOURCE_SCOPING",
    "ENABLE_HCM_INTERNAL_NETWORKS",
    "ENABLE_INBOUND_RETRY_POLICY",
    "ENABLE_LOCALITY_WEIGHTED_LB_CONFIG",
    "ENABLE_RESOLUTION_NONE_TARGET_PORT",
    "ENABLE_SELECTOR_BASED_K8S_GATEWAY_POLICY",
    "EXCLUDE_UNSAFE_503_FROM_DEFAULT_RETRY",
    "MESH_DELTA_XDS",
    "MESH_DUAL_STACK",
  ]),
  ...listed("duration", ALL, [
    "DATAPROXY_DNS_JITTER_DURATION",
    "GRPC_KEEPALIVE_INTERVAL",
    "GRPC_KEEPALIVE_TIMEOUT",
  ]),
  ...listed("string", ALL, [
    "CLUSTER_ID",
    "POD_NAME",
    "POD_NAMESPACE",
  ]),
];
