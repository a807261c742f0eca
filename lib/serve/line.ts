/**
 * Who waits to be sent something, and whose turn is next.
 *
 * @module
 */

/**
 * How a member waits. Urgent is what is small and matters at once, endpoints; bulk is what is large
 * and whose client has nothing to lose by waiting, a first sync; all else is usual.
 */
export type Haste = "urgent" | "usual" | "bulk";

/** Members that wait, each once. */
export interface Line<T> {
  /**
   * Puts a member at the end of those of its haste; one that returns goes before those who did not
   * begin. Who waits already stays where there is less haste: it is sent all of it in one turn.
   */
  add(member: T, haste: Haste, returns?: boolean): void;
  /** Takes out whose turn it is, with its haste; bulk only where that is allowed. */
  next(withBulk: boolean): { readonly member: T; readonly haste: Haste } | undefined;
  /** Whether it is somebody's turn. */
  has(withBulk: boolean): boolean;
  delete(member: T): void;
  readonly size: number;
}

/** Turns that those in more haste have one after the other while others wait. */
const STREAK = 16;

const RANKS: Readonly<Record<Haste, number>> = { urgent: 0, usual: 1, bulk: 2 };

/** Nobody waits. */
export function line<T>(): Line<T> {
  const urgent = new Set<T>();
  const usual = new Set<T>();
  const bulk = new Set<T>();
  /** Bulk that was begun. */
  const returning = new Set<T>();
  /** Turns since those in less haste had one, by who they are. */
  const streaks = { usual: 0, bulk: 0 };

  const bulkWaits = () => bulk.size + returning.size > 0;
  const rank = (member: T): number =>
    returning.has(member) || bulk.has(member)
      ? RANKS.bulk
      : usual.has(member)
      ? RANKS.usual
      : urgent.has(member)
      ? RANKS.urgent
      : -1;
  const forget = (member: T): void => {
    for (const all of [urgent, usual, bulk, returning]) all.delete(member);
  };
  /** Which of those who may go; `undefined` when there are none. */
  const choose = (withBulk: boolean): Haste | undefined => {
    const large = withBulk && bulkWaits();
    if (large && (urgent.size + usual.size === 0 || streaks.bulk >= STREAK)) return "bulk";
    if (usual.size > 0 && (urgent.size === 0 || streaks.usual >= STREAK)) return "usual";
    return urgent.size > 0 ? "urgent" : undefined;
  };
  const take = (from: Set<T>): T => {
    const [member] = from;
    from.delete(member!);
    return member!;
  };

  return {
    add(member, haste, returns = false) {
      if (rank(member) >= RANKS[haste]) return;
      forget(member);
      if (haste === "bulk") (returns ? returning : bulk).add(member);
      else (haste === "usual" ? usual : urgent).add(member);
    },
    next(withBulk) {
      const haste = choose(withBulk);
      if (!haste) return undefined;
      streaks.bulk = haste === "bulk" ? 0 : streaks.bulk + 1;
      streaks.usual = haste === "urgent" ? streaks.usual + 1 : 0;
      if (haste === "bulk") return { haste, member: take(returning.size > 0 ? returning : bulk) };
      return { haste, member: take(haste === "usual" ? usual : urgent) };
    },
    has: (withBulk) => choose(withBulk) !== undefined,
    delete: forget,
    get size() {
      return urgent.size + usual.size + bulk.size + returning.size;
    },
  };
}
