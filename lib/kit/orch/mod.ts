/**
 * The client of the orchestrator's API: configuration files and credentials, requests, following
 * resource types, leases, reviews and certificate requests.
 *
 * A program loads its access ({@linkcode loadKubeconfig} with {@linkcode accessOf}, or
 * {@linkcode inClusterAccess}) and creates one client from it ({@linkcode createClient}).
 *
 * @module
 */
export { type EventObject, type PodEvent, podEvent } from "./pod_event.ts";
export {
  type Access,
  accessOf,
  type AccessOptions,
  ALL_CREDENTIAL_OPTIONS,
  type BasicCredentials,
  type CredentialOption,
  type Impersonation,
  type SpecialAccess,
  type TlsMaterial,
} from "./access.ts";
export {
  type ClientOptions,
  createClient,
  DEFAULT_RATE,
  guardWrites,
  type OrchClient,
} from "./client.ts";
export {
  isConflict,
  isExpired,
  isNotFound,
  isUnreachable,
  OrchError,
  type StatusCause,
} from "./error.ts";
export { inClusterAccess, isInCluster } from "./in_cluster.ts";
export {
  type AuthProviderConfig,
  type ClusterConfig,
  type ContextConfig,
  type ExecConfig,
  type Kubeconfig,
  loadKubeconfig,
  parseKubeconfig,
  type UserConfig,
} from "./kubeconfig.ts";
export {
  type ListItem,
  type OrchList,
  type OrchMeta,
  type OrchObject,
  type OwnerReference,
  trimmed,
} from "./object.ts";
export { createRateLimit, type RateLimit, type RateOptions } from "./rate.ts";
export {
  applyObject,
  type ApplyOptions,
  collectionPath,
  createObject,
  deleteObject,
  getObject,
  listAll,
  listObjects,
  mergePatch,
  type ObjectName,
  objectPath,
  replaceObject,
  type ResourceType,
  type Selection,
} from "./resource.ts";
export { type ServerVersion, serverVersion } from "./server_version.ts";
export type { OrchRequest, Query } from "./transport.ts";
export * as types from "./types.ts";
export { requestCertificate, type SigningRequest } from "./certificate_requests.ts";
export { follow } from "./follow.ts";
export type { Following, FollowOptions } from "./follow_options.ts";
export {
  createFollowedTypes,
  type FollowedType,
  type FollowedTypes,
  type FollowState,
} from "./follow_state.ts";
export { DEFAULT_TIMING, type FollowTiming } from "./timing.ts";
export type { Changes } from "./held.ts";
export { createLease, type LeaseLock, type LeaseOptions, type LeaseState } from "./lease.ts";
export {
  type AccessAnswer,
  type AccessQuestion,
  requestToken,
  reviewAccess,
  type ReviewedUser,
  reviewToken,
  type TokenReviewResult,
} from "./reviews.ts";
export {
  execInPod,
  type ExecRequest,
  type ExecResult,
  forwardPort,
  type ForwardRequest,
  type PodName,
  type PortForward,
} from "./streams/mod.ts";
