/**
 * Versions of resources that proxies rejected. A version that a proxy of a class rejected is not
 * sent to that class again: clients keep the previous version, and new clients are sent the last
 * accepted one. If another proxy of the class accepted the version, it is quarantined only for the
 * streams that rejected it, because the cause is theirs.
 *
 * @module
 */
import { printable } from "../../base/mod.ts";
import type { Resource } from "../../graph/mod.ts";
import { scope } from "../../log/mod.ts";
import type {
  Entry,
  Quarantine,
  Quarantined,
  QuarantineFilter,
  Rejection,
  Stream,
} from "./types.ts";
import { Shelves } from "./shelves.ts";
import { retryAt } from "./retry_timing.ts";
import { xdsType } from "../../model/mod.ts";

const log = scope("ads");

/** Rejected versions remembered of one name: as many as a flapping input may show. */
const VERSIONS = 8;
/**
 * An empty quarantine. `clock`: milliseconds since the epoch. `added` is called when a resource is
 * quarantined, with the time at which it is sent again.
 */
export function quarantine(
  clock: () => number,
  added: (at: number) => void = () => {},
): Quarantine {
  return new Store(clock, added);
}

class Store implements Quarantine {
  readonly #clock: () => number;
  readonly #added: (at: number) => void;
  readonly #shelves = new Shelves();

  constructor(clock: () => number, added: (at: number) => void) {
    this.#clock = clock;
    this.#added = added;
  }

  get size(): number {
    return this.#shelves.size;
  }

  screen(stream: Stream, typeUrl: string): QuarantineFilter | undefined {
    const shelf = this.#shelves.of(stream, typeUrl);
    if (!shelf) return undefined;
    return {
      holds({ name, version }) {
        const entry = shelf.get(name);
        if (!entry?.versions.includes(version)) return undefined;
        if (entry.from === "stream" && !entry.streams.has(stream)) return undefined;
        if (entry.trial === stream) return undefined;
        return { instead: entry.lastGood };
      },
    };
  }

  reject(rejection: Rejection): Resource | undefined {
    const { stream, typeUrl, resource } = rejection;
    const shelf = this.#shelves.of(stream, typeUrl);
    const entry = shelf?.get(resource.name) ?? this.#shelves.add(rejection, this.#clock());
    entry.streams.add(stream);
    if (entry.trial === stream) entry.trial = undefined;
    if (entry.versions.includes(resource.version)) return entry.lastGood;
    entry.lastGood ??= this.#shelves.replacementElsewhere(typeUrl, resource);
    entry.versions.push(resource.version);
    if (entry.versions.length > VERSIONS) entry.versions.shift();
    entry.message = rejection.message;
    entry.culprits = rejection.culprits;
    entry.together = rejection.together;
    entry.from = rejection.from;
    report(entry, stream);
    this.#retryFromStart(entry);
    return entry.lastGood;
  }

  rejectedBy(stream: Stream, typeUrl: string): boolean {
    const shelf = this.#shelves.of(stream, typeUrl);
    return !!shelf && shelf.values().some(({ streams }) => streams.has(stream));
  }

  accept(stream: Stream, typeUrl: string, resources: readonly Resource[]): readonly string[] {
    const shelf = this.#shelves.of(stream, typeUrl);
    if (!shelf) return [];
    const freed: string[] = [];
    for (const { name, version } of resources) {
      const entry = shelf.get(name);
      if (!entry) continue;
      if (version === entry.lastGood?.version) continue;
      if (!entry.versions.includes(version)) {
        this.#shelves.drop(entry);
        log.info("a resource is accepted again", { type: short(typeUrl), name });
      } else if (version === entry.versions.at(-1)) {
        if (entry.from === "class") freed.push(name);
        this.#acceptedBy(stream, entry);
      }
    }
    return freed;
  }

  review(
    stream: Stream,
    typeUrl: string,
    versionOf: (name: string) => string | undefined,
  ): readonly string[] {
    const shelf = this.#shelves.of(stream, typeUrl);
    if (!shelf) return [];
    const freed = new Set<string>();
    for (const entry of [...shelf.values()]) {
      const version = versionOf(entry.name);
      if (version === entry.versions.at(-1)) continue;
      for (const name of entry.together) if (name !== entry.name) freed.add(name);
      entry.together = [];
      // Removed, or as it was before the first rejection: the cause is gone.
      if (version === undefined || version === entry.lastGood?.version) this.#shelves.drop(entry);
    }
    for (const name of freed) {
      const entry = shelf.get(name);
      if (entry) this.#shelves.drop(entry);
    }
    return [...freed];
  }

  due(): readonly Entry[] {
    const now = this.#clock();
    return this.#shelves.entries().filter(({ retryAt }) => retryAt <= now);
  }

  get next(): number | undefined {
    let next: number | undefined;
    for (const { retryAt } of this.#shelves.entries()) {
      next = Math.min(next ?? Infinity, retryAt);
    }
    return next;
  }

  tryAgain(entry: Entry, stream: Stream | undefined): void {
    entry.trial = stream;
    if (stream) entry.tries++;
    entry.retryAt = retryAt(this.#clock(), entry.tries);
  }

  leave(stream: Stream): void {
    for (const entry of this.#shelves.entries()) {
      if (entry.trial === stream) entry.trial = undefined;
      if (!entry.streams.delete(stream)) continue;
      if (entry.from === "stream" && entry.streams.size === 0) this.#shelves.drop(entry);
    }
  }

  clear(): void {
    for (const entry of this.#shelves.entries()) this.#shelves.drop(entry);
  }

  list(): Quarantined[] {
    return this.#shelves.entries().map(({ trial: _, together: __, ...entry }) => ({
      ...entry,
      versions: [...entry.versions],
      streams: [...entry.streams].map(({ id }) => id).sort(),
    }));
  }

  /** A stream accepted the last version: the others that rejected it are asked again soon. */
  #acceptedBy(stream: Stream, entry: Entry): void {
    entry.streams.delete(stream);
    entry.trial = undefined;
    entry.from = "stream";
    if (entry.streams.size === 0) this.#shelves.drop(entry);
    else this.#retryFromStart(entry);
  }

  #retryFromStart(entry: Entry): void {
    entry.tries = 0;
    entry.retryAt = retryAt(this.#clock(), 0);
    this.#added(entry.retryAt);
  }
}

function report({ typeUrl, name, message, culprits, lastGood, from }: Entry, stream: Stream): void {
  log.warn(
    "a proxy rejected a resource; it is quarantined until its content changes or a retry succeeds",
    {
      proxy: stream.id,
      type: short(typeUrl),
      name: printable(name),
      message: printable(message),
      from: culprits.slice(0, 10).map(({ object, generation }) =>
        generation === undefined ? object : `${object} (generation ${generation})`
      ),
      serving: lastGood ? "the version before" : "none",
      keptFrom: from === "class" ? "proxies of its kind" : "this proxy",
    },
  );
}

function short(typeUrl: string): string {
  return xdsType(typeUrl).short;
}
