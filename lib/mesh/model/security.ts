/**
 * Mutual TLS modes and credentials.
 *
 * @module
 */
import type { ObjectKey } from "./object.ts";

/** Mutual TLS of a workload: required, optional, or not offered. */
export type PeerMode = "disable" | "permissive" | "strict";

/**
 * The key of a credential: `namespace/name` in the daemon's cluster, `namespace/name@cluster` in a
 * remote one. Names of namespaces and secrets have neither `/` nor `@`.
 *
 * @param cluster id of a remote cluster; empty: the daemon's cluster
 */
export function credentialKey(cluster: string, name: string): string {
  return cluster === "" ? name : `${name}@${cluster}`;
}

/** The key of the authorities of a ConfigMap of the daemon's cluster, among the keys of credentials. */
export function configMapKey({ namespace, name }: ObjectKey): string {
  return `configmap://${namespace}/${name}`;
}

/**
 * Credentials that configuration names, as they were found; absent parts are undefined. Certificates
 * and keys are PEM.
 */
export interface Credential {
  readonly certificate?: string;
  readonly privateKey?: string;
  readonly authorities?: string;
  readonly revoked?: string;
  /** DER in base64. */
  readonly ocspStaple?: string;
  /** Why the newest version cannot be used; other parts are those of the version before. */
  readonly fault?: string;
  /** The reason why a ConfigMap cannot be used for parameters of Gateways. */
  readonly parametersFault?: string;
  /** Credentials of image registries: JSON of the form of `.dockerconfigjson`. */
  readonly pullConfig?: string;
}
