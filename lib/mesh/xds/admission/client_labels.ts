/**
 * Texts of clients as values of metric labels: shortened, bounded in number, and given up with the
 * last client that has them. A client must not be able to make a metric grow.
 *
 * @module
 */
import { printable } from "../../../kit/base/mod.ts";

/** The label of clients beyond the bound. */
const OTHER = "other";

/** Label values in use. */
export interface ClientLabels {
  /** The label for a text. Each call is to be followed by one {@link release} of what it returned. */
  take(text: string): string;
  /** Gives a label up. Returns true when no client has it any more. */
  release(label: string): boolean;
}

/** Makes a table of at most `most` labels and one for all others, of at most `length` characters. */
export function clientLabels({ most, length }: {
  readonly most: number;
  readonly length: number;
}): ClientLabels {
  const users = new Map<string, number>();
  return {
    take(text) {
      const own = printable(text.slice(0, length)).slice(0, length);
      const used = users.size - (users.has(OTHER) ? 1 : 0);
      const label = users.has(own) || used < most ? own : OTHER;
      users.set(label, (users.get(label) ?? 0) + 1);
      return label;
    },
    release(label) {
      const left = (users.get(label) ?? 1) - 1;
      if (left > 0) users.set(label, left);
      else users.delete(label);
      return left === 0;
    },
  };
}
