/**
 * Reports of the agent to the daemon on the streams of its proxy, between the proxy's own requests.
 *
 * @module
 */

/** Something that is reported. */
export interface Reports {
  /** The reports on one stream of a method. */
  on(path: string): StreamReports;
}

/** Reports on one stream. */
export interface StreamReports {
  /** The message to send now; `undefined`: there is nothing to report. */
  message(): Uint8Array | undefined;
  /** Calls back after each change; returns a function that ends this. */
  onChange(changed: () => void): () => void;
  /**
   * The answer to a response of the daemon that is about these reports, which the proxy does not know;
   * `undefined`: the response is for somebody else.
   */
  take(response: Uint8Array): Uint8Array | undefined;
}
