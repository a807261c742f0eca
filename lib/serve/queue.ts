/**
 * The push queue: who has something to be sent stands in it once, and only so many are being sent
 * to at the same time. Those who are sent much share an allowance of bytes under way, too, so that
 * memory does not grow with how many connect at once, nor with how slowly they read.
 *
 * @module
 */
import type { Yielding } from "../rpc/mod.ts";
import { type Haste, line } from "./line.ts";

/** What the queue asks of its members. */
export interface QueueOptions<T> {
  /** Members being sent to at the same time. */
  readonly slots: number;
  /** Bytes under way, beyond which no more members begin with what is {@link Haste bulk}. */
  readonly allowance?: number;
  /** How long a member that waits for its client may keep its slot, milliseconds. */
  readonly slotMs: number;
  /** How long a client may then take nothing before it is given up, milliseconds. */
  readonly stallMs: number;
  /** How long the queue runs before others get their turn, milliseconds. */
  readonly turnMs: number;
  /** Asked before a member goes on whose client caught up. */
  readonly yielding?: Yielding;
  readonly now: () => number;
  /**
   * Sends until nothing is left, or until the client has to catch up: then the promise resolves
   * when it did. Must not throw.
   */
  readonly step: (member: T) => Promise<void> | undefined;
  /** Bytes that a member's client has yet to take. */
  readonly pending?: (member: T) => number;
  /** Called when a slot is taken, with 1, or given back, with -1. */
  readonly slotTaken?: (by: 1 | -1) => void;
  /** Called when a member loses its slot, because its client does not keep up. */
  readonly slow?: (member: T) => void;
  /** Called when a client took nothing for too long. */
  readonly giveUp: (member: T) => void;
  /** Called when nobody waits or is being sent to any more. */
  readonly idle?: () => void;
}

/** A queue of members, each at most once. */
export interface PushQueue<T> {
  /** Puts a member into the line, see {@link line}. One being sent to comes again afterwards. */
  add(member: T, haste?: Haste): void;
  /** Forgets a member that is gone. */
  remove(member: T): void;
  readonly waiting: number;
  readonly active: number;
  /** Bytes that clients have yet to take. */
  readonly bytes: number;
}

/**
 * Bulk that is begun even beyond the allowance, at a time: clients that do not read hold what they
 * were sent until they are given up, and may delay others by that, but not keep them out.
 */
const LEAST_BULK = 4;

interface Run {
  readonly haste: Haste;
  /** Was added again while being sent to. */
  again: Haste | undefined;
  slot: boolean;
  bytes: number;
  timer: Timer | undefined;
}

type Timer = ReturnType<typeof setTimeout>;

/** Makes a queue. */
export function pushQueue<T>(options: QueueOptions<T>): PushQueue<T> {
  const { slots, allowance = Infinity } = options;
  /** A quarter of the slots is not for bulk, so that edits find one. */
  const bulkSlots = slots - Math.floor(slots / 4);
  const waiting = line<T>();
  const running = new Map<T, Run>();
  let active = 0;
  let activeBulk = 0;
  let bytes = 0;
  /** Takes back the next turn. */
  let turn: (() => void) | undefined;

  const bulkMay = () => activeBulk < bulkSlots && (bytes < allowance || activeBulk < LEAST_BULK);

  /** A first turn waits a moment, for what a client asks for often comes in several requests. */
  const wake = (): void =>
    schedule(() => {
      const timer = setTimeout(work, 0);
      return () => clearTimeout(timer);
    });
  const goOn = (): void =>
    schedule(() => {
      const next = setImmediate(work);
      return () => clearImmediate(next);
    });
  const schedule = (start: () => () => void): void => {
    if (turn === undefined && active < slots && waiting.has(bulkMay())) turn = start();
  };

  const work = () => {
    turn = undefined;
    const end = options.now() + options.turnMs;
    while (active < slots && options.now() < end) {
      const next = waiting.next(bulkMay());
      if (!next) break;
      advance(next.member, next.haste, undefined);
    }
    goOn();
    rest();
  };

  const rest = () => {
    if (running.size + waiting.size === 0) options.idle?.();
  };

  /** Sends on; `run` is that of a member that waited for its client. */
  const advance = (member: T, haste: Haste, run: Run | undefined) => {
    const blocked = options.step(member);
    if (!blocked) {
      if (run) finish(member, run);
      return;
    }
    if (!run) {
      run = { haste, again: undefined, slot: true, bytes: 0, timer: undefined };
      running.set(member, run);
      active++;
      options.slotTaken?.(1);
      if (haste === "bulk") activeBulk++;
    }
    wait(member, run, blocked);
  };

  const wait = (member: T, run: Run, blocked: Promise<void>) => {
    bytes += run.bytes = options.pending?.(member) ?? 0;
    run.timer = setTimeout(() => {
      leaveSlot(run);
      options.slow?.(member);
      run.timer = setTimeout(() => options.giveUp(member), options.stallMs);
    }, options.slotMs);
    blocked.then(async () => {
      clearTimeout(run.timer);
      giveBack(run);
      const { yielding } = options;
      for (let pause = yielding?.(); pause; pause = yielding?.()) await pause;
      if (running.get(member) !== run) return;
      if (run.slot) {
        advance(member, run.haste, run);
      } else {
        // It lost its slot and takes its turn like all others.
        running.delete(member);
        waiting.add(member, run.haste, true);
        wake();
      }
    });
  };

  const giveBack = (run: Run) => {
    bytes -= run.bytes;
    run.bytes = 0;
    wake();
  };

  const leaveSlot = (run: Run) => {
    if (!run.slot) return;
    run.slot = false;
    active--;
    options.slotTaken?.(-1);
    if (run.haste === "bulk") activeBulk--;
    wake();
  };

  const finish = (member: T, run: Run) => {
    running.delete(member);
    leaveSlot(run);
    if (run.again) waiting.add(member, run.again);
    wake();
    rest();
  };

  return {
    add(member, haste = "usual") {
      const run = running.get(member);
      if (run) {
        run.again = haste;
        return;
      }
      waiting.add(member, haste);
      wake();
    },
    remove(member) {
      waiting.delete(member);
      const run = running.get(member);
      if (run) {
        running.delete(member);
        clearTimeout(run.timer);
        giveBack(run);
        leaveSlot(run);
      }
      if (waiting.size === 0) {
        turn?.();
        turn = undefined;
      }
      rest();
    },
    get waiting() {
      return waiting.size;
    },
    get active() {
      return active;
    },
    get bytes() {
      return bytes;
    },
  };
}
