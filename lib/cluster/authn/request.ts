/**
 * The parts of a request that authentication uses.
 *
 * @module
 */
import type { Caller } from "./caller.ts";

/** A request of a caller. */
export interface AuthnRequest {
  /** `address:port` of the client; `unix` over a socket file. */
  readonly peer: string;
  /** Headers, names in lower case. */
  readonly metadata: ReadonlyMap<string, string>;
  /** DER of the certificates that the client showed, its own first; `undefined` without any. */
  readonly certificates?: readonly Uint8Array[];
}

/**
 * One way to authenticate. Resolves to `undefined` when the request has no credentials of this kind;
 * rejects with `AuthnError` when they are not valid.
 */
export type Authenticator = (request: AuthnRequest) => Promise<Caller | undefined>;
