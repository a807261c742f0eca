/**
 * Scrapes of many clients: what they cost together is bounded.
 *
 * @module
 */
import { sleep } from "../async/mod.ts";
import { expose, type Exposition, prefersOpenMetrics } from "./expose.ts";

/** An exposition in bytes, which clients share. */
export interface Scrape {
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The options of {@link sharedScrapes}; tests give other ones. */
export interface SharedScrapesOptions {
  render?(accept: string): Promise<Exposition>;
  /** Monotonic milliseconds. */
  now?(): number;
  /** Resolves after a number of milliseconds. */
  wait?(ms: number): Promise<unknown>;
}

/** After a rendering that took so long the next one waits for a multiple of it: a fifth of the time. */
const REST = 4;
/** Longest such wait, milliseconds. */
const MAX_REST_MS = 1_000;

/**
 * Returns expositions that were rendered after the request. Clients that ask before a rendering has
 * begun share it, and renderings take no more than a fifth of the time.
 */
export function sharedScrapes(
  { render = expose, now = () => performance.now(), wait = sleep }: SharedScrapesOptions = {},
): (accept: string) => Promise<Scrape> {
  /** Scrapes that have not begun, by format. */
  const waiting = new Map<boolean, Promise<Scrape>>();
  let last: Promise<unknown> = Promise.resolve();
  let restUntil = 0;
  const renderNext = async (accept: string, format: boolean): Promise<Scrape> => {
    const rest = restUntil - now();
    if (rest > 0) await wait(rest);
    waiting.delete(format);
    const started = now();
    const { contentType, body } = await render(accept);
    const bytes = new TextEncoder().encode(body);
    restUntil = now() + Math.min(MAX_REST_MS, REST * (now() - started));
    return { contentType, bytes };
  };
  return (accept) => {
    const format = prefersOpenMetrics(accept);
    const shared = waiting.get(format);
    if (shared !== undefined) return shared;
    const before = last;
    const next = before.then(() => renderNext(accept, format));
    waiting.set(format, next);
    last = next.catch(() => {});
    return next;
  };
}
