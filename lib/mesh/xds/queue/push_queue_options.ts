/**
 * The settings and the interface of the push queue.
 *
 * @module
 */
import type { FairYielding } from "../admission/mod.ts";
import type { Priority } from "./priority_queue.ts";

/** The settings of a queue, and what it calls for its members. */
export interface QueueOptions<T> {
  /** Members being sent to at the same time. */
  readonly slots: number;
  /** Bytes under way beyond which no more bulk is begun. */
  readonly allowance?: number;
  /**
   * Time for which a member that waits for its client keeps its slot while no other member waits,
   * milliseconds.
   */
  readonly slotMs: number;
  /** Time without progress after which the client is disconnected, milliseconds. */
  readonly stallMs: number;
  /** Time for which the queue works in a round of the event loop, milliseconds. */
  readonly turnMs: number;
  /** Called before a member continues whose client has caught up. */
  readonly yielding?: FairYielding;
  readonly now: () => number;
  /** The connection of a member. */
  readonly connectionOf: (member: T) => string;
  /**
   * Sends until nothing is left, or until the client has to catch up; the promise resolves when it
   * has. Must not throw.
   */
  readonly step: (member: T) => Promise<void> | undefined;
  /** Bytes that a member's client has yet to take. */
  readonly pending?: (member: T) => number;
  /** Called when a slot is taken, with 1, or given back, with -1. */
  readonly slotTaken?: (by: 1 | -1) => void;
  /** Called when a client did not take what it was sent within `slotMs`. */
  readonly slow?: (member: T) => void;
  /** Called when a client took nothing for too long: at all, or while the memory is needed for others. */
  readonly giveUp: (member: T, reason: "stalled" | "memory") => void;
  /** Called when no member waits or is being sent to any more. */
  readonly idle?: () => void;
}

/** A queue of members, each at most once. */
export interface PushQueue<T> {
  /** Adds a member. One that is being sent to is added again afterwards. */
  add(member: T, priority?: Priority): void;
  /** Removes a closed member. */
  remove(member: T): void;
  readonly waiting: number;
  readonly active: number;
  /** Unsent bytes that count for the allowance. */
  readonly bytes: number;
}
