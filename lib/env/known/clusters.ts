/**
 * Variables of several clusters, which are not implemented.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT_DAEMON, ALL, bool, DAEMON, text } from "./rows.ts";

/** Variables of several clusters, which are not implemented. */
export const CLUSTERS: readonly IneffectiveGroup[] = [
  {
    state: { kind: "unsupported", reason: "several clusters" },
    readers: DAEMON,
    rows: [
      bool(
        "ENABLE_MCS_AUTO_EXPORT",
        ALL,
        false,
        "Export every service of the mesh except cluster-local ones.",
      ),
      bool(
        "ENABLE_MCS_CLUSTER_LOCAL",
        ALL,
        false,
        "Resolve names below svc.cluster.local to endpoints of the same cluster only; needs ENABLE_MCS_SERVICE_DISCOVERY and ENABLE_MCS_HOST.",
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
        "Read the secrets that name clusters from the external cluster instead of the configuration cluster.",
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
        "Read WorkloadEntries from other clusters.",
      ),
      bool(
        "PILOT_MULTI_NETWORK_DISCOVER_GATEWAY_API",
        AGENT_DAEMON,
        true,
        "Use Gateway API objects with the network label as gateways of networks.",
      ),
    ],
  },
];
