/**
 * Variables of several clusters, networks and machines beside the orchestrator's, which wait for them.
 *
 * @module
 */
import type { IdleTheme } from "../idle.ts";
import { AGENT_DAEMON, ALL, bool, DAEMON, duration, text } from "./rows.ts";

/** Variables of several clusters, networks and machines beside the orchestrator's, which wait for them. */
export const CLUSTERS: readonly IdleTheme[] = [
  {
    state: { kind: "later", reason: "several clusters" },
    readers: DAEMON,
    rows: [
      bool(
        "ENABLE_MCS_AUTO_EXPORT",
        ALL,
        false,
        "Export every service of the mesh, except those that the mesh configuration keeps in their cluster.",
      ),
      bool(
        "ENABLE_MCS_CLUSTER_LOCAL",
        ALL,
        false,
        "Let names below svc.cluster.local reach endpoints of the same cluster alone; needs ENABLE_MCS_SERVICE_DISCOVERY and ENABLE_MCS_HOST.",
      ),
      bool(
        "ENABLE_MCS_HOST",
        ALL,
        false,
        "Serve names below svc.clusterset.local for services exported in some cluster; needs ENABLE_MCS_SERVICE_DISCOVERY.",
      ),
      bool(
        "ENABLE_MCS_SERVICE_DISCOVERY",
        ALL,
        false,
        "Keep endpoints within their cluster unless a ServiceExport shares them.",
      ),
      bool(
        "ENABLE_MULTICLUSTER_HEADLESS",
        ALL,
        true,
        "Answer names of headless services with endpoints of the same network in all clusters.",
      ),
      bool(
        "EXTERNAL_MESHD",
        ALL,
        false,
        "One daemon serves remote clusters, certificates included.",
      ),
      bool(
        "LOCAL_CLUSTER_SECRET_WATCHER",
        AGENT_DAEMON,
        false,
        "Look for the secrets that name clusters in the external cluster instead of the configuration's.",
      ),
      text(
        "MCS_API_GROUP",
        AGENT_DAEMON,
        "multicluster.x-orch.io",
        "API group of the resources that export services between clusters.",
      ),
      text(
        "MCS_API_VERSION",
        AGENT_DAEMON,
        "v1alpha1",
        "API version of the resources that export services between clusters.",
      ),
      bool(
        "PILOT_ENABLE_CROSS_CLUSTER_WORKLOAD_ENTRY",
        AGENT_DAEMON,
        true,
        "Read WorkloadEntries from other clusters too.",
      ),
      text(
        "PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS",
        AGENT_DAEMON,
        undefined,
        "Ways of authentication that are unsafe and accepted in the credentials of other clusters nevertheless, separated by commas.",
      ),
      bool(
        "PILOT_MULTI_NETWORK_DISCOVER_GATEWAY_API",
        AGENT_DAEMON,
        true,
        "Take labelled Gateway API objects for the gateways of networks.",
      ),
      duration(
        "PILOT_REMOTE_CLUSTER_TIMEOUT",
        AGENT_DAEMON,
        "30s",
        "After this time the daemon is ready although some remote cluster has not been read.",
      ),
    ],
  },
  {
    state: { kind: "later", reason: "authentication of callers" },
    readers: DAEMON,
    rows: [
      bool(
        "MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY",
        AGENT_DAEMON,
        true,
        "Compare the identity of a workload with its WorkloadEntry before it registers or reports health.",
      ),
    ],
  },
];
