/**
 * Versions of resources that proxies rejected. A version that a proxy of a class rejected is not
 * sent to that class again: those who hold the version before it keep it, and newcomers are sent
 * the last one accepted. A version that another proxy of the class accepted is kept from those
 * alone who rejected it, for then the reason is theirs.
 *
 * @module
 */
import { printable } from "../base/mod.ts";
import type { Resource } from "../graph/mod.ts";
import { scope } from "../log/mod.ts";
import * as metrics from "./metrics.ts";
import { resourceType } from "./types.ts";

const log = scope("ads");

/** Rejected versions remembered of one name: as many as a flapping input may show. */
const VERSIONS = 8;
/** Names remembered in all. Beyond it the oldest are forgotten, and may be sent once more. */
const MAX_ENTRIES = 20_000;

/** A configuration object that a rejected resource comes from. */
export interface Culprit {
  /** `kind/namespace/name`. */
  readonly object: string;
  /** As of the rejection; `undefined` for what counts none. */
  readonly generation: number | undefined;
}

/** A name of which a version was rejected. */
export interface Quarantined {
  readonly classKey: string;
  readonly typeUrl: string;
  readonly name: string;
  /** The versions rejected, oldest first. */
  readonly versions: readonly string[];
  /** What the proxy said to the last of them. */
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** What proxies of the class have in its place; `undefined` when none was ever accepted. */
  readonly lastGood: Resource | undefined;
  /** Kept from all proxies of the class, or only from the streams that rejected it. */
  readonly from: "class" | "stream";
  /** Streams that rejected it and are connected. */
  readonly streams: readonly string[];
  /** Configuration objects it comes from, the likeliest first. */
  readonly culprits: readonly Culprit[];
}

/** A stream, as far as this goes. */
interface Stream {
  readonly id: string;
  readonly seat: { readonly classKey: string };
}

interface Entry extends Omit<Quarantined, "streams"> {
  versions: string[];
  message: string;
  lastGood: Resource | undefined;
  from: "class" | "stream";
  culprits: readonly Culprit[];
  readonly streams: Set<Stream>;
  /** Names held back together with it, because it is not known which of them is the reason. */
  together: readonly string[];
}

/** A rejected resource. */
export interface Rejection {
  readonly stream: Stream;
  readonly typeUrl: string;
  readonly resource: Resource;
  /** What the client held before. */
  readonly before: Resource | undefined;
  readonly message: string;
  readonly from: "class" | "stream";
  readonly culprits: readonly Culprit[];
  /** Names rejected with it, when it is not known which of them is the reason. */
  readonly together: readonly string[];
}

/** What is held back. */
export interface Quarantine {
  readonly size: number;
  /** Finds what is kept from a stream, of one type; `undefined` when nothing is. */
  screen(stream: Stream, typeUrl: string): Screen | undefined;
  /** Holds a resource back; returns what is sent in its place, if anything is. */
  reject(rejection: Rejection): Resource | undefined;
  /** Whether a stream rejected something of a type that is held back still. */
  rejectedBy(stream: Stream, typeUrl: string): boolean;
  /** A client accepted resources; returns names that others of its class may be sent now. */
  accept(stream: Stream, typeUrl: string, resources: readonly Resource[]): readonly string[];
  /**
   * Compares with what is served to a stream's class now: what is gone is forgotten. Returns names
   * that may be sent again, because the reason may have been one that changed.
   */
  review(
    stream: Stream,
    typeUrl: string,
    versionOf: (name: string) => string | undefined,
  ): readonly string[];
  /** A stream ended. */
  leave(stream: Stream): void;
  /** Everything may be sent again. */
  clear(): void;
  list(): Quarantined[];
}

/** What is kept from one stream. */
export interface Screen {
  /** Whether a version is kept from the stream; with what is sent in its place, if anything is. */
  holds(resource: Resource): { readonly instead: Resource | undefined } | undefined;
}

/** Nothing held back. `clock`: milliseconds since the epoch. */
export function quarantine(clock: () => number): Quarantine {
  /** By class and type, then name. */
  const shelves = new Map<string, Map<string, Entry>>();
  const shelfOf = (classKey: string, typeUrl: string) => `${typeUrl} ${classKey}`;
  let size = 0;

  const drop = (entry: Entry): void => {
    const key = shelfOf(entry.classKey, entry.typeUrl);
    const shelf = shelves.get(key);
    if (!shelf?.delete(entry.name)) return;
    if (shelf.size === 0) shelves.delete(key);
    size--;
    metrics.quarantined.dec({ type: resourceType(entry.typeUrl).short });
  };

  const add = (rejection: Rejection): Entry => {
    const { stream, typeUrl, resource, before, from } = rejection;
    const { classKey } = stream.seat;
    const entry: Entry = {
      classKey,
      typeUrl,
      name: resource.name,
      versions: [],
      message: "",
      since: clock(),
      lastGood: before,
      from,
      streams: new Set(),
      culprits: [],
      together: [],
    };
    const key = shelfOf(classKey, typeUrl);
    let shelf = shelves.get(key);
    if (!shelf) shelves.set(key, shelf = new Map());
    shelf.set(resource.name, entry);
    if (++size > MAX_ENTRIES) drop(shelves.values().next().value!.values().next().value!);
    metrics.quarantined.inc({ type: resourceType(typeUrl).short });
    return entry;
  };

  /** What other classes, that rejected the same version, have in its place. */
  const elsewhere = (typeUrl: string, { name, version }: Resource): Resource | undefined => {
    for (const shelf of shelves.values()) {
      const entry = shelf.get(name);
      if (entry?.typeUrl !== typeUrl || !entry.versions.includes(version)) continue;
      if (entry.lastGood) return entry.lastGood;
    }
    return undefined;
  };

  return {
    get size() {
      return size;
    },
    screen(stream, typeUrl) {
      const shelf = size === 0 ? undefined : shelves.get(shelfOf(stream.seat.classKey, typeUrl));
      if (!shelf) return undefined;
      return {
        holds({ name, version }) {
          const entry = shelf.get(name);
          if (!entry?.versions.includes(version)) return undefined;
          if (entry.from === "stream" && !entry.streams.has(stream)) return undefined;
          return { instead: entry.lastGood };
        },
      };
    },
    reject(rejection) {
      const { stream, typeUrl, resource, message, culprits } = rejection;
      const shelf = shelves.get(shelfOf(stream.seat.classKey, typeUrl));
      const entry = shelf?.get(resource.name) ?? add(rejection);
      entry.streams.add(stream);
      if (entry.versions.includes(resource.version)) return entry.lastGood;
      entry.lastGood ??= elsewhere(typeUrl, resource);
      entry.versions.push(resource.version);
      if (entry.versions.length > VERSIONS) entry.versions.shift();
      entry.message = message;
      entry.culprits = culprits;
      entry.together = rejection.together;
      entry.from = rejection.from;
      report(entry, stream);
      return entry.lastGood;
    },
    rejectedBy(stream, typeUrl) {
      const shelf = size === 0 ? undefined : shelves.get(shelfOf(stream.seat.classKey, typeUrl));
      return !!shelf && shelf.values().some(({ streams }) => streams.has(stream));
    },
    accept(stream, typeUrl, resources) {
      const shelf = size === 0 ? undefined : shelves.get(shelfOf(stream.seat.classKey, typeUrl));
      if (!shelf) return [];
      const freed: string[] = [];
      for (const { name, version } of resources) {
        const entry = shelf.get(name);
        if (!entry) continue;
        if (version === entry.lastGood?.version) continue;
        if (!entry.versions.includes(version)) {
          drop(entry);
          log.info("a resource is accepted again", { type: short(typeUrl), name });
        } else if (version === entry.versions.at(-1)) {
          entry.streams.delete(stream);
          if (entry.from === "class") freed.push(name);
          entry.from = "stream";
          if (entry.streams.size === 0) drop(entry);
        }
      }
      return freed;
    },
    review(stream, typeUrl, versionOf) {
      const shelf = size === 0 ? undefined : shelves.get(shelfOf(stream.seat.classKey, typeUrl));
      if (!shelf) return [];
      const freed = new Set<string>();
      for (const entry of [...shelf.values()]) {
        const version = versionOf(entry.name);
        if (version === entry.versions.at(-1)) continue;
        for (const name of entry.together) if (name !== entry.name) freed.add(name);
        entry.together = [];
        if (version === undefined) drop(entry);
      }
      for (const name of freed) {
        const entry = shelf.get(name);
        if (entry) drop(entry);
      }
      return [...freed];
    },
    leave(stream) {
      if (size === 0) return;
      for (const shelf of [...shelves.values()]) {
        for (const entry of [...shelf.values()]) {
          if (!entry.streams.delete(stream)) continue;
          if (entry.from === "stream" && entry.streams.size === 0) drop(entry);
        }
      }
    },
    clear() {
      for (const shelf of [...shelves.values()]) {
        for (const entry of [...shelf.values()]) drop(entry);
      }
    },
    list: () =>
      [...shelves.values()].flatMap((shelf) =>
        [...shelf.values()].map((entry) => ({
          ...entry,
          versions: [...entry.versions],
          streams: [...entry.streams].map(({ id }) => id).sort(),
        }))
      ),
  };
}

function report({ typeUrl, name, message, culprits, lastGood, from }: Entry, stream: Stream): void {
  log.warn("a proxy rejected a resource; it is held back until its content changes", {
    proxy: stream.id,
    type: short(typeUrl),
    name: printable(name),
    message: printable(message),
    from: culprits.slice(0, 10).map(({ object, generation }) =>
      generation === undefined ? object : `${object} (generation ${generation})`
    ),
    serving: lastGood ? "the version before" : "none",
    keptFrom: from === "class" ? "proxies of its kind" : "this proxy",
  });
}

function short(typeUrl: string): string {
  return resourceType(typeUrl).short;
}
