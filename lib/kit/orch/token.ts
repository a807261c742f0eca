/**
 * Bearer tokens of requests.
 *
 * @module
 */

/** A source of tokens. Tokens are never logged. */
export interface TokenSource {
  /** The token for the next request; empty: the client is known by its certificate alone. */
  current(): Promise<string>;
  /** Called after the server refused the token (401): the next call of `current` reads it again. */
  refused(): void;
}

/** Reads the token file again after this time; the orchestrator renews such files every hour. */
const FILE_MS = 60_000;

/** A token that does not change. */
export function fixedToken(token: string): TokenSource {
  return { current: () => Promise.resolve(token), refused: () => {} };
}

/**
 * A token in a file, read again once a minute and after it was refused. While the file cannot be
 * read, the last token stays in use.
 *
 * @param now milliseconds, monotonic
 */
export function fileToken(
  path: string,
  now: () => number = () => performance.now(),
): TokenSource {
  let last: string | undefined;
  let readAt = -Infinity;
  return {
    async current() {
      if (last !== undefined && now() - readAt < FILE_MS) return last;
      try {
        const token = (await Deno.readTextFile(path)).trim();
        if (token !== "") last = token;
        readAt = now();
      } catch (error) {
        if (last === undefined) throw error;
      }
      return last ?? "";
    },
    refused() {
      readAt = -Infinity;
    },
  };
}
