/**
 * Switches of what is seen from where.
 *
 * @module
 */
import { declareEnv } from "../../env/mod.ts";
import type { Features } from "../../translate/mod.ts";

const readers = ["pilot-discovery"] as const;

const PILOT_SCOPE_GATEWAY_TO_NAMESPACE = declareEnv({
  name: "PILOT_SCOPE_GATEWAY_TO_NAMESPACE",
  type: "bool",
  default: false,
  doc: "A gateway workload takes only Gateway resources of its own namespace.",
  readers,
});

const PILOT_ENABLE_IP_AUTOALLOCATE = declareEnv({
  name: "PILOT_ENABLE_IP_AUTOALLOCATE",
  type: "bool",
  default: false,
  doc:
    "Give an address of 240.240.0.0/16 to hosts of ServiceEntries that have none, for every proxy; otherwise for those whose metadata has DNS_AUTO_ALLOCATE.",
  readers,
});

const ENABLE_ENHANCED_RESOURCE_SCOPING = declareEnv({
  name: "ENABLE_ENHANCED_RESOURCE_SCOPING",
  type: "bool",
  default: true,
  doc: "Let `discoverySelectors` of the mesh configuration bound which namespaces' configuration " +
    "is read.",
  readers,
});

const PILOT_FILTER_GATEWAY_CLUSTER_CONFIG = declareEnv({
  name: "PILOT_FILTER_GATEWAY_CLUSTER_CONFIG",
  type: "bool",
  default: false,
  doc: "Send gateways the clusters alone that their routes use.",
  readers,
});

/** Switches that are read here. */
type ScopeFeatures = Pick<
  Features,
  "scopeGatewayToNamespace" | "enhancedScoping" | "giveAddresses" | "filterGatewayClusters"
>;

/** Reads them; throws `MeshError` for a value that cannot be read. */
export function readScope(): ScopeFeatures {
  return {
    scopeGatewayToNamespace: PILOT_SCOPE_GATEWAY_TO_NAMESPACE.get(),
    enhancedScoping: ENABLE_ENHANCED_RESOURCE_SCOPING.get(),
    giveAddresses: PILOT_ENABLE_IP_AUTOALLOCATE.get(),
    filterGatewayClusters: PILOT_FILTER_GATEWAY_CLUSTER_CONFIG.get(),
  };
}
