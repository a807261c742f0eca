/**
 * Builds receipts on request from the stored data.
 *
 * @module
 */
import { type Bits, common, meets, withBit, within } from "./bits.ts";
import { CLOSED, type Entry, type Member, PENDING, type TypeChange } from "./rollout.ts";
import { type Outcome, OUTCOMES, type Receipt, type StreamOutcome } from "./types.ts";

/** Maximum of resources and streams in a receipt. */
const LISTED = { resources: 200, streams: 50 };

export function receiptOf(entry: Entry): Receipt {
  const { edited, rollout } = entry;
  const streams = streamOutcomes(entry);
  const sessions = { concerned: streams.size, ...countsOf(streams) };
  const since = edited.seenAt ?? rollout.publishedAt;
  const acks = [...streams.values()]
    .filter(({ outcome }) => outcome === "acknowledged")
    .map(({ at }) => at)
    .sort((a, b) => a - b);
  const waits = acks.map((at) => at - since);
  return {
    ...edited,
    revision: rollout.revision,
    publishedAt: rollout.publishedAt,
    resources: resourcesOf(entry),
    resourceCount: [...entry.changed.values()].reduce((sum, { length }) => sum + length, 0),
    exact: rollout.exact,
    sessions,
    complete: sessions.pending === 0,
    firstAckAt: acks[0],
    lastAckAt: acks.at(-1),
    p50Ms: quantile(waits, 0.5),
    p99Ms: quantile(waits, 0.99),
    streams: listed(streams),
  };
}

interface Part {
  readonly outcome: Outcome;
  readonly at: number;
  readonly message?: string;
}

/** The outcome of each affected stream: of several types, the most significant one. */
function streamOutcomes(entry: Entry): Map<string, Part> {
  const streams = new Map<string, Part>();
  for (const [change, numbers] of entry.changed) {
    const changed = bitsOf(numbers);
    for (const member of change.members) {
      if (!meets(changed, member.names)) continue;
      const part = partOf(common(changed, member.names), member);
      const other = streams.get(member.id);
      streams.set(member.id, other ? worse(part, other) : part);
    }
  }
  return streams;
}

function bitsOf(numbers: readonly number[]): Bits {
  let bits: Bits = new Uint32Array(0);
  for (const number of numbers) bits = withBit(bits, number);
  return bits;
}

function partOf(names: Bits, { state, at, rejected, withheld, covered }: Member): Part {
  if (rejected && meets(names, rejected.names)) {
    return { outcome: "rejected", at, message: rejected.message };
  }
  if (state === PENDING) return { outcome: "pending", at };
  if (withheld && meets(names, withheld)) return { outcome: "withheld", at };
  if (state === CLOSED) return { outcome: "closed", at };
  return { outcome: covered && within(names, covered) ? "superseded" : "acknowledged", at };
}

function worse(a: Part, b: Part): Part {
  const [first, second] = OUTCOMES.indexOf(a.outcome) <= OUTCOMES.indexOf(b.outcome)
    ? [a, b]
    : [b, a];
  return { ...first, at: Math.max(first.at, second.at) };
}

function countsOf(streams: ReadonlyMap<string, Part>): Record<Outcome, number> {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]));
  for (const { outcome } of streams.values()) counts[outcome]! += 1;
  return counts as Record<Outcome, number>;
}

function resourcesOf({ changed }: Entry): { typeUrl: string; name: string }[] {
  const all: { typeUrl: string; name: string }[] = [];
  const take = ({ typeUrl, names }: TypeChange, numbers: readonly number[]): void => {
    for (const number of numbers.slice(0, LISTED.resources - all.length)) {
      all.push({ typeUrl, name: names[number]! });
    }
  };
  for (const [change, numbers] of changed) take(change, numbers);
  return all;
}

function listed(streams: ReadonlyMap<string, Part>): StreamOutcome[] {
  const list: StreamOutcome[] = [];
  for (const [id, { outcome, message }] of streams) {
    if (outcome === "acknowledged") continue;
    if (list.length >= LISTED.streams) break;
    list.push({ id, outcome, ...(message !== undefined && { message }) });
  }
  return list;
}

/** A percentile of sorted numbers. */
function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
}
