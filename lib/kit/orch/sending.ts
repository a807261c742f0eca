/**
 * Sending requests over a connection to the API server.
 *
 * @module
 */

/** A request to be sent. */
export interface Sent {
  readonly method: string;
  /** Without those of credentials. Names may be repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** Awaited when the credentials are there, right before the request is sent. */
  readonly guard?: (() => Promise<void>) | undefined;
}

/** Sends requests to one server. */
export interface Connection {
  /** Sends a request with the credentials of the access; resolves when the head of the answer is there. */
  send(url: string, sent: Sent): Promise<Response>;
  close(): void;
}
