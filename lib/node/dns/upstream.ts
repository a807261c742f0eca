/**
 * Forwarding queries to nameservers.
 *
 * Each query has a socket of its own, thus a random port, and a random id; a response must come from
 * the address that was asked and have the id and the question. Somebody who cannot see the query has
 * to forge that address and to guess about 31 bits.
 *
 * @module
 */
import { createSocket } from "node:dgram";
import { scope } from "../../kit/log/mod.ts";
import { canonicalIp } from "../../kit/text/mod.ts";
import {
  isResponseTo,
  isTruncated,
  MAX_MESSAGE_BYTES,
  type Query,
  RCODE,
  rcodeOf,
  withId,
} from "./message.ts";
import { upstreamDuration, upstreamFailures, upstreamRequests } from "./metrics.ts";
import { readMessage, writeMessage } from "./stream.ts";

export interface Nameserver {
  readonly hostname: string;
  readonly port: number;
}

/** Options of {@link createForwarder}. */
export interface ForwarderOptions {
  /** In the order of preference. */
  readonly nameservers: readonly Nameserver[];
  /** Ask all at once. */
  readonly parallel: boolean;
  /** Time for one query, ms. Asked one after the other, each nameserver has its share, at least a second. */
  readonly timeout?: number;
  /** Queries at the same time; more are answered with SERVFAIL. */
  readonly maxQueries?: number;
}

/** Forwards queries. */
export interface Forwarder {
  /** Gives the response with the id of the query; `undefined`: no nameserver answered. */
  forward(message: Uint8Array, query: Query, tcp: boolean): Promise<Uint8Array | undefined>;
  /** Reports if a local port is used for a query at the moment. */
  isOwnPort(port: number): boolean;
  /** Gives up all queries. */
  close(): void;
}

interface Exchange {
  readonly message: Uint8Array;
  readonly question: Uint8Array;
  readonly id: number;
  readonly tcp: boolean;
  readonly ownPorts: Set<number>;
}

const TIMEOUT_MS = 5000;
const MIN_SHARE_MS = 1000;
const MAX_QUERIES = 1024;

const log = scope("dns");

export function createForwarder(options: ForwarderOptions): Forwarder {
  const { nameservers, parallel, timeout = TIMEOUT_MS, maxQueries = MAX_QUERIES } = options;
  const closing = new AbortController();
  const ownPorts = new Set<number>();
  let queries = 0;
  const ask = async (message: Uint8Array, query: Query, tcp: boolean) => {
    const id = crypto.getRandomValues(new Uint16Array(1))[0] ?? 0;
    const exchange = { message: withId(message, id), question: query.question, id, tcp, ownPorts };
    return parallel
      ? await firstOf(nameservers, exchange, deadline(timeout, closing.signal))
      : await inOrder(nameservers, exchange, { timeout, closing: closing.signal });
  };
  return {
    isOwnPort: (port) => ownPorts.has(port),
    close: () => closing.abort(),
    async forward(message, query, tcp) {
      upstreamRequests.inc();
      const started = performance.now();
      if (queries >= maxQueries || nameservers.length === 0) return failed();
      queries++;
      try {
        const response = await ask(message, query, tcp);
        if (response === undefined) return failed();
        upstreamDuration.observe((performance.now() - started) / 1000);
        return withId(response, query.id);
      } finally {
        queries--;
      }
    },
  };
}

function failed(): undefined {
  upstreamFailures.inc();
  return undefined;
}

function deadline(ms: number, closing: AbortSignal): AbortSignal {
  return AbortSignal.any([AbortSignal.timeout(ms), closing]);
}

/** A response that the next nameserver could not better. */
function isFinal(response: Uint8Array): boolean {
  const rcode = rcodeOf(response);
  return rcode !== RCODE.SERVFAIL && rcode !== RCODE.REFUSED;
}

async function inOrder(
  nameservers: readonly Nameserver[],
  exchange: Exchange,
  { timeout, closing }: { readonly timeout: number; readonly closing: AbortSignal },
): Promise<Uint8Array | undefined> {
  const share = Math.max(MIN_SHARE_MS, timeout / nameservers.length);
  let last: Uint8Array | undefined;
  for (const nameserver of nameservers) {
    if (closing.aborted) break;
    const response = await exchangeWith(nameserver, exchange, deadline(share, closing));
    if (response !== undefined && isFinal(response)) return response;
    last = response ?? last;
  }
  return last;
}

async function firstOf(
  nameservers: readonly Nameserver[],
  exchange: Exchange,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  let last: Uint8Array | undefined;
  const all = nameservers.map(async (nameserver) => {
    const response = await exchangeWith(nameserver, exchange, either);
    last = response ?? last;
    if (response === undefined || !isFinal(response)) throw new Error("no final response");
    return response;
  });
  try {
    return await Promise.any(all);
  } catch {
    return last;
  } finally {
    done.abort();
    await Promise.allSettled(all);
  }
}

async function exchangeWith(
  nameserver: Nameserver,
  exchange: Exchange,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  try {
    return await (exchange.tcp ? overTcp : overUdp)(nameserver, exchange, signal);
  } catch (error) {
    const reason = signal.aborted ? "no answer in time" : (error as Error).message;
    log.debug("a nameserver did not answer", { nameserver: nameserver.hostname, reason });
    return undefined;
  }
}

function overUdp(
  { hostname, port }: Nameserver,
  { message, question, id, ownPorts }: Exchange,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const socket = createSocket(hostname.includes(":") ? "udp6" : "udp4");
    let own = -1;
    const end = (finish: () => void) => {
      signal.removeEventListener("abort", abort);
      ownPorts.delete(own);
      socket.removeAllListeners("message");
      try {
        socket.close();
      } catch { /* It was closed by an error. */ }
      finish();
    };
    const abort = () => end(() => reject(signal.reason));
    signal.addEventListener("abort", abort, { once: true });
    socket.on("error", (error) => end(() => reject(error)));
    const asked = answeringAddress(hostname);
    socket.on("message", (response: Uint8Array, from) => {
      // Others can send to this port too.
      if (from.port !== port || canonicalIp(from.address) !== asked) return;
      if (!isResponseTo(response, id, question)) return;
      const copy = new Uint8Array(response);
      end(() => resolve(copy));
    });
    socket.bind(0, () => {
      if (signal.aborted) return;
      own = socket.address().port;
      ownPorts.add(own);
      socket.send(message, port, hostname, (error) => {
        if (error) end(() => reject(error));
      });
    });
  });
}

/** The address from which a nameserver answers; the unspecified addresses mean this machine. */
function answeringAddress(hostname: string): string {
  const address = canonicalIp(hostname);
  if (address === canonicalIp("0.0.0.0")) return canonicalIp("127.0.0.1");
  return address === canonicalIp("::") ? canonicalIp("::1") : address;
}

async function overTcp(
  { hostname, port }: Nameserver,
  { message, question, id, ownPorts }: Exchange,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const connection = await Deno.connect({ hostname, port, signal });
  const own = (connection.localAddr as Deno.NetAddr).port;
  ownPorts.add(own);
  const close = () => connection.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    await writeMessage(connection, message);
    const response = await readMessage(connection, MAX_MESSAGE_BYTES);
    if (response === undefined || !isResponseTo(response, id, question) || isTruncated(response)) {
      throw new Error("the response does not belong to the query");
    }
    return response;
  } finally {
    ownPorts.delete(own);
    signal.removeEventListener("abort", close);
    if (!signal.aborted) close();
  }
}
