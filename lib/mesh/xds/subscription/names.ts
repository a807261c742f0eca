/**
 * Compact sets of resource names: names are interned once for the server, and a set is a bitmap
 * over their numbers. A client with 3,500 names costs some hundred bytes.
 *
 * @module
 */
import { namesMemory } from "../wire/mod.ts";

/** Memory of a name in the table, bytes, about. */
function nameMemory(name: string): number {
  return namesMemory(name.length, 1);
}

/** Names of the server, with reference counts. */
export interface NameTable {
  /** Names in use. */
  readonly size: number;
  /** Memory of all names in use, bytes, about: each name counts once; see {@link namesMemory}. */
  readonly bytes: number;
  /** The number of a name, if any set holds it. */
  find(name: string): number | undefined;
  nameOf(id: number): string;
  /** Interns a name and increments its count. */
  retain(name: string): number;
  /** Increments the count of a name. */
  use(id: number): void;
  /** Gives one use back; a name without use is forgotten and its number used again. */
  release(id: number): void;
  /** Returns the set of a list that clients may share; counted, and released by {@link unshare}. */
  share(list: readonly string[]): SharedNames;
  unshare(shared: SharedNames): void;
}

/** Shared part of sets that were made of the same list. Immutable. */
export interface SharedNames {
  readonly bits: Uint32Array<ArrayBuffer>;
  readonly size: number;
  /** Length of all names together. */
  readonly characters: number;
  /** Sets that hold it; the names are in use while there are any. */
  users: number;
}

/** A table without names. */
export function nameTable(): NameTable {
  const ids = new Map<string, number>();
  const names: string[] = [];
  const uses: number[] = [];
  const free: number[] = [];
  let bytes = 0;
  const shared = new WeakMap<readonly string[], SharedNames>();
  const release = (id: number): void => {
    if (--uses[id]! > 0) return;
    ids.delete(names[id]!);
    bytes -= nameMemory(names[id]!);
    names[id] = "";
    free.push(id);
  };
  const retain = (name: string): number => {
    let id = ids.get(name);
    if (id === undefined) {
      id = free.pop() ?? names.length;
      ids.set(name, id);
      names[id] = name;
      uses[id] = 0;
      bytes += nameMemory(name);
    }
    uses[id]!++;
    return id;
  };
  const made = (list: readonly string[]): SharedNames => {
    let bits = new Uint32Array(0);
    const distinct = new Set(list);
    let length = 0;
    for (const name of distinct) {
      bits = withBit(bits, retain(name));
      length += name.length;
    }
    return { bits, size: distinct.size, characters: length, users: 0 };
  };
  return {
    get size() {
      return ids.size;
    },
    get bytes() {
      return bytes;
    },
    find: (name) => ids.get(name),
    nameOf: (id) => names[id]!,
    retain,
    use: (id) => void uses[id]!++,
    release,
    share(list) {
      let known = shared.get(list);
      if (!known || known.users === 0) shared.set(list, known = made(list));
      known.users++;
      return known;
    },
    unshare(known) {
      if (--known.users === 0) { for (const id of idsOf(known.bits, known.size)) release(id); }
    },
  };
}

export interface NameSet extends Iterable<string> {
  readonly size: number;
  /** Length of all names together. */
  readonly characters: number;
  has(name: string): boolean;
  /** False when it was there already. */
  add(name: string): boolean;
  /** False when it was not there. */
  delete(name: string): boolean;
  /** Adds a list to an empty set; sets of the same list share it until they change. */
  adopt(list: readonly string[]): void;
  /** Adds a list; sets of the same lists share them as {@link adopt} does if no name is in two of them. */
  addAll(list: readonly string[]): void;
  /** Empties the set and gives its names back to the table. */
  clear(): void;
}

/** An empty set over a table. */
export function nameSet(table: NameTable): NameSet {
  return new BitSet(table);
}

/** A set as bits, one for each name of the table. */
class BitSet implements NameSet {
  readonly #table: NameTable;
  #bits = new Uint32Array(0);
  #size = 0;
  #characters = 0;
  /** Lists that the names come from, if all do. */
  #bases: readonly SharedNames[] | undefined = undefined;

  constructor(table: NameTable) {
    this.#table = table;
  }

  get size(): number {
    return this.#size;
  }

  get characters(): number {
    return this.#characters;
  }

  has(name: string): boolean {
    const id = this.#table.find(name);
    return id !== undefined && this.#holds(id);
  }

  add(name: string): boolean {
    const known = this.#table.find(name);
    if (known !== undefined && this.#holds(known)) return false;
    this.#own();
    this.#bits = withBit(this.#bits, this.#table.retain(name));
    this.#size++;
    this.#characters += name.length;
    return true;
  }

  delete(name: string): boolean {
    const id = this.#table.find(name);
    if (id === undefined || !this.#holds(id)) return false;
    this.#own();
    this.#bits[id >>> 5]! &= ~(1 << (id & 31));
    this.#size--;
    this.#characters -= name.length;
    this.#table.release(id);
    return true;
  }

  adopt(list: readonly string[]): void {
    if (this.#size > 0) throw new Error("only an empty set takes over a list");
    const base = this.#table.share(list);
    this.#bases = [base];
    this.#bits = base.bits;
    this.#size = base.size;
    this.#characters = base.characters;
  }

  addAll(list: readonly string[]): void {
    if (this.#size === 0) return this.adopt(list);
    if (this.#bases !== undefined) {
      const base = this.#table.share(list);
      if (areApart(this.#bits, base.bits)) {
        this.#bases = [...this.#bases, base];
        this.#bits = union(this.#bits, base.bits);
        this.#size += base.size;
        this.#characters += base.characters;
        return;
      }
      this.#table.unshare(base);
    }
    for (const name of list) this.add(name);
  }

  clear(): void {
    if (this.#bases) { for (const base of this.#bases) this.#table.unshare(base); }
    else for (const id of idsOf(this.#bits, this.#size)) this.#table.release(id);
    this.#bases = undefined;
    this.#bits = new Uint32Array(0);
    this.#size = 0;
    this.#characters = 0;
  }

  /** Iterates the names at the time of the call. An array, as in {@link idsOf}. */
  [Symbol.iterator](): Iterator<string> {
    return idsOf(this.#bits, this.#size).map(this.#table.nameOf).values();
  }

  #holds(id: number): boolean {
    return ((this.#bits[id >>> 5] ?? 0) & (1 << (id & 31))) !== 0;
  }

  /** Copies shared bits before a change. */
  #own(): void {
    if (!this.#bases) return;
    for (const id of idsOf(this.#bits, this.#size)) this.#table.use(id);
    for (const base of this.#bases) this.#table.unshare(base);
    this.#bits = this.#bits.slice();
    this.#bases = undefined;
  }
}

/** Reports if two sets have no bit in common. */
function areApart(one: Uint32Array, other: Uint32Array): boolean {
  const words = Math.min(one.length, other.length);
  for (let word = 0; word < words; word++) if ((one[word]! & other[word]!) !== 0) return false;
  return true;
}

/** The bits of both. */
function union(one: Uint32Array, other: Uint32Array): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(Math.max(one.length, other.length));
  all.set(one);
  for (let word = 0; word < other.length; word++) all[word]! |= other[word]!;
  return all;
}

/** The bits with one more set; others when they had to grow. */
function withBit(bits: Uint32Array<ArrayBuffer>, id: number): Uint32Array<ArrayBuffer> {
  const fitting = id >>> 5 < bits.length ? bits : grown(bits, (id >>> 5) + 1);
  fitting[id >>> 5]! |= 1 << (id & 31);
  return fitting;
}

function grown(bits: Uint32Array<ArrayBuffer>, words: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(words, Math.ceil(bits.length * 1.25)));
  larger.set(bits);
  return larger;
}

/**
 * The numbers of the set bits. Returns an array, because a generator takes twice as long, and the
 * first sync of 500 clients reads 600,000 names.
 */
function idsOf(bits: Uint32Array, size: number): number[] {
  const ids = new Array<number>(size);
  let count = 0;
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word]!; rest !== 0; rest &= rest - 1) {
      ids[count++] = word * 32 + 31 - Math.clz32(rest & -rest);
    }
  }
  return ids;
}
