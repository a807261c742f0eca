/**
 * Answers queries: from the names of the mesh, or by nameservers.
 *
 * @module
 */
import { onceLogger, scope } from "../../kit/log/mod.ts";
import {
  MAX_MESSAGE_BYTES,
  type Query,
  RCODE,
  readQuery,
  truncatedReply,
  writeAnswer,
} from "./message.ts";
import { requests } from "./metrics.ts";
import { MAX_UDP_BYTES, TYPE } from "./record.ts";
import type { Names } from "./table.ts";
import type { Forwarder } from "./upstream.ts";

/** Seconds that clients may keep an answer from the mesh. */
const TTL_S = 30;

/** Time without a name table after which names are forwarded, ms: the daemon may be away for long. */
const TABLE_PATIENCE_MS = 10_000;

/** Options of {@link createResolver}. */
export interface ResolverOptions {
  /** The names; `undefined` until they arrive. */
  readonly names: () => Names | undefined;
  readonly forwarder: Forwarder;
  /** From 0 to 1; for the order of addresses. */
  readonly random: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** Origin of a message. */
export interface Client {
  readonly tcp: boolean;
  readonly port: number;
}

/** Answers a message; `undefined`: it gets no answer. */
export type Resolver = (message: Uint8Array, client: Client) => Promise<Uint8Array | undefined>;

const log = scope("dns");

export function createResolver(options: ResolverOptions): Resolver {
  const { names, forwarder, now } = options;
  const until = now() + TABLE_PATIENCE_MS;
  const once = onceLogger(log);
  return async (message, client) => {
    const query = readQuery(message);
    if ("kind" in query) return query.kind === "drop" ? undefined : query.reply;
    requests.inc();
    const limit = client.tcp ? MAX_MESSAGE_BYTES : query.udpBytes;
    const fail = () => writeAnswer(query, { rcode: RCODE.SERVFAIL, addresses: [], ttl: 0 }, limit);
    if (forwarder.isOwnPort(client.port)) {
      once("loop")?.warn("a query of this DNS proxy came back to it", {
        remedy: "Run the agent as the user or group that mesh-iptables leaves out.",
      });
      return fail();
    }
    const table = names();
    if (table === undefined && now() < until) return fail();
    const local = table && localAnswer(query, table, options.random, limit);
    if (local !== undefined) return local;
    const response = await forwarder.forward(message, query, client.tcp);
    if (response === undefined) return fail();
    const tooLong = !client.tcp && response.length > Math.max(limit, MAX_UDP_BYTES);
    return tooLong ? truncatedReply(query) : response;
  };
}

/** The answer from the table, or `undefined` for questions that nameservers answer. */
function localAnswer(
  query: Query,
  names: Names,
  random: () => number,
  limit: number,
): Uint8Array | undefined {
  if (query.name === undefined || !query.internet) return undefined;
  if (query.type !== TYPE.A && query.type !== TYPE.AAAA) return undefined;
  const found = names.find(query.name);
  if (found === undefined) return undefined;
  const addresses = shuffled(query.type === TYPE.A ? found.ipv4 : found.ipv6, random);
  const alias = addresses.length > 0 ? found.alias : undefined;
  return writeAnswer(
    query,
    { rcode: RCODE.NOERROR, addresses, ttl: TTL_S, ...alias && { alias } },
    limit,
  );
}

/** Fisher–Yates. */
function shuffled(list: readonly string[], random: () => number): readonly string[] {
  const all = [...list];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  return all;
}
