/**
 * The bound on the memory of the resource names of all streams together. Names that several streams
 * share are stored once, so the proxies of one mesh need little; clients that ask for names of their
 * own need much.
 *
 * @module
 */
import { addressOf, Refusal } from "../admission/mod.ts";
import { type EncodedNames, namesMemory } from "../wire/mod.ts";
import type { ServerContext, Session } from "./session.ts";
import { closeSession } from "./events.ts";

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
  limit: NameLimit,
  { peer, session }: Subscriber,
  { typeUrl, bytes, sample }: EncodedNames,
): void {
  const { names } = limit.context;
  const free = limit.maxBytes - names.bytes;
  if (bytes <= free) return;
  const allowed = Math.max(free, share(limit, addressOf(peer)));
  if (bytes <= allowed) return;
  const view = session?.binding.view(typeUrl);
  const sampled = sample();
  const isNew = (name: string) => names.find(name) === undefined && !view?.get(name);
  const needed = bytes * sampled.filter(isNew).length / Math.max(1, sampled.length);
  if (needed > allowed) throw tooMuch();
}

/**
 * Ends streams while the names of all streams take too much memory: the stream with the most names
 * without a resource, of the address whose streams have the most of them.
 */
export function limitNames({ context, sessions, maxBytes }: NameLimit): void {
  while (context.names.bytes > maxBytes) {
    const largest = heaviestStream({ context, sessions, maxBytes });
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
 * other again and again. All names count, because nothing tells before the first request of a stream
 * which of its names have resources.
 */
function share({ sessions }: NameLimit, address: string): number {
  const [heaviest, ...others] = addressesOf(sessions);
  if (heaviest === undefined) return Infinity;
  if (heaviest.address === address) return Math.max(...heaviest.streams.map(allNames)) / 2;
  return heaviest.bytes - (others.find((one) => one.address === address)?.bytes ?? 0);
}

/** The open streams of an address, and the memory of their names, bytes. */
interface Address {
  readonly address: string;
  readonly streams: readonly Session[];
  readonly bytes: number;
}

/** The addresses, those with the most memory first. */
function addressesOf(sessions: ReadonlySet<Session>): Address[] {
  const open = [...sessions].filter(({ closed }) => !closed);
  const byAddress = Map.groupBy(open, ({ call }) => addressOf(call.peer));
  return [...byAddress].map(([address, streams]) => ({
    address,
    streams,
    bytes: streams.reduce((sum, stream) => sum + allNames(stream), 0),
  })).sort((a, b) => b.bytes - a.bytes);
}

/**
 * Finds the stream with the most memory of names without a resource, of the address with the most of
 * it. A name that several streams hold counts for each of them, so a name does not lose its owner
 * when the stream that added it ends. Names are looked up only for addresses whose names could weigh
 * more than those of the heaviest address so far.
 */
function heaviestStream({ context, sessions, maxBytes }: NameLimit): Session | undefined {
  if (context.names.bytes < context.searchNamesAbove) return undefined;
  let largest: Session | undefined;
  let most = 0;
  for (const { streams, bytes } of addressesOf(sessions)) {
    if (bytes <= most) break;
    const charges = streams.map(chargeOf);
    const sum = charges.reduce((total, charge) => total + charge, 0);
    if (sum <= most) continue;
    most = sum;
    largest = streams[charges.indexOf(Math.max(...charges))];
  }
  context.searchNamesAbove = largest ? 0 : context.names.bytes + maxBytes * GROWTH;
  return largest;
}

/**
 * Growth of the table, as a part of the bound, after which streams are searched again when all names
 * had resources: a search looks up every name of every stream.
 */
const GROWTH = 1 / 64;

/** Memory of all names of a stream, bytes. */
function allNames({ subscriptions }: Session): number {
  return subscriptions.reduce(
    (sum, { names }) => sum + namesMemory(names.characters, names.size),
    0,
  );
}

/** Memory of the names of a stream that no resource has, bytes. */
function chargeOf({ subscriptions, binding }: Session): number {
  let bytes = 0;
  for (const { type, names } of subscriptions) {
    const view = binding.view(type.url);
    for (const name of names) if (!view?.get(name)) bytes += namesMemory(name.length, 1);
  }
  return bytes;
}
