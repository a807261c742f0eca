/**
 * Turns: the work of many connections, shared fairly. Each round of the event loop has a bounded
 * time for all of it; the parties that wait take turns, and each turn is bounded, too.
 *
 * @module
 */
import { nextRound } from "./rounds.ts";

/** Work that is done in turns. */
export interface Task {
  /** Tasks of one party share the turns of that party. */
  readonly party: object;
  /** Works until all is done, or until `expired` returns true. Returns whether there is more to do. */
  run(expired: () => boolean): boolean;
}

/** A queue of tasks. */
export interface Turns {
  /**
   * Runs a task: immediately if this round has time and no other task waits, and in later rounds
   * until it returns false. A task may be added again after that.
   */
  add(task: Task): void;
}

export interface TurnOptions {
  /** Time of all turns in a round of the event loop, ms. */
  readonly roundMs: number;
  /** Time of one turn, ms. */
  readonly turnMs: number;
  /** A clock, ms. */
  readonly now: () => number;
}

/** Steps of a task between two looks at the clock, less one. A power of two, less one. */
const STEPS = 7;

/** Makes a queue. */
export function createTurns({ roundMs, turnMs, now }: TurnOptions): Turns {
  /** Waiting tasks by party; the first party is the next. */
  const waiting = new Map<object, Task[]>();
  /** Time of the turns of this round, ms; `undefined` when there was none. */
  let used: number | undefined;
  let running = false;

  const wait = (task: Task) => {
    const tasks = waiting.get(task.party);
    if (tasks) tasks.push(task);
    else waiting.set(task.party, [task]);
  };
  const turn = (task: Task, start: number): boolean => {
    let steps = 0;
    return task.run(() => (++steps & STEPS) === 0 && now() >= start + turnMs);
  };
  const takeTurns = () => {
    running = true;
    let start = now();
    while (waiting.size > 0 && used! < roundMs) {
      const [[party, tasks]] = waiting as unknown as [[object, Task[]]];
      const task = tasks.shift()!;
      waiting.delete(party);
      if (tasks.length > 0) waiting.set(party, tasks);
      if (turn(task, start)) wait(task);
      const end = now();
      used! += end - start;
      start = end;
    }
    running = false;
  };
  const beginRound = () => {
    used = undefined;
    if (waiting.size === 0) return;
    used = 0;
    nextRound(beginRound);
    takeTurns();
  };

  return {
    add(task) {
      wait(task);
      if (running) return;
      if (used === undefined) {
        used = 0;
        nextRound(beginRound);
      }
      if (waiting.size === 1) takeTurns();
    },
  };
}
