/**
 * Exchange of tokens: the interface of its plugins.
 *
 * @module
 */

/** A request, with the parameters of RFC 8693, section 2.1, that are set. */
export interface ExchangeRequest {
  readonly subjectToken: string;
  readonly subjectTokenType: string;
  /** Optional parameters by name: `resource`, `audience`, `scope`, … */
  readonly optional: Readonly<Record<string, string>>;
}

/** A token of another issuer (RFC 8693, section 2.2.1). */
export interface ExchangedToken {
  readonly accessToken: string;
  readonly issuedTokenType: string;
  readonly tokenType: string;
  /** Lifetime, seconds. */
  readonly expiresIn: number;
  readonly scope?: string;
  readonly refreshToken?: string;
}

/** Exchanges a token. Rejects with an error whose message has no token. */
export type TokenExchange = (
  request: ExchangeRequest,
  signal: AbortSignal,
) => Promise<ExchangedToken>;
