/**
 * Types of the mesh as plain data: configuration objects, services, endpoints, proxies and their
 * classes, xDS types with the push order, features of Envoy versions.
 *
 * @module
 */
export type { MessageLevel, MessageSummary } from "./analysis.ts";
export { type ClusterNameParts, type Direction, parseClusterName } from "./cluster_names.ts";
export { coveringPatterns, covers, fullHost, intersectHosts, isWildcard } from "./hosts.ts";
export { namedHost, parseServiceName, type ServiceName } from "./service_names.ts";
export {
  byAge,
  type ConfigObject,
  type DeployedGateway,
  fromObject,
  gatewayKey,
  hasLabels,
  type LabelRequirement,
  meetsRequirement,
  namespaceOf,
  type ObjectKey,
  objectKey,
  objectKeys,
  type ObjectMeta,
  objectRef,
  type Origin,
  REVISION_LABEL,
  whyLater,
} from "./object.ts";
export {
  type ApiRule,
  apiRuleOf,
  type ApiTraffic,
  apiTrafficOf,
  type FromApi,
  type RuleAuthorizer,
  type RuleSession,
  withApiRule,
  withApiTraffic,
} from "./rule.ts";
export {
  isRegistryKind,
  nameInCluster,
  nameOfObject,
  objectOfRef,
  objectOfRow,
  rowOfObject,
} from "./registry.ts";
export {
  DISTRIBUTION,
  type Distribution,
  distributionOf,
  type EndpointFacts,
  type PodFactsOfAmbient,
  type ServerIdentities,
  type ServiceFacts,
  type ServiceFactsOfAmbient,
  WORKLOAD_NAME,
  type WorkloadKind,
} from "./registry_facts.ts";
export {
  carriesGrpc,
  type Endpoint,
  isHttp,
  isHttp2,
  isTls,
  type Locality,
  mayBeHttp,
  mayBeTcp,
  type Protocol,
  type Resolution,
  type Service,
  type ServiceKey,
  serviceKeys,
  type ServicePort,
  type Visibility,
} from "./service.ts";
export { discoveryUri, keySetName } from "./key_set.ts";
export {
  type ClientRole,
  type ProxyClass,
  type ProxyLocality,
  type Role,
  type ServiceTarget,
} from "./proxy.ts";
export { configMapKey, type Credential, credentialKey, type PeerMode } from "./security.ts";
export {
  failoverLabels,
  hasTopologyLabel,
  localityFromLabels,
  localityText,
  NEAR_LABELS,
  type NetworkGateway,
  networkLabel,
  NODE_LABEL,
  NODE_LABELS,
  nodeLabels,
  topologyLabels,
} from "./topology.ts";
export {
  missingFeatures,
  type OmittedFeature,
  PATCH_VALUES,
  PROXY_FEATURES,
  type ProxyBuild,
  type ProxyFeature,
} from "./proxy_features.ts";
export {
  type BindingSource,
  type OnDemand,
  type ProxyBinding,
  type ProxyNode,
  type Sharers,
} from "./binding.ts";
export {
  AGENT_TYPE_URLS,
  CONFIG_RESOURCE_URL,
  HEALTH_TYPE_URL,
  type ObjectType,
  objectType,
  objectUrl,
  type ProxyTypeName,
  PUSH_ORDER,
  pushPosition,
  TYPE_URLS,
  XDS_TYPES,
  type XdsType,
  xdsType,
  type XdsTypeName,
} from "./xds/mod.ts";
export {
  MAX_PROXY_STATE,
  parseProxyState,
  PROXY_PHASES,
  PROXY_STATE_METHOD,
  PROXY_STATE_TYPE_URL,
  type ProxyExit,
  type ProxyPhase,
  type ProxyState,
  proxyStateText,
} from "./proxy_state.ts";
export {
  AGENT_WASM,
  NO_CHECKSUM,
  PULL_POLICY_VARIABLE,
  PULL_SECRET_VARIABLE,
} from "./wasm_module.ts";
export {
  acceptsTunnels,
  GATEWAY_NAME_LABEL,
  saysTunnels,
  TLS_MODE_LABEL,
} from "./workload_labels.ts";
