/**
 * Mutual TLS modes and credentials.
 *
 * @module
 */

/** Mutual TLS of a workload: required, optional, or not offered. */
export type PeerMode = "disable" | "permissive" | "strict";

/** Certificates that Gateways name, as they were found; what is not there is undefined. All are PEM but the staple. */
export interface Credential {
  readonly certificate?: string;
  readonly privateKey?: string;
  readonly authorities?: string;
  readonly revoked?: string;
  /** DER in base64. */
  readonly ocspStaple?: string;
}
