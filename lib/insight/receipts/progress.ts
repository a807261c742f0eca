/**
 * Progress of streams: unanswered publications of each stream, and the effect of its answers.
 *
 * @module
 */
import type {
  ObservedStream,
  RejectedEvent,
  SettledEvent,
  WithheldEvent,
} from "../../mesh/xds/mod.ts";
import { type Bits, hasBit, meets, numbersOf, union, withBit } from "./bits.ts";
import { CLOSED, type Member, PENDING, type Rollout, SETTLED, type TypeChange } from "./rollout.ts";

/** A publication that a stream has not answered yet, of one type. */
interface Open {
  readonly change: TypeChange;
  readonly member: Member;
}

/** Follows streams. */
export interface Progress {
  add(stream: ObservedStream, open: Open): void;
  rejected(event: RejectedEvent): void;
  withheld(event: WithheldEvent): void;
  settled(event: SettledEvent): void;
  closed(stream: ObservedStream, time: number): void;
  /** Drops a publication, even with pending streams. */
  forget(rollout: Rollout): void;
}

const NOTHING: Bits = new Uint32Array(0);

/** Creates progress without streams. `done` is called when a publication has no pending streams. */
export function progress(done: (rollout: Rollout, time: number) => void): Progress {
  return new OpenPublications(done);
}

class OpenPublications implements Progress {
  /** By type, oldest first. */
  readonly #open = new Map<ObservedStream, Map<string, Open[]>>();
  readonly #done: (rollout: Rollout, time: number) => void;

  constructor(done: (rollout: Rollout, time: number) => void) {
    this.#done = done;
  }

  add(stream: ObservedStream, one: Open): void {
    let byType = this.#open.get(stream);
    if (!byType) this.#open.set(stream, byType = new Map());
    const list = byType.get(one.change.typeUrl);
    // A stream with two views of a type in one publication is one member.
    if (list) list.push(one);
    else byType.set(one.change.typeUrl, [one]);
  }

  rejected({ stream, typeUrl, from, revision, names, message }: RejectedEvent): void {
    for (const { change, member } of this.#listOf(stream, typeUrl)) {
      if (change.rollout.revision <= from || change.rollout.revision > revision) continue;
      const bits = numbers(change, names);
      if (!meets(bits, member.names)) continue;
      // Several responses may carry one publication: the rejections of all of them count.
      const before = member.rejected?.names ?? NOTHING;
      member.rejected = { names: change.pool.share(union(before, bits)), message };
    }
  }

  withheld({ stream, typeUrl, from, revision, names }: WithheldEvent): void {
    for (const { change, member } of this.#listOf(stream, typeUrl)) {
      if (change.rollout.revision <= from || change.rollout.revision > revision) continue;
      const bits = numbers(change, names);
      if (!meets(bits, member.names)) continue;
      member.withheld = change.pool.share(union(member.withheld ?? NOTHING, bits));
    }
  }

  settled({ stream, typeUrl, revision, time }: SettledEvent): void {
    const list = this.#listOf(stream, typeUrl);
    let count = 0;
    while (count < list.length && list[count]!.change.rollout.revision <= revision) count++;
    if (count === 0) return;
    const answered = list.splice(0, count);
    for (let i = 0; i < count - 1; i++) {
      answered[i]!.member.covered = coveredBy(answered[i]!, answered.slice(i + 1));
    }
    for (const one of answered) this.#settle(one, SETTLED, time);
  }

  closed(stream: ObservedStream, time: number): void {
    for (const list of this.#open.get(stream)?.values() ?? []) {
      for (const one of list) this.#settle(one, CLOSED, time);
    }
    this.#open.delete(stream);
  }

  forget(rollout: Rollout): void {
    if (rollout.open === 0) return;
    for (const byType of this.#open.values()) {
      for (const list of byType.values()) {
        while (list[0] && list[0].change.rollout.revision <= rollout.revision) list.shift();
      }
    }
  }

  #listOf(stream: ObservedStream, typeUrl: string): Open[] {
    return this.#open.get(stream)?.get(typeUrl) ?? [];
  }

  #settle({ change, member }: Open, state: Member["state"], time: number): void {
    if (member.state !== PENDING) return;
    member.state = state;
    member.at = time;
    if (--change.rollout.open === 0) this.#done(change.rollout, time);
  }
}

function numbers({ index, pool }: TypeChange, names: readonly string[]): Bits {
  let bits = NOTHING;
  for (const name of names) {
    const at = index.get(name);
    if (at !== undefined) bits = withBit(bits, at);
  }
  return pool.share(bits);
}

/** Names of a publication that later ones with the same answer changed again. */
function coveredBy({ change, member }: Open, later: readonly Open[]): Bits {
  let bits = NOTHING;
  for (const number of numbersOf(member.names)) {
    const name = change.names[number]!;
    const again = later.some((one) => {
      const at = one.change.index.get(name);
      return at !== undefined && hasBit(one.member.names, at);
    });
    if (again) bits = withBit(bits, number);
  }
  return change.pool.share(bits);
}
