/**
 * Authentication of callers of the control plane.
 *
 * @module
 */
export type { Caller, CredentialKind } from "./caller.ts";
