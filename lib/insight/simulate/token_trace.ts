/**
 * The comparison of the tokens of a request with the issuers of a filter.
 *
 * @module
 */

/** The tokens of a request, compared with the issuers that a filter knows. */
export interface TokenTrace {
  /** Empty: the request passes. */
  readonly fault: string;
  readonly issuers: readonly IssuerTrace[];
}

/** One issuer of a token filter. */
export interface IssuerTrace {
  /** Name of the provider, `origins-INDEX`. */
  readonly provider: string;
  readonly issuer: string;
  /** Empty: all are accepted. */
  readonly audiences: readonly string[];
  /** Why the token is not accepted; empty: it is valid. */
  readonly fault: string;
  /** Issuer, audience or subject of the request's token, if it is the fault. */
  readonly actual?: string;
}
