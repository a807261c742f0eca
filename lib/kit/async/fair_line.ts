/**
 * A line of bounded weight with a share for every source (an address or an identity), and for every
 * connection of a source. When the line is full, members of those that take up the most are refused.
 *
 * @module
 */
import { type FairSet, fairSet } from "./fair_set.ts";

/** Properties of a member that the line needs. */
export interface LineMember {
  readonly source: string;
  readonly connection: string;
  /** The part of the line that it takes up; an integer. */
  readonly weight: number;
}

/** A line of members, each once. */
export interface FairLine<T extends LineMember> {
  /** Adds a member. Returns the members that are refused in return, it may be among them. */
  add(member: T): readonly T[];
  delete(member: T): boolean;
  /** Removes and returns the next member. Sources take turns, and the connections of a source. */
  take(): T | undefined;
  /** All members in the order in which they were added. */
  members(): Iterable<T>;
  readonly size: number;
}

/** The members of one source. */
interface Source<T> {
  readonly waiting: FairSet<T>;
  /** Weight by connection. */
  readonly connections: Map<string, number>;
  weight: number;
}

/** Makes an empty line. */
export function fairLine<T extends LineMember>(maxWeight: number): FairLine<T> {
  return new Line(maxWeight);
}

class Line<T extends LineMember> implements FairLine<T> {
  readonly #maxWeight: number;
  readonly #all = new Set<T>();
  /** In the order of their turns. */
  readonly #sources = new Map<string, Source<T>>();
  #total = 0;

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  get size(): number {
    return this.#all.size;
  }

  add(member: T): readonly T[] {
    this.#insert(member);
    const refused: T[] = [];
    while (this.#total > this.#maxWeight) {
      const next = this.#hasItsShare(member) ? member : this.#heaviest();
      this.delete(next);
      refused.push(next);
      if (next === member) break;
    }
    return refused;
  }

  delete(member: T): boolean {
    if (!this.#all.delete(member)) return false;
    const { source, connection, weight } = member;
    const at = this.#sources.get(source)!;
    const left = at.connections.get(connection)! - weight;
    if (left > 0) at.connections.set(connection, left);
    else at.connections.delete(connection);
    at.weight -= weight;
    this.#total -= weight;
    at.waiting.delete(member);
    if (at.waiting.size === 0) this.#sources.delete(source);
    return true;
  }

  take(): T | undefined {
    const [next] = this.#sources;
    if (!next) return undefined;
    const [name, at] = next;
    const member = at.waiting.take()!;
    this.#sources.delete(name);
    this.#sources.set(name, at);
    this.delete(member);
    return member;
  }

  members(): Iterable<T> {
    return this.#all.values();
  }

  #insert(member: T): void {
    const { source, connection, weight } = member;
    let at = this.#sources.get(source);
    if (!at) {
      const waiting = fairSet<T>((one) => one.connection);
      this.#sources.set(source, at = { waiting, connections: new Map(), weight: 0 });
    }
    at.waiting.add(member);
    at.connections.set(connection, (at.connections.get(connection) ?? 0) + weight);
    at.weight += weight;
    this.#total += weight;
    this.#all.add(member);
  }

  /** True if the connection of a member uses an average share or more. */
  #hasItsShare({ source, connection }: T): boolean {
    const at = this.#sources.get(source)!;
    return at.weight * this.#sources.size >= this.#total &&
      at.connections.get(connection)! * at.connections.size >= at.weight;
  }

  #heaviest(): T {
    const at = largest(this.#sources, (source) => source.weight);
    return at[1].waiting.firstOf(largest(at[1].connections, (weight) => weight)[0])!;
  }
}

/** The entry of the largest size. The map must not be empty. */
function largest<V>(map: ReadonlyMap<string, V>, sizeOf: (value: V) => number): [string, V] {
  const entries = map.entries();
  let most: [string, V] = entries.next().value!;
  for (const entry of entries) if (sizeOf(entry[1]) > sizeOf(most[1])) most = entry;
  return most;
}
