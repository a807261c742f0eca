/**
 * The push queue: each session with pending changes waits in it once, and the number of concurrent
 * pushes is limited. Bulk pushes also have an allowance of unsent bytes, so that memory does not
 * grow with the number of connecting clients or with their slowness.
 *
 * A client that does not read keeps its slot for a second, or for less while others wait (see
 * `contention.ts`). It is disconnected if it makes no progress for longer.
 *
 * @module
 */
import { type Holder, REVIEW_MS, reviewHolders } from "./contention.ts";
import { type Priority, type PriorityQueue, priorityQueue } from "./priority_queue.ts";
import type { PushQueue, QueueOptions } from "./push_queue_options.ts";

/** Bulk that is begun even beyond the allowance, at the same time. */
const LEAST_BULK = 4;

type Timer = ReturnType<typeof setTimeout>;

/** A member that is being sent to, and waits for its client. */
interface Run<T> extends Holder {
  readonly member: T;
  readonly priority: Priority;
  /** The priority it was added again with meanwhile. */
  again: Priority | undefined;
  timer: Timer | undefined;
}

/** Makes an empty queue. */
export function pushQueue<T>(options: QueueOptions<T>): PushQueue<T> {
  const queue = new Queue(options);
  return {
    add: (member, priority = "normal") => queue.add(member, priority),
    remove: (member) => queue.remove(member),
    get waiting() {
      return queue.waiting.size;
    },
    get active() {
      return queue.active;
    },
    get bytes() {
      return queue.bytes;
    },
  };
}

class Queue<T> {
  readonly waiting: PriorityQueue<T>;
  readonly #running = new Map<T, Run<T>>();
  readonly #options: QueueOptions<T>;
  readonly #bulkSlots: number;
  active = 0;
  #activeBulk = 0;
  /** Number of bulk members that count for the allowance. */
  #countedBulk = 0;
  bytes = 0;
  /** Cancels the next turn. */
  #turn: (() => void) | undefined;
  #review: Timer | undefined;

  constructor(options: QueueOptions<T>) {
    this.#options = options;
    this.waiting = priorityQueue(options.connectionOf);
    // A quarter of the slots is not for bulk, so that edits find one.
    this.#bulkSlots = options.slots - Math.floor(options.slots / 4);
  }

  add(member: T, priority: Priority): void {
    const run = this.#running.get(member);
    if (run) {
      run.again = priority;
      return;
    }
    this.waiting.add(member, priority);
    this.#wake();
  }

  remove(member: T): void {
    this.waiting.delete(member);
    const run = this.#running.get(member);
    if (run) {
      this.#running.delete(member);
      clearTimeout(run.timer);
      this.#giveBytesBack(run);
      this.#leaveSlot(run);
    }
    if (this.waiting.size === 0) {
      this.#turn?.();
      this.#turn = undefined;
      this.#stopReview();
    }
    this.#rest();
  }

  #bulkMay(): boolean {
    const { allowance = Infinity } = this.#options;
    return this.#activeBulk < this.#bulkSlots &&
      (this.bytes < allowance || this.#countedBulk < LEAST_BULK);
  }

  /** True if a waiting member could begin now. */
  #mayBegin(): boolean {
    return this.active < this.#options.slots && this.waiting.has(this.#bulkMay());
  }

  /** A first turn is delayed a little, because subscriptions often arrive in several requests. */
  #wake(): void {
    this.#schedule(() => {
      const timer = setTimeout(() => this.#work(), 0);
      return () => clearTimeout(timer);
    });
  }

  #goOn(): void {
    this.#schedule(() => {
      const next = setImmediate(() => this.#work());
      return () => clearImmediate(next);
    });
  }

  #schedule(start: () => () => void): void {
    if (this.waiting.size === 0) return this.#stopReview();
    if (this.#turn !== undefined) return;
    if (this.#mayBegin()) this.#turn = start();
    else this.#review ??= setTimeout(() => this.#reviewRuns(), REVIEW_MS);
  }

  #work(): void {
    this.#turn = undefined;
    const { now, slots, turnMs } = this.#options;
    const end = now() + turnMs;
    while (this.active < slots && now() < end) {
      const next = this.waiting.next(this.#bulkMay());
      if (!next) break;
      this.#advance(next.member, next.priority, undefined);
    }
    this.#goOn();
    this.#rest();
  }

  #rest(): void {
    if (this.#running.size + this.waiting.size === 0) this.#options.idle?.();
  }

  /** Sends. `run`: that of a member that waited for its client. */
  #advance(member: T, priority: Priority, run: Run<T> | undefined): void {
    const blocked = this.#options.step(member);
    if (!blocked) {
      if (run) this.#finish(run);
      return;
    }
    this.#wait(run ?? this.#begin(member, priority), blocked);
  }

  #begin(member: T, priority: Priority): Run<T> {
    const run: Run<T> = {
      member,
      priority,
      again: undefined,
      timer: undefined,
      slot: true,
      counted: 0,
      parked: 0,
      blockedAt: 0,
      progressAt: 0,
      left: 0,
    };
    this.#running.set(member, run);
    this.active++;
    this.#options.slotTaken?.(1);
    if (priority === "bulk") this.#activeBulk++;
    return run;
  }

  #wait(run: Run<T>, blocked: Promise<void>): void {
    const { member } = run;
    const { now, pending, slow, giveUp, slotMs, stallMs } = this.#options;
    run.left = pending?.(member) ?? 0;
    run.blockedAt = run.progressAt = now();
    this.#count(run, run.left);
    run.timer = setTimeout(() => {
      this.#leaveSlot(run);
      slow?.(member);
      run.timer = setTimeout(() => giveUp(member, "stalled"), stallMs);
    }, slotMs);
    void blocked.then(() => this.#caughtUp(run));
  }

  async #caughtUp(run: Run<T>): Promise<void> {
    const { member } = run;
    clearTimeout(run.timer);
    this.#giveBytesBack(run);
    const { yielding, connectionOf } = this.#options;
    const pause = yielding?.(connectionOf(member));
    if (pause) await pause;
    if (this.#running.get(member) !== run) return;
    if (run.slot) {
      this.#advance(member, run.priority, run);
    } else {
      // It has lost its slot and waits for a turn again.
      this.#running.delete(member);
      this.waiting.add(member, run.priority, true);
      this.#wake();
    }
  }

  /** Sets the bytes of a run that count for the allowance. */
  #count(run: Run<T>, bytes: number): void {
    this.bytes += bytes - run.counted;
    if (run.priority === "bulk") {
      this.#countedBulk += (bytes > 0 ? 1 : 0) - (run.counted > 0 ? 1 : 0);
    }
    run.counted = bytes;
  }

  #giveBytesBack(run: Run<T>): void {
    this.#count(run, 0);
    run.parked = 0;
    this.#wake();
  }

  #leaveSlot(run: Run<T>): void {
    if (!run.slot) return;
    run.slot = false;
    this.active--;
    this.#options.slotTaken?.(-1);
    if (run.priority === "bulk") this.#activeBulk--;
    this.#wake();
  }

  #finish(run: Run<T>): void {
    this.#running.delete(run.member);
    this.#leaveSlot(run);
    if (run.again) this.waiting.add(run.member, run.again);
    this.#wake();
    this.#rest();
  }

  #stopReview(): void {
    clearTimeout(this.#review);
    this.#review = undefined;
  }

  /** Others wait and cannot begin: takes slots and allowance back from clients that do not read. */
  #reviewRuns(): void {
    this.#review = undefined;
    const { now, slots, pending, giveUp } = this.#options;
    if (this.waiting.size === 0) return;
    const runs = this.#running.values();
    const verdict = reviewHolders(runs, {
      now: now(),
      waiting: this.waiting.size,
      slots,
      left: (run) => pending?.(run.member) ?? 0,
    });
    for (const run of verdict.leave) this.#leaveSlot(run);
    for (const run of verdict.park) {
      run.parked = run.counted;
      this.#count(run, 0);
    }
    for (const run of verdict.giveUp) giveUp(run.member, "memory");
    this.#wake();
  }
}
