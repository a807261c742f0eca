/**
 * A bound on the memory that the clients of a server take together: parts of messages, unread
 * messages, headers, input that waits for its turn.
 *
 * @module
 */

/** A connection that takes memory. */
export interface Holder {
  /** Holders of one party are taken together, see `Visitor.party`. */
  readonly party: object;
  /** Bytes. */
  readonly held: number;
  /** Ends the connection because of the bound, which leads to {@link Budget.leave}. */
  cut(): void;
}

/** The memory of all connections. */
export interface Budget {
  /** Adds a holder. */
  join(holder: Holder): void;
  /** Counts a change of a holder's bytes. Beyond the bound, the largest party loses its largest holders. */
  change(bytes: number): void;
  /** Removes a holder with all its bytes. */
  leave(holder: Holder): void;
}

/** Makes a budget in bytes. */
export function createBudget(limit: number): Budget {
  const holders = new Set<Holder>();
  let total = 0;
  return {
    join: (holder) => void holders.add(holder),
    change(bytes) {
      total += bytes;
      while (bytes > 0 && total > limit && holders.size > 0) {
        const before = total;
        largest(holders)?.cut();
        if (total === before) return;
      }
    },
    leave(holder) {
      if (holders.delete(holder)) total -= holder.held;
    },
  };
}

/** The largest holder of the party that holds most. */
function largest(holders: ReadonlySet<Holder>): Holder | undefined {
  const parties = new Map<object, { sum: number; first: Holder }>();
  let most: { sum: number; first: Holder } | undefined;
  for (const holder of holders) {
    const party = parties.get(holder.party) ?? { sum: 0, first: holder };
    parties.set(holder.party, party);
    party.sum += holder.held;
    if (holder.held > party.first.held) party.first = holder;
    if (!most || party.sum > most.sum) most = party;
  }
  return most?.first;
}
