/**
 * Validation rules that several kinds share: HTTP routes, retries, faults, CORS, headers,
 * destinations and weights, TLS, load balancing, connection pools, selectors, conditions, CEL.
 *
 * @module
 */
export { celFault, unknownFunction } from "./cel.ts";
export { checkClientTls } from "./client_tls.ts";
export {
  checkDuration,
  checkExportTo,
  checkHost,
  checkIp,
  checkNotEmpty,
  checkNotNegative,
  checkPercent,
  checkPort,
  checkProtocol,
  checkRegex,
  checkSelector,
  checkSubnet,
  checkSubsetName,
  checkUnique,
  checkUnixAddress,
  CONFLICT,
  DUPLICATE,
  INVALID,
  NO_EFFECT,
  PROTOCOLS,
  REQUIRED,
  UNIX_PREFIX,
  warnEmptySelector,
} from "./common.ts";
export { type ConditionKey, conditionKey, type ConditionKind } from "./conditions.ts";
export { checkConnectionPool, checkOutlierDetection } from "./connection_pool.ts";
export { checkDestination, checkWeights } from "./destination.ts";
export { checkGatewayNames, MESH_GATEWAY } from "./gateway_names.ts";
export { checkHeaderName } from "./headers.ts";
export { checkRetries, GRPC_STATUSES } from "./http_policies.ts";
export { checkDelegate, checkHttpRoute } from "./http_route.ts";
export { checkLabelSelector } from "./label_selector.ts";
export { checkLoadBalancer } from "./load_balancer.ts";
export { checkLocality } from "./locality.ts";
export { checkPolicyScope, checkWorkloadSelector } from "./policy_target.ts";
export {
  checkCipherSuites,
  checkServerTls,
  CIPHER_SUITES,
  FILE_TLS_FIELDS,
  isTlsProtocol,
} from "./server_tls.ts";
