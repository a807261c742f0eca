/**
 * A caller who was authenticated.
 *
 * @module
 */
import type { SpiffeId } from "../pki/mod.ts";

/** Kind of a caller's credential. */
export type CredentialKind = "certificate" | "jwt" | "token-review" | "forwarded" | "plaintext";

/** A caller of the control plane. */
export interface Caller {
  readonly kind: CredentialKind;
  /** Identities that the caller has; at least one. */
  readonly identities: readonly SpiffeId[];
}
