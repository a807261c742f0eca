/**
 * Versions of resources that proxies rejected. A rejected version is withheld from the stream that
 * rejected it, and from no other: others are sent it and answer for themselves. What is remembered of
 * a class (versions, identities, the version before) orders the search of others and gives new
 * proxies a version to begin with.
 *
 * @module
 */
import { printable } from "../../../kit/base/mod.ts";
import type { Resource } from "../../graph/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { xdsType } from "../../model/mod.ts";
import * as metrics from "../metrics.ts";
import { HeldByStream } from "./held_by_stream.ts";
import { keep, replacement } from "./kept_versions.ts";
import { clientName } from "./client_name.ts";
import { report } from "./report.ts";
import { PAUSE_MS, retryAt } from "./retry_timing.ts";
import { Shelves } from "./shelves.ts";
import type {
  Entry,
  Held,
  Quarantine,
  QuarantineFilter,
  Rejected,
  Rejection,
  Stream,
} from "./types.ts";

const log = scope("ads");

/** Rejected versions remembered of one name: as many as a flapping input may show. */
const VERSIONS = 8;
/** Proved identities remembered of one name. */
const IDENTITIES = 64;
/** Longest message that is remembered, characters. */
const MAX_MESSAGE = 4096;
/** Time for which an entry is remembered after its last holder left, milliseconds. */
const FORGET_MS = 30 * 60_000;

/**
 * An empty quarantine. `clock`: milliseconds since the epoch. `added` is called when a resource is
 * to be sent again, with the time.
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
  readonly #held: HeldByStream = new HeldByStream((stream, held) => this.#drop(stream, held));

  constructor(clock: () => number, added: (at: number) => void) {
    this.#clock = clock;
    this.#added = added;
  }

  get size(): number {
    return this.#shelves.size;
  }

  screen(stream: Stream, typeUrl: string): QuarantineFilter | undefined {
    const shelf = this.#held.of(stream, typeUrl);
    if (!shelf) return undefined;
    return {
      holds({ name, version }) {
        const held = shelf.get(name);
        if (!held?.versions.includes(version) || held.isTrial) return undefined;
        return { instead: insteadOf(held) };
      },
    };
  }

  reject(rejection: Rejection): Resource | undefined {
    const { stream, typeUrl, resource, before } = rejection;
    const held = this.#heldOf(rejection);
    const { entry, versions } = held;
    if (held.isTrial && entry.isEased) this.#retryFromStart(entry);
    held.isTrial = false;
    if (versions.includes(resource.version)) return insteadOf(held);
    versions.push(resource.version);
    if (versions.length > VERSIONS) versions.shift();
    held.together = rejection.together;
    held.tries = 0;
    if (before) entry.kept = keep(entry.kept, before, stream.node.identity);
    this.#note(rejection, entry);
    return held.before = before ?? insteadOf(held) ??
      this.#shelves.replacementElsewhere(typeUrl, resource);
  }

  rejectedBy(stream: Stream, typeUrl: string): boolean {
    return this.#held.of(stream, typeUrl) !== undefined;
  }

  suspects(
    { binding }: Stream,
    typeUrl: string,
    resources: readonly Resource[],
  ): readonly Resource[] {
    if (this.size === 0) return [];
    return resources.filter(({ name, version }) => {
      const entry = this.#shelves.of(binding.classKey, typeUrl, name);
      return entry !== undefined && entry.identities.size > 0 && entry.versions.includes(version);
    });
  }

  accept(stream: Stream, typeUrl: string, resources: readonly Resource[]): void {
    const shelf = this.#held.of(stream, typeUrl);
    if (!shelf) return;
    for (const { name, version } of resources) {
      const held = shelf.get(name);
      if (!held || version === insteadOf(held)?.version) continue;
      const isRetry = version === held.versions.at(-1);
      if (!isRetry && held.versions.includes(version)) continue;
      this.#drop(stream, held);
      if (isRetry) this.#ease(held.entry);
      if (held.entry.holders.size > 0) continue;
      log.info("a resource is accepted again", { type: short(typeUrl), name: printable(name) });
    }
  }

  review(
    stream: Stream,
    typeUrl: string,
    versionOf: (name: string) => string | undefined,
  ): readonly string[] {
    const shelf = this.#held.of(stream, typeUrl);
    if (!shelf) return [];
    const freed = new Set<string>();
    for (const held of [...shelf.values()]) {
      const { name } = held.entry;
      const version = versionOf(name);
      if (version === held.versions.at(-1)) continue;
      for (const other of held.together) if (other !== name) freed.add(other);
      held.together = [];
      // Removed, or as it was before the first rejection: the cause is gone.
      if (version === undefined || version === insteadOf(held)?.version) this.#drop(stream, held);
    }
    for (const name of freed) {
      const held = shelf.get(name);
      if (held) this.#drop(stream, held);
    }
    return [...freed];
  }

  due(): readonly Entry[] {
    const now = this.#clock();
    return this.#shelves.entries().filter(({ retryAt }) => retryAt <= now)
      .map((entry) => ({ entry, records: this.#held.fewest(entry.holders.keys()) }))
      .sort((a, b) => a.records - b.records).map(({ entry }) => entry);
  }

  get next(): number | undefined {
    let next: number | undefined;
    for (const { retryAt } of this.#shelves.entries()) {
      next = Math.min(next ?? Infinity, retryAt);
    }
    return next;
  }

  tryAgain(entry: Entry, streams: readonly Stream[]): void {
    const now = this.#clock();
    if (entry.holders.size === 0 && now - entry.leftAt >= FORGET_MS) {
      return this.#shelves.drop(entry);
    }
    for (const stream of streams) {
      const held = entry.holders.get(stream)!;
      held.isTrial = true;
      held.tries++;
    }
    if (streams.length > 0) entry.tries++;
    else entry.isEased = false;
    entry.retryAt = entry.isEased ? now + PAUSE_MS : retryAt(now, entry.tries);
  }

  leave(stream: Stream): void {
    for (const held of this.#held.all(stream)) {
      const { entry } = held;
      this.#held.delete(stream, held);
      entry.holders.delete(stream);
      if (entry.holders.size > 0) continue;
      this.#ended(entry);
      entry.leftAt = this.#clock();
      if (entry.kept.length === 0) this.#shelves.drop(entry);
      else this.#shelves.left(entry);
    }
  }

  clear(): void {
    for (const entry of this.#shelves.entries()) {
      for (const [stream, held] of [...entry.holders]) this.#drop(stream, held);
      this.#shelves.drop(entry);
    }
  }

  list(): Rejected[] {
    return this.#shelves.entries().filter(({ holders }) => holders.size > 0).map((entry) => {
      const { classKey, typeUrl, name, message, since, culprits, tries, retryAt } = entry;
      const streams = [...entry.holders.keys()];
      return {
        classKey,
        typeUrl,
        name,
        message,
        since,
        culprits,
        tries,
        retryAt,
        versions: [...entry.versions],
        lastGood: replacement(entry.kept, entry.versions.slice(-1)),
        streams: streams.map(({ id }) => id).sort(),
        rejectedBy: [...new Set(streams.map(clientName))].sort(),
      };
    });
  }

  /** The record of the name for the stream; a new one for its first rejection. */
  #heldOf(rejection: Rejection): Held {
    const { stream, typeUrl, resource: { name } } = rejection;
    const known = this.#held.of(stream, typeUrl)?.get(name);
    if (known) return known;
    const entry = this.#shelves.of(stream.binding.classKey, typeUrl, name) ??
      this.#shelves.add(rejection, this.#clock());
    if (entry.holders.size === 0) {
      metrics.quarantined.inc({ type: short(typeUrl) });
      this.#shelves.taken(entry);
    }
    const held: Held = {
      entry,
      versions: [],
      before: undefined,
      together: [],
      tries: 0,
      isTrial: false,
    };
    entry.holders.set(stream, held);
    this.#held.add(stream, held);
    return held;
  }

  /** Records the rejection of a version in what is known of the class. */
  #note({ stream, resource: { version }, message, culprits }: Rejection, entry: Entry): void {
    const { identity } = stream.node;
    if (identity !== undefined && entry.identities.size < IDENTITIES) {
      entry.identities.add(identity);
    }
    const isNew = !entry.versions.includes(version);
    if (isNew) {
      entry.versions.push(version);
      if (entry.versions.length > VERSIONS) entry.versions.shift();
    }
    entry.message = message.slice(0, MAX_MESSAGE);
    entry.culprits = culprits;
    report(entry, stream, isNew);
    if (isNew || entry.retryAt === Infinity) this.#retryFromStart(entry);
  }

  /** Withholds nothing of an entry from a stream any longer. */
  #drop(stream: Stream, held: Held): void {
    const { entry } = held;
    this.#held.delete(stream, held);
    if (!entry.holders.delete(stream) || entry.holders.size > 0) return;
    this.#ended(entry);
    this.#shelves.drop(entry);
  }

  #ended({ typeUrl }: Entry): void {
    metrics.quarantined.dec({ type: short(typeUrl) });
  }

  /** A stream accepted the last version: the others that rejected it are asked again now. */
  #ease(entry: Entry): void {
    if (entry.holders.size === 0) return;
    entry.tries = 0;
    entry.isEased = true;
    entry.retryAt = this.#clock() + PAUSE_MS;
    this.#added(entry.retryAt);
  }

  #retryFromStart(entry: Entry): void {
    entry.tries = 0;
    entry.isEased = false;
    entry.retryAt = retryAt(this.#clock(), 0);
    this.#added(entry.retryAt);
  }
}

/** The replacement for a stream: its own version before, or that of most others. */
function insteadOf({ entry, before, versions }: Held): Resource | undefined {
  if (before && !versions.includes(before.version)) return before;
  return replacement(entry.kept, versions);
}

function short(typeUrl: string): string {
  return xdsType(typeUrl).short;
}
