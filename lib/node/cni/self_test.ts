/**
 * Proves that the rules redirect.
 *
 * @module
 */

/** Options of {@link selfTest}. */
export interface SelfTestOptions {
  readonly signal: AbortSignal;
  /** Longest time for the whole test; default 20 seconds. */
  readonly timeoutMs?: number;
}

/** Result of {@link selfTest}. */
export interface SelfTestResult {
  readonly ok: boolean;
  /** Empty if it succeeded; else a sentence for `/readyz` and the log. */
  readonly reason: string;
}

/**
 * Makes a network namespace, sets the rules of a pod in it, and makes a connection out of it and one
 * into it: both must reach the redirect ports, with their original destinations. Sets the gauge
 * `mesh_cni_redirection_verified`. Never throws.
 */
export function selfTest(_options: SelfTestOptions): Promise<SelfTestResult> {
  return Promise.resolve({ ok: false, reason: "the self-test is not there yet" });
}
