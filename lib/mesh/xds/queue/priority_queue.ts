/**
 * The members that wait for a turn to be sent something, by priority. Within a priority connections
 * take turns, so that one connection with many streams gets no more than another with one.
 *
 * @module
 */
import { fairSet } from "../../../kit/async/mod.ts";

/**
 * `urgent`: small and needed immediately, endpoints. `bulk`: large and not urgent, a first sync.
 * `normal`: all others.
 */
export type Priority = "urgent" | "normal" | "bulk";

/** Waiting members, each once. */
export interface PriorityQueue<T> {
  /**
   * Adds a member. `returns`: bulk that was begun already. A member that waits with a lower priority
   * stays there: it is sent everything in one turn.
   */
  add(member: T, priority: Priority, returns?: boolean): void;
  /** Removes and returns the next member with its priority; bulk only if `withBulk`. */
  next(withBulk: boolean): { readonly member: T; readonly priority: Priority } | undefined;
  /** Reports if {@link next} would return a member. */
  has(withBulk: boolean): boolean;
  delete(member: T): void;
  readonly size: number;
}

/** Turns of higher priorities in a row while a lower one waits. */
const STREAK = 16;
/** Turns in a row of bulk that was begun while bulk waits that was not. */
const RETURNING_STREAK = 4;

const RANKS: Readonly<Record<Priority, number>> = { urgent: 0, normal: 1, bulk: 2 };

/** Makes an empty queue. `connectionOf` must always return the same for a member. */
export function priorityQueue<T>(connectionOf: (member: T) => string): PriorityQueue<T> {
  const urgent = fairSet(connectionOf);
  const normal = fairSet(connectionOf);
  const bulk = fairSet(connectionOf);
  /** Bulk that was begun. */
  const returning = fairSet(connectionOf);
  const all = [urgent, normal, bulk, returning];
  /** Consecutive turns of members with priority over others, by these others. */
  const streaks = { normal: 0, bulk: 0, newBulk: 0 };

  const rank = (member: T): number => {
    if (returning.has(member) || bulk.has(member)) return RANKS.bulk;
    if (normal.has(member)) return RANKS.normal;
    return urgent.has(member) ? RANKS.urgent : -1;
  };
  const remove = (member: T): void => {
    for (const set of all) set.delete(member);
  };
  /** Selects the next priority. */
  const choose = (withBulk: boolean): Priority | undefined => {
    const large = withBulk && bulk.size + returning.size > 0;
    if (large && (urgent.size + normal.size === 0 || streaks.bulk >= STREAK)) return "bulk";
    if (normal.size > 0 && (urgent.size === 0 || streaks.normal >= STREAK)) return "normal";
    return urgent.size > 0 ? "urgent" : undefined;
  };
  const takeBulk = (): T => {
    const begun = returning.size > 0 && (bulk.size === 0 || streaks.newBulk < RETURNING_STREAK);
    streaks.newBulk = begun ? streaks.newBulk + 1 : 0;
    return (begun ? returning : bulk).take()!;
  };

  return {
    add(member, priority, returns = false) {
      if (rank(member) >= RANKS[priority]) return;
      remove(member);
      if (priority === "bulk") (returns ? returning : bulk).add(member);
      else (priority === "normal" ? normal : urgent).add(member);
    },
    next(withBulk) {
      const priority = choose(withBulk);
      if (!priority) return undefined;
      streaks.bulk = priority === "bulk" ? 0 : streaks.bulk + 1;
      streaks.normal = priority === "urgent" ? streaks.normal + 1 : 0;
      if (priority === "bulk") return { priority, member: takeBulk() };
      return { priority, member: (priority === "normal" ? normal : urgent).take()! };
    },
    has: (withBulk) => choose(withBulk) !== undefined,
    delete: remove,
    get size() {
      return urgent.size + normal.size + bulk.size + returning.size;
    },
  };
}
