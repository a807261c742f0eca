/**
 * The names that proxies of a workload class asked for on demand, so that further proxies of the class are sent it
 * at their first sync. Names are forgotten when no connected proxy has asked for them for a time; those
 * that a connected proxy was sent stay until it leaves.
 *
 * @module
 */

/** A name of a resource type that proxies of a workload class asked for. */
export interface LearnedName {
  readonly workload: string;
  readonly typeUrl: string;
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
  /** Names of a workload class, of all types. */
  readonly most: number;
  /** Makes the resources of names that were learned, and removes those of forgotten ones. */
  readonly write: (learned: readonly LearnedName[], forgotten: readonly LearnedName[]) => void;
}

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
  /** Stream → entries that it was sent; true: it asked. */
  readonly #streams: Map<object, Map<Entry, boolean>> = new Map();
  /** Refused names, for metrics and debug pages. */
  #refused = 0;

  constructor(options: LearnedOptions) {
    this.#options = options;
  }

  get refused(): number {
    return this.#refused;
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
  ask(stream: object, asked: Omit<LearnedName, "name">, names: readonly string[]): string[] {
    const refused: string[] = [];
    const learned: Entry[] = [];
    const { workload, typeUrl } = asked;
    const scope = this.#scopes.get(workload) ?? new Map<string, Entry>();
    this.#scopes.set(workload, scope);
    for (const name of names) {
      const key = `${typeUrl} ${name}`;
      let entry = scope.get(key);
      if (entry === undefined) {
        if (scope.size >= this.#options.most && !this.#makeRoom(scope)) {
          refused.push(name);
          continue;
        }
        entry = { workload, typeUrl, name, askedAt: 0, askers: 0, holders: 0 };
        scope.set(key, entry);
        learned.push(entry);
      }
      entry.askedAt = this.#options.clock();
      this.#hold(stream, entry, true);
    }
    this.#refused += refused.length;
    if (learned.length > 0) this.#options.write(learned, []);
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
      for (const [key, entry] of scope) {
        if (entry.holders > 0 || !this.#isOld(entry)) continue;
        scope.delete(key);
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

  /** Forgets the name that was asked for longest ago, of those that no connected proxy was sent. */
  #makeRoom(scope: Map<string, Entry>): boolean {
    let oldest: readonly [string, Entry] | undefined;
    for (const one of scope) {
      if (one[1].holders > 0) continue;
      if (oldest === undefined || one[1].askedAt < oldest[1].askedAt) oldest = one;
    }
    if (oldest === undefined) return false;
    scope.delete(oldest[0]);
    this.#options.write([], [oldest[1]]);
    return true;
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

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
