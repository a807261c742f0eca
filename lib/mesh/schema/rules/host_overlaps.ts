/**
 * Host names and wildcards that have names in common, found without comparing each with each: an object
 * may have tens of thousands.
 *
 * @module
 */

interface Entry {
  readonly index: number;
  readonly isWild: boolean;
  /** The name without a leading `*`, from its end to its beginning. */
  readonly reversed: string;
}

/** A wildcard that covers the entries that are looked at. */
interface Open {
  readonly entry: Entry;
  /** Least index of this wildcard and those around it. */
  readonly around: number;
  /** Least index of the entries within it. */
  within: number;
}

/** For each host the first other one that overlaps it, if that stands before it. */
export function overlapsBefore(hosts: readonly string[]): (number | undefined)[] {
  if (!hosts.some((host) => host.startsWith("*"))) return repetitions(hosts);
  const firsts = hosts.map(() => Infinity);
  const note = (entry: Entry, other: number) => {
    firsts[entry.index] = Math.min(firsts[entry.index]!, other);
  };
  const exact = new Map<string, number>();
  const open: Open[] = [];
  const close = () => {
    const { entry, within } = open.pop()!;
    note(entry, within);
    const outer = open.at(-1);
    if (outer) outer.within = Math.min(outer.within, within, entry.index);
  };
  for (const entry of hosts.map(entryOf).sort(order)) {
    while (open.length > 0 && !entry.reversed.startsWith(open.at(-1)!.entry.reversed)) close();
    const outer = open.at(-1);
    if (outer) {
      note(entry, outer.around);
      outer.within = Math.min(outer.within, entry.index);
    }
    if (entry.isWild) {
      const around = Math.min(entry.index, outer?.around ?? Infinity);
      open.push({ entry, around, within: Infinity });
      continue;
    }
    const same = exact.get(entry.reversed);
    if (same === undefined) exact.set(entry.reversed, entry.index);
    else note(entry, same);
  }
  while (open.length > 0) close();
  return firsts.map((first, index) => first < index ? first : undefined);
}

/** As `overlapsBefore`, of names without wildcards. */
function repetitions(hosts: readonly string[]): (number | undefined)[] {
  const firsts = new Map<string, number>();
  return hosts.map((host, index) => {
    const name = host.toLowerCase();
    const first = firsts.get(name);
    if (first === undefined) firsts.set(name, index);
    return first;
  });
}

function entryOf(host: string, index: number): Entry {
  const name = host.toLowerCase();
  const isWild = name.startsWith("*");
  const reversed = [...isWild ? name.slice(1) : name].reverse().join("");
  return { index, isWild, reversed };
}

/** A wildcard stands before all that it covers, and after the name that equals its end. */
function order(a: Entry, b: Entry): number {
  if (a.reversed !== b.reversed) return a.reversed < b.reversed ? -1 : 1;
  return Number(a.isWild) - Number(b.isWild) || a.index - b.index;
}

/** Reports if a name, with or without wildcard, is a subset of one of the hosts. */
export function subsetOfHosts(hosts: readonly string[]): (name: string) => boolean {
  const names = hosts.map((host) => host.toLowerCase());
  const exact = new Set(names.filter((name) => !name.startsWith("*")));
  const ends = new Set(names.filter((name) => name.startsWith("*")).map((name) => name.slice(1)));
  const lengths = [...new Set([...ends].map(({ length }) => length))];
  return (given) => {
    const name = given.toLowerCase();
    if (exact.has(name)) return true;
    return lengths.some((length) =>
      length <= name.length && ends.has(name.slice(name.length - length))
    );
  };
}
