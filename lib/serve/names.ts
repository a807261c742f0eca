/**
 * Sets of resource names, small: names are interned once for the whole server, and a set is a
 * bitmap over their numbers. A client that asks for 3,500 names costs some hundred bytes.
 *
 * @module
 */

/** Names known to the server, with a count of the sets that hold them. */
export interface NameTable {
  /** Names in use. */
  readonly size: number;
  /** The number of a name, if any set holds it. */
  find(name: string): number | undefined;
  nameOf(id: number): string;
  /** Takes a name into use; counts. */
  retain(name: string): number;
  /** Gives one use back; a name without use is forgotten and its number used again. */
  release(id: number): void;
}

/** A table without names. */
export function nameTable(): NameTable {
  const ids = new Map<string, number>();
  const names: string[] = [];
  const uses: number[] = [];
  const free: number[] = [];
  return {
    get size() {
      return ids.size;
    },
    find: (name) => ids.get(name),
    nameOf: (id) => names[id]!,
    retain(name) {
      let id = ids.get(name);
      if (id === undefined) {
        id = free.pop() ?? names.length;
        ids.set(name, id);
        names[id] = name;
        uses[id] = 0;
      }
      uses[id]!++;
      return id;
    },
    release(id) {
      if (--uses[id]! > 0) return;
      ids.delete(names[id]!);
      names[id] = "";
      free.push(id);
    },
  };
}

/** A set of names. */
export interface NameSet extends Iterable<string> {
  readonly size: number;
  has(name: string): boolean;
  /** False when it was there already. */
  add(name: string): boolean;
  /** False when it was not there. */
  delete(name: string): boolean;
  /** Empties the set and gives its names back to the table. */
  clear(): void;
}

/** An empty set over a table. */
export function nameSet(table: NameTable): NameSet {
  let bits = new Uint32Array(0);
  let size = 0;
  const holds = (id: number) => ((bits[id >>> 5] ?? 0) & (1 << (id & 31))) !== 0;
  return {
    get size() {
      return size;
    },
    has(name) {
      const id = table.find(name);
      return id !== undefined && holds(id);
    },
    add(name) {
      const known = table.find(name);
      if (known !== undefined && holds(known)) return false;
      const id = table.retain(name);
      if (id >>> 5 >= bits.length) bits = grown(bits, (id >>> 5) + 1);
      bits[id >>> 5]! |= 1 << (id & 31);
      size++;
      return true;
    },
    delete(name) {
      const id = table.find(name);
      if (id === undefined || !holds(id)) return false;
      bits[id >>> 5]! &= ~(1 << (id & 31));
      size--;
      table.release(id);
      return true;
    },
    clear() {
      for (const id of idsOf(bits)) table.release(id);
      bits = new Uint32Array(0);
      size = 0;
    },
    *[Symbol.iterator]() {
      for (const id of idsOf(bits)) yield table.nameOf(id);
    },
  };
}

function grown(bits: Uint32Array<ArrayBuffer>, words: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(words, Math.ceil(bits.length * 1.25)));
  larger.set(bits);
  return larger;
}

function* idsOf(bits: Uint32Array): Generator<number> {
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word]!; rest !== 0; rest &= rest - 1) {
      yield word * 32 + 31 - Math.clz32(rest & -rest);
    }
  }
}
