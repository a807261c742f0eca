/**
 * The names that proxies of a workload class asked for on demand, so that further proxies of the class are sent it
 * at their first sync. Names are forgotten when no connected proxy has asked for them for a time; those
 * that a connected proxy was sent stay until it leaves.
 *
 * @module
 */

/** A resource type of which proxies of a workload class ask for names. */
export interface Asking {
  readonly workload: string;
  /**
   * The identity of these proxies, `namespace/serviceAccount`. Proxies claim the labels of their class, and are
   * authenticated by their identity.
   */
  readonly owner: string;
  readonly typeUrl: string;
}

/** A name of a resource type that proxies of a workload class asked for. */
export interface LearnedName extends Asking {
  readonly name: string;
}

/** A learned name as debug pages show it. */
export interface LearnedReport extends LearnedName {
  /** When it was asked for last, milliseconds since the epoch. */
  readonly askedAt: number;
  /** Connected proxies that asked for it. */
  readonly askers: number;
  /** Connected proxies that were sent it. */
  readonly holders: number;
}

/** Settings of {@link LearnedScopes}. */
export interface LearnedOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Milliseconds for which a name is remembered after it was asked for. */
  readonly keepMs: number;
  /** Names of a workload class, of all types. All classes of an identity have {@link SHARE} times as many. */
  readonly most: number;
  /** Makes the resources of names that were learned, and removes those of forgotten ones. */
  readonly write: (learned: readonly LearnedName[], forgotten: readonly LearnedName[]) => void;
}

/** Full workload classes that one identity may have. */
const SHARE = 10;

interface Entry extends LearnedName {
  askedAt: number;
  askers: number;
  holders: number;
}

/** The learned names of all workload classes. */
export class LearnedScopes {
  readonly #options: LearnedOptions;
  /** Workload class → type and name → entry. */
  readonly #scopes: Map<string, Map<string, Entry>> = new Map();
  /** Identity → number of names of its classes. */
  readonly #owned: Map<string, number> = new Map();
  /** Stream → entries that it was sent; true: it asked. */
  readonly #streams: Map<object, Map<Entry, boolean>> = new Map();

  constructor(options: LearnedOptions) {
    this.#options = options;
  }

  /** A stream subscribes to a type. Returns the names that it is to be sent from the start. */
  begin(stream: object, workload: string, typeUrl: string): string[] {
    const names: string[] = [];
    for (const entry of this.#scopes.get(workload)?.values() ?? []) {
      if (entry.typeUrl !== typeUrl || this.#isOld(entry)) continue;
      this.#hold(stream, entry, false);
      names.push(entry.name);
    }
    return names;
  }

  /** A stream asks for names. Returns those that are too many. */
  ask(stream: object, asking: Asking, names: readonly string[]): string[] {
    const refused: string[] = [];
    const learned: Entry[] = [];
    const forgotten: Entry[] = [];
    const { workload, owner, typeUrl } = asking;
    const scope = this.#scopes.get(workload) ?? new Map<string, Entry>();
    this.#scopes.set(workload, scope);
    const spare = new Spare(() => this.#unheld(owner));
    for (const name of names) {
      const key = keyOf({ typeUrl, name });
      let entry = scope.get(key);
      if (entry === undefined) {
        const room = this.#makeRoom(asking, spare);
        if (room === undefined) {
          refused.push(name);
          continue;
        }
        forgotten.push(...room);
        entry = { workload, owner, typeUrl, name, askedAt: 0, askers: 0, holders: 0 };
        this.#add(entry);
        learned.push(entry);
      }
      entry.askedAt = this.#options.clock();
      this.#hold(stream, entry, true);
    }
    // A name that made room may have been asked for again.
    const gone = forgotten.filter((one) => !this.#scopes.get(one.workload)?.has(keyOf(one)));
    if (learned.length > 0) this.#options.write(learned, gone);
    return refused;
  }

  /** A stream ended. */
  end(stream: object): void {
    const now = this.#options.clock();
    for (const [entry, asked] of this.#streams.get(stream) ?? []) {
      entry.holders--;
      if (!asked) continue;
      entry.askers--;
      entry.askedAt = now;
    }
    this.#streams.delete(stream);
  }

  /** Forgets the names whose time is over. */
  sweep(): void {
    const forgotten: Entry[] = [];
    for (const [workload, scope] of this.#scopes) {
      for (const entry of [...scope.values()]) {
        if (entry.holders > 0 || !this.#isOld(entry)) continue;
        this.#remove(entry);
        forgotten.push(entry);
      }
      if (scope.size === 0) this.#scopes.delete(workload);
    }
    if (forgotten.length > 0) this.#options.write([], forgotten);
  }

  /** All learned names, by workload class, type and name. */
  list(): LearnedReport[] {
    const all = [...this.#scopes.values()].flatMap((scope) => [...scope.values()]);
    return all.map((entry) => ({ ...entry })).sort((a, b) =>
      compare(a.workload, b.workload) || compare(a.typeUrl, b.typeUrl) || compare(a.name, b.name)
    );
  }

  #isOld({ askers, askedAt }: Entry): boolean {
    return askers === 0 && askedAt + this.#options.keepMs <= this.#options.clock();
  }

  /**
   * Makes room for a name of a class. Returns the names that go, those that were asked for longest ago;
   * `undefined`: there is no room, because connected proxies have the others.
   */
  #makeRoom({ workload, owner }: Asking, spare: Spare): Entry[] | undefined {
    const { most } = this.#options;
    const gone: Entry[] = [];
    const take = (only?: string): boolean => {
      const entry = spare.take(only);
      if (entry === undefined) return false;
      this.#remove(entry);
      gone.push(entry);
      return true;
    };
    if ((this.#scopes.get(workload)?.size ?? 0) >= most && !take(workload)) return undefined;
    if ((this.#owned.get(owner) ?? 0) >= SHARE * most && !take()) return undefined;
    return gone;
  }

  /** Names of an identity that no connected proxy was sent, those that were asked for longest ago last. */
  #unheld(owner: string): Entry[] {
    return [...this.#scopes.values()].flatMap((scope) => [...scope.values()])
      .filter((entry) => entry.owner === owner && entry.holders === 0)
      .sort((a, b) => b.askedAt - a.askedAt);
  }

  #add(entry: Entry): void {
    this.#scopes.get(entry.workload)!.set(keyOf(entry), entry);
    this.#owned.set(entry.owner, (this.#owned.get(entry.owner) ?? 0) + 1);
  }

  #remove(entry: Entry): void {
    this.#scopes.get(entry.workload)?.delete(keyOf(entry));
    const left = (this.#owned.get(entry.owner) ?? 0) - 1;
    if (left > 0) this.#owned.set(entry.owner, left);
    else this.#owned.delete(entry.owner);
  }

  #hold(stream: object, entry: Entry, asks: boolean): void {
    let held = this.#streams.get(stream);
    if (held === undefined) this.#streams.set(stream, held = new Map());
    const before = held.get(entry);
    if (before === undefined) entry.holders++;
    if (asks && before !== true) entry.askers++;
    if (before !== true) held.set(entry, asks);
  }
}

/** Names that may go, found once for a request. */
class Spare {
  readonly #find: () => Entry[];
  #found: Entry[] | undefined;
  /** Classes that have none left; empty: all classes together. */
  readonly #without: Set<string> = new Set();

  constructor(find: () => Entry[]) {
    this.#find = find;
  }

  /** Takes the last one, or that of one class; `undefined`: there is none. */
  take(workload = ""): Entry | undefined {
    if (this.#without.has(workload)) return undefined;
    const found = this.#found ??= this.#find();
    // Names of the request itself are held by its stream since the names were found.
    const isFree = (one: Entry) =>
      one.holders === 0 && (workload === "" || one.workload === workload);
    const at = found.findLastIndex(isFree);
    if (at >= 0) return found.splice(at, 1)[0];
    this.#without.add(workload);
    return undefined;
  }
}

function keyOf({ typeUrl, name }: Pick<LearnedName, "typeUrl" | "name">): string {
  return `${typeUrl} ${name}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
