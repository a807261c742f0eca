/**
 * The limit of UDP answers for each source: a UDP query can carry a forged source address, and the
 * answers would flood that address.
 *
 * @module
 */
import { TokenBucket, type TokenRate } from "../../kit/async/mod.ts";

/** Handling of a query: `truncate` is an answer without records, after which clients ask over TCP. */
export type Verdict = "answer" | "truncate" | "drop";

/** Decides about a query of an address. */
export type SourceLimit = (address: string) => Verdict;

/** Options of {@link createSourceLimit}. */
export interface SourceLimitOptions {
  /** Reports that the address belongs to this host, and cannot be forged by others. */
  readonly isOwn: (address: string) => boolean;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** Answers a second to one source. A busy resolver of a machine asks less. */
export const ANSWERS_PER_SECOND = 200;
/** Answers at once to a source that was silent. */
export const BURST = 400;
/** One in this many queries over the limit gets a truncated answer; the rest get none. */
const SLIP = 2;
/** Sources that are remembered; the one that was added first is forgotten for a new one. */
const MAX_SOURCES = 8192;

interface Source {
  readonly bucket: TokenBucket;
  refused: number;
}

/** Creates a limit. A source is an IPv4 address or an IPv6 network of 64 bits. */
export function createSourceLimit({ isOwn, now }: SourceLimitOptions): SourceLimit {
  const rate: TokenRate = { perSecond: ANSWERS_PER_SECOND, burst: BURST, now };
  const sources = new Map<string, Source>();
  return (address) => {
    if (isOwn(address)) return "answer";
    const source = sourceOf(sources, networkOf(address), rate);
    if (source.bucket.take()) return "answer";
    return source.refused++ % SLIP === 0 ? "truncate" : "drop";
  };
}

function sourceOf(sources: Map<string, Source>, key: string, rate: TokenRate): Source {
  const known = sources.get(key);
  if (known) return known;
  if (sources.size >= MAX_SOURCES) sources.delete(sources.keys().next().value!);
  const source = { bucket: new TokenBucket(rate), refused: 0 };
  sources.set(key, source);
  return source;
}

/** The first 64 bits of an IPv6 address; hosts choose the rest freely. */
function networkOf(address: string): string {
  const [plain = ""] = address.split("%");
  if (!plain.includes(":")) return plain;
  const mapped = /^::ffff:([\d.]+)$/i.exec(plain);
  if (mapped) return mapped[1]!;
  const [head = "", tail] = plain.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  return [...front, ...Array(Math.max(0, zeros)).fill("0"), ...back].slice(0, 4).join(":");
}
