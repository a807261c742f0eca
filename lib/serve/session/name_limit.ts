/**
 * The bound on the memory of the resource names of all streams together. Names that several streams
 * share are stored once, so the proxies of one mesh need little; clients that ask for names of their
 * own need much.
 *
 * @module
 */
import { addressOf } from "../admission/admission.ts";
import { Refusal } from "../admission/refusals.ts";
import type { EncodedNames } from "../wire/request.ts";
import type { ServerContext, Session } from "./context.ts";
import { closeSession } from "./session.ts";

/** All streams, and the bound on their names in bytes. */
export interface NameLimit {
  readonly context: ServerContext;
  readonly sessions: ReadonlySet<Session>;
  readonly maxBytes: number;
}

/** The sender of a request. */
export interface Subscriber {
  /** `address:port`, or `unix`. */
  readonly peer: string;
  /** `undefined` for the first request. */
  readonly session: Session | undefined;
}

/**
 * Checks if there is memory for the names of a request, before they are decoded: decoding a large
 * list costs as much as keeping it. Throws {@link Refusal}. Names that are known or that exist cost
 * nothing; their part is estimated from a sample. A client may use free memory, and memory of streams
 * that use much more than its own.
 */
export function checkNames(
  { context, sessions, maxBytes }: NameLimit,
  { peer, session }: Subscriber,
  { typeUrl, bytes, sample }: EncodedNames,
): void {
  const { names } = context;
  const free = maxBytes - names.bytes;
  if (bytes <= free) return;
  const allowed = Math.max(free, share(sessions, addressOf(peer)));
  if (bytes <= allowed) return;
  const view = session?.binding.view(typeUrl);
  const sampled = sample();
  const isNew = (name: string) => names.find(name) === undefined && !view?.get(name);
  const needed = bytes * sampled.filter(isNew).length / Math.max(1, sampled.length);
  if (needed > allowed) throw tooMuch();
}

/**
 * Ends streams while the names of all streams take too much memory: the stream that added the most
 * names, of the address whose streams added the most.
 */
export function limitNames({ context, sessions, maxBytes }: NameLimit): void {
  while (context.names.bytes > maxBytes) {
    const { largest } = heaviestAddress(sessions);
    if (!largest) return;
    // Its names are given back now: the next request must not end another stream for them.
    closeSession(largest);
    largest.call.finish(tooMuch());
  }
}

function tooMuch(): Refusal {
  return new Refusal(
    "memory",
    "RESOURCE_EXHAUSTED",
    "the resource names of all streams take too much memory",
  );
}

/**
 * Memory that a client may take from others, bytes: from another address up to the same amount for
 * both, from its own address half of what the largest stream has. So clients cannot displace each
 * other again and again.
 */
function share(sessions: ReadonlySet<Session>, address: string): number {
  const { heaviest, largest, sums } = heaviestAddress(sessions);
  if (!largest) return Infinity;
  if (heaviest === address) return largest.newNames / 2;
  return sums.get(heaviest)! - (sums.get(address) ?? 0);
}

/** Memory of the names that the streams of each address added, and the largest stream of the largest address. */
function heaviestAddress(sessions: ReadonlySet<Session>): {
  readonly sums: ReadonlyMap<string, number>;
  readonly heaviest: string;
  readonly largest: Session | undefined;
} {
  const sums = new Map<string, number>();
  const most = new Map<string, Session>();
  let heaviest = "";
  for (const session of sessions) {
    if (session.closed) continue;
    const address = addressOf(session.call.peer);
    const sum = (sums.get(address) ?? 0) + session.newNames;
    sums.set(address, sum);
    if (session.newNames > (most.get(address)?.newNames ?? -1)) most.set(address, session);
    if (!most.has(heaviest) || sum > sums.get(heaviest)!) heaviest = address;
  }
  return { sums, heaviest, largest: most.get(heaviest) };
}
