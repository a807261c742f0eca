/**
 * Environment variables of scopes: which proxies are sent which configuration.
 *
 * @module
 */
import { declareEnv } from "../../../kit/env/mod.ts";
import type { Features } from "../../translate/mod.ts";

const readers = ["pilot-discovery"] as const;

const PILOT_SCOPE_GATEWAY_TO_NAMESPACE = declareEnv({
  name: "PILOT_SCOPE_GATEWAY_TO_NAMESPACE",
  type: "bool",
  default: false,
  doc: "Apply only Gateway resources of its namespace to a gateway workload.",
  readers,
});

const PILOT_ENABLE_IP_AUTOALLOCATE = declareEnv({
  name: "PILOT_ENABLE_IP_AUTOALLOCATE",
  type: "bool",
  default: false,
  doc:
    "Allocate an address of 240.240.0.0/16 to hosts of ServiceEntries without one, for every proxy; otherwise for proxies with DNS_AUTO_ALLOCATE in their metadata.",
  readers,
});

const ENABLE_ENHANCED_RESOURCE_SCOPING = declareEnv({
  name: "ENABLE_ENHANCED_RESOURCE_SCOPING",
  type: "bool",
  default: true,
  doc:
    "Read only the configuration of namespaces that `discoverySelectors` of the mesh configuration select.",
  readers,
});

const PILOT_FILTER_GATEWAY_CLUSTER_CONFIG = declareEnv({
  name: "PILOT_FILTER_GATEWAY_CLUSTER_CONFIG",
  type: "bool",
  default: false,
  doc: "Send gateways only the clusters that their routes use.",
  readers,
});

const ENABLE_MULTICLUSTER_HEADLESS = declareEnv({
  name: "ENABLE_MULTICLUSTER_HEADLESS",
  type: "bool",
  default: true,
  doc:
    "Answer names of headless services with endpoints of the same network in all clusters; otherwise in the client's cluster only.",
  readers,
});

/** Switches that are read here. */
type ScopeFeatures = Pick<
  Features,
  | "scopeGatewayToNamespace"
  | "enhancedScoping"
  | "autoAllocateAddresses"
  | "filterGatewayClusters"
  | "headlessAcrossClusters"
>;

/** Reads them; throws `MeshError` for a value that cannot be read. */
export function readScope(): ScopeFeatures {
  return {
    scopeGatewayToNamespace: PILOT_SCOPE_GATEWAY_TO_NAMESPACE.get(),
    enhancedScoping: ENABLE_ENHANCED_RESOURCE_SCOPING.get(),
    autoAllocateAddresses: PILOT_ENABLE_IP_AUTOALLOCATE.get(),
    filterGatewayClusters: PILOT_FILTER_GATEWAY_CLUSTER_CONFIG.get(),
    headlessAcrossClusters: ENABLE_MULTICLUSTER_HEADLESS.get(),
  };
}
