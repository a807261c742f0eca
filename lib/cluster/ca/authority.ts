/**
 * The authority that signs: what the self-signed and the plugged-in one have in common.
 *
 * @module
 */
import type { Certificate, Issuer, TrustBundle } from "../../kit/pki/mod.ts";

/** An authority at one time. */
export interface Authority {
  /** Signs certificates. */
  readonly issuer: Issuer;
  /** From the issuer up to, and without, its root; empty when the issuer is the root. */
  readonly intermediates: readonly Certificate[];
  /** The root of the issuer. */
  readonly root: Certificate;
  /** The roots that proxies shall trust; more than one during a change of roots. */
  readonly bundle: TrustBundle;
}

/** The roots that proxies shall trust, which change while the daemon runs. */
export interface RootsSource extends AsyncDisposable {
  /** The roots now. */
  current(): Pick<Authority, "bundle">;
  /** Calls back after each change; returns a function that ends this. */
  onChange(changed: () => void): () => void;
}

/** An authority that changes while the daemon runs. */
export interface AuthoritySource extends RootsSource {
  /** The authority now. */
  current(): Authority;
}

/** Listeners of changes. */
export interface Changes {
  readonly onChange: RootsSource["onChange"];
  notify(): void;
}

/** A list of listeners. */
export function changes(): Changes {
  const listeners = new Set<() => void>();
  return {
    onChange(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    notify() {
      for (const changed of listeners) changed();
    },
  };
}
