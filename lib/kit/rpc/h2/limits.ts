/**
 * Bounds on what one connection may cost.
 *
 * @module
 */
import { H2Error } from "./error.ts";
import { type ConnectionState, control } from "./state.ts";

/** Decoded size of a header list, bytes: text plus 32 for each field. It is sent to the peer. */
export const MAX_HEADER_LIST: number = 16 * 1024;
/** Fields of a header list. */
export const MAX_FIELDS = 128;
/** Encoded size of a header block over all its frames, bytes. */
export const MAX_BLOCK: number = 32 * 1024;
/** Entries of a SETTINGS frame. RFC 9113 defines six settings; others are ignored. */
export const MAX_SETTINGS = 32;
/** Default for the bytes that all streams of a connection may have in memory. */
export const MAX_HELD: number = 64 * 1024 * 1024;
/** Bytes that an open stream counts in addition to its headers. */
export const STREAM_BYTES = 4096;
/** Replies that may wait for a peer that does not read. */
const MAX_REPLIES = 1000;
/** Period of the following bounds, ms. */
const PERIOD_MS = 10_000;
/** Resets, empty frames, requests that are not admitted and the like, in a period. */
const MAX_NUISANCE = 2000;
/** Decoded header bytes in a period. */
const MAX_HEADER_BYTES = 4 * 1024 * 1024;

/** Queues a reply that the protocol asks for. Throws `H2Error` for a peer that does not read replies. */
export function reply(state: ConnectionState, bytes: Uint8Array): void {
  control(state, bytes);
  if (++state.replies > MAX_REPLIES) {
    throw new H2Error("ENHANCE_YOUR_CALM", "too many replies wait to be read", "unread-replies");
  }
}

/** Counts frames that cost work and mean little. Busy clients send some, attackers many. Throws `H2Error`. */
export function nuisance(state: ConnectionState, weight = 1): void {
  const { spent } = state;
  renew(state);
  spent.nuisance += weight;
  if (spent.nuisance > MAX_NUISANCE) {
    throw new H2Error("ENHANCE_YOUR_CALM", "too many frames that mean nothing", "flood");
  }
}

/** Takes back a nuisance: a request was admitted. */
export function pardon(state: ConnectionState): void {
  if (state.spent.nuisance > 0) state.spent.nuisance--;
}

/** Counts decoded header bytes. Throws `H2Error`. */
export function spendHeaders(state: ConnectionState, bytes: number): void {
  const { spent } = state;
  renew(state);
  spent.headers += bytes;
  if (spent.headers > MAX_HEADER_BYTES) {
    throw new H2Error("ENHANCE_YOUR_CALM", "too many bytes of headers", "header-rate");
  }
}

function renew({ spent }: ConnectionState): void {
  const now = performance.now();
  if (now - spent.since <= PERIOD_MS) return;
  spent.since = now;
  spent.nuisance = 0;
  spent.headers = 0;
}
