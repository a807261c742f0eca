/**
 * A caller who was authenticated.
 *
 * @module
 */
import type { SpiffeId } from "../../kit/pki/mod.ts";

/** Kind of a caller's credential. */
export type CredentialKind = "certificate" | "jwt" | "token-review" | "forwarded" | "plaintext";

/** The pod of a caller, from a token that the orchestrator has bound to it. */
export interface PodOfCaller {
  /** Id of its cluster; `undefined`: the daemon's own. */
  readonly cluster: string | undefined;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A caller of the control plane. */
export interface Caller {
  readonly kind: CredentialKind;
  /** Identities that the caller has; at least one. */
  readonly identities: readonly SpiffeId[];
  /** Only of a reviewed token that is bound to a pod. */
  readonly pod?: PodOfCaller;
}
