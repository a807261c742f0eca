/**
 * Names that a client asks for until its next response. Clients that ask for the same list share it:
 * 500 proxies that ask for 1,000 endpoints would otherwise fill 500 sets, which are garbage as soon as
 * they are answered.
 *
 * @module
 */

/** Sets of lists that many clients send. */
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

const NONE: ReadonlySet<string> = new Set();

/** A set of names. */
export class AskedNames {
  /** Never changed while it is shared. */
  #names: ReadonlySet<string> = NONE;
  /** The same set, when it is this object's own. */
  #own: Set<string> | undefined;
  #list: readonly string[] | undefined;

  get size(): number {
    return this.#names.size;
  }

  /** The list that was adopted, while the names are exactly those. */
  get list(): readonly string[] | undefined {
    return this.#list;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#names.values();
  }

  add(name: string): void {
    if (!this.#names.has(name)) this.#change().add(name);
  }

  delete(name: string): void {
    if (this.#names.has(name)) this.#change().delete(name);
  }

  /** Adds a list that other clients may have, too; it is never changed. */
  adopt(list: readonly string[]): void {
    if (this.size > 0) {
      for (const name of list) this.add(name);
      return;
    }
    let names = sets.get(list);
    if (!names) sets.set(list, names = new Set(list));
    this.#names = names;
    this.#list = list;
  }

  /** Empties the set, and gives the names that it had. */
  take(): ReadonlySet<string> {
    const names = this.#names;
    this.#names = NONE;
    this.#own = this.#list = undefined;
    return names;
  }

  /** Its own set, to be changed. */
  #change(): Set<string> {
    this.#list = undefined;
    this.#own ??= new Set(this.#names);
    this.#names = this.#own;
    return this.#own;
  }
}
