/**
 * The push queue: who has something to be sent stands in it once, and only so many are being sent
 * to at the same time.
 *
 * @module
 */

/** What the queue asks of its members. */
export interface QueueOptions<T> {
  /** Members being sent to at the same time. */
  readonly slots: number;
  /** How long a member that waits for its client may keep its slot, milliseconds. */
  readonly slotMs: number;
  /** How long a client may then take nothing before it is given up, milliseconds. */
  readonly stallMs: number;
  /** How long the queue runs before others get their turn, milliseconds. */
  readonly turnMs: number;
  readonly now: () => number;
  /**
   * Sends until nothing is left, or until the client has to catch up: then the promise resolves
   * when it did. Must not throw.
   */
  readonly step: (member: T) => Promise<void> | undefined;
  /** Called when a client took nothing for too long. */
  readonly giveUp: (member: T) => void;
}

/** A queue of members, each at most once. */
export interface PushQueue<T> {
  /**
   * Puts a member at the end, unless it waits already. One being sent to comes again afterwards.
   * Urgent members take their turns before the others; these have one turn in {@link STREAK} at least.
   */
  add(member: T, urgent?: boolean): void;
  /** Forgets a member that is gone. */
  remove(member: T): void;
  readonly waiting: number;
  readonly active: number;
}

/** Turns that urgent members have one after the other while others wait. */
const STREAK = 16;

interface Run {
  /** Was added again while being sent to. */
  again: boolean;
  slot: boolean;
  timer: Timer | undefined;
}

type Timer = ReturnType<typeof setTimeout>;

/** Makes a queue. */
export function pushQueue<T>(options: QueueOptions<T>): PushQueue<T> {
  const waiting = new Set<T>();
  const urgent = new Set<T>();
  let streak = 0;
  const running = new Map<T, Run>();
  let active = 0;
  let turn: Timer | undefined;

  const wake = () => {
    if (turn === undefined && waiting.size + urgent.size > 0 && active < options.slots) {
      turn = setTimeout(work, 0);
    }
  };

  const work = () => {
    turn = undefined;
    const end = options.now() + options.turnMs;
    while (active < options.slots && options.now() < end) {
      const member = next();
      if (member === undefined) return;
      advance(member, undefined);
    }
    wake();
  };

  /** Whose turn it is. */
  const next = (): T | undefined => {
    const hasty = urgent.size > 0 && (waiting.size === 0 || streak < STREAK);
    streak = hasty ? streak + 1 : 0;
    for (const member of hasty ? urgent : waiting) {
      urgent.delete(member);
      waiting.delete(member);
      return member;
    }
    return undefined;
  };

  /** Sends on; `run` is that of a member that waited for its client. */
  const advance = (member: T, run: Run | undefined) => {
    const blocked = options.step(member);
    if (!blocked) {
      if (run) finish(member, run);
      return;
    }
    if (!run) {
      run = { again: false, slot: true, timer: undefined };
      running.set(member, run);
      active++;
    }
    wait(member, run, blocked);
  };

  const wait = (member: T, run: Run, blocked: Promise<void>) => {
    run.timer = setTimeout(() => {
      leaveSlot(run);
      run.timer = setTimeout(() => options.giveUp(member), options.stallMs);
    }, options.slotMs);
    blocked.then(() => {
      clearTimeout(run.timer);
      if (running.get(member) !== run) return;
      if (run.slot) {
        advance(member, run);
      } else {
        // It lost its slot and takes its turn like all others.
        running.delete(member);
        waiting.add(member);
        wake();
      }
    });
  };

  const leaveSlot = (run: Run) => {
    if (!run.slot) return;
    run.slot = false;
    active--;
    wake();
  };

  const finish = (member: T, run: Run) => {
    running.delete(member);
    leaveSlot(run);
    if (run.again) waiting.add(member);
    wake();
  };

  return {
    add(member, isUrgent = false) {
      const run = running.get(member);
      if (run) {
        run.again = true;
        return;
      }
      // Who is due more than endpoints is sent all of it in one turn, and waits for that like all.
      if (!isUrgent || waiting.has(member)) {
        urgent.delete(member);
        waiting.add(member);
      } else {
        urgent.add(member);
      }
      wake();
    },
    remove(member) {
      waiting.delete(member);
      urgent.delete(member);
      if (waiting.size + urgent.size === 0) {
        clearTimeout(turn);
        turn = undefined;
      }
      const run = running.get(member);
      if (!run) return;
      running.delete(member);
      clearTimeout(run.timer);
      leaveSlot(run);
    },
    get waiting() {
      return waiting.size + urgent.size;
    },
    get active() {
      return active;
    },
  };
}
