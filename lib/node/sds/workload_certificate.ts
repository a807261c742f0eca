/**
 * The workload's certificate in the form that it is served in.
 *
 * @module
 */

/** A certificate of the workload, PEM. */
export interface WorkloadCertificate {
  /** The certificate with its intermediates. */
  readonly chain: string;
  readonly key: string;
  /** Trusted roots. */
  readonly roots: string;
  /** Changes with each renewal. */
  readonly version: string;
  /** Changes with the trusted roots. */
  readonly rootsVersion: string;
}

/** A certificate that is renewed. */
export interface WorkloadCertificates {
  current(): WorkloadCertificate;
  /** Calls back after each renewal and change of roots; returns a function that ends this. */
  onChange(changed: () => void): () => void;
  stop(): void;
}
