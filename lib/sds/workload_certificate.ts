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
}

/** A certificate that is renewed. */
export interface WorkloadCertificates {
  current(): WorkloadCertificate;
  /** Calls back after each renewal; returns a function that ends this. */
  onChange(changed: () => void): () => void;
  stop(): void;
}
