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
import * as metrics from "../metrics.ts";
import type { Entry, Quarantine, Rejection, Stream } from "./types.ts";
import { retryAt } from "./retry_timing.ts";
import { xdsType } from "../../model/mod.ts";

const log = scope("ads");

/** Rejected versions remembered of one name: as many as a flapping input may show. */
const VERSIONS = 8;
/** Names remembered in all. Beyond it the oldest are forgotten, and may be sent once more. */
const MAX_ENTRIES = 20_000;

/**
 * An empty quarantine. `clock`: milliseconds since the epoch. `added` is called when a resource is
 * quarantined, with the time at which it is sent again.
 */
export function quarantine(
  clock: () => number,
  added: (at: number) => void = () => {},
): Quarantine {
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
    metrics.quarantined.dec({ type: xdsType(entry.typeUrl).short });
  };

  const add = (rejection: Rejection): Entry => {
    const { stream, typeUrl, resource, before, from } = rejection;
    const { classKey } = stream.binding;
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
      tries: 0,
      retryAt: Infinity,
      trial: undefined,
      together: [],
    };
    const key = shelfOf(classKey, typeUrl);
    let shelf = shelves.get(key);
    if (!shelf) shelves.set(key, shelf = new Map());
    shelf.set(resource.name, entry);
    if (++size > MAX_ENTRIES) drop(shelves.values().next().value!.values().next().value!);
    metrics.quarantined.inc({ type: xdsType(typeUrl).short });
    return entry;
  };

  function* entries(): Generator<Entry> {
    for (const shelf of shelves.values()) yield* shelf.values();
  }

  /** Returns the replacement in other classes that rejected the same version. */
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
      const shelf = size === 0 ? undefined : shelves.get(shelfOf(stream.binding.classKey, typeUrl));
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
    },
    reject(rejection) {
      const { stream, typeUrl, resource, message, culprits } = rejection;
      const shelf = shelves.get(shelfOf(stream.binding.classKey, typeUrl));
      const entry = shelf?.get(resource.name) ?? add(rejection);
      entry.streams.add(stream);
      if (entry.trial === stream) entry.trial = undefined;
      if (entry.versions.includes(resource.version)) return entry.lastGood;
      entry.lastGood ??= elsewhere(typeUrl, resource);
      entry.versions.push(resource.version);
      if (entry.versions.length > VERSIONS) entry.versions.shift();
      entry.message = message;
      entry.culprits = culprits;
      entry.together = rejection.together;
      entry.from = rejection.from;
      entry.tries = 0;
      entry.retryAt = retryAt(clock(), 0);
      report(entry, stream);
      added(entry.retryAt);
      return entry.lastGood;
    },
    rejectedBy(stream, typeUrl) {
      const shelf = size === 0 ? undefined : shelves.get(shelfOf(stream.binding.classKey, typeUrl));
      return !!shelf && shelf.values().some(({ streams }) => streams.has(stream));
    },
    accept(stream, typeUrl, resources) {
      const shelf = size === 0 ? undefined : shelves.get(shelfOf(stream.binding.classKey, typeUrl));
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
          entry.trial = undefined;
          if (entry.from === "class") freed.push(name);
          entry.from = "stream";
          // Whoever rejected it may accept it now, too.
          entry.tries = 0;
          entry.retryAt = retryAt(clock(), 0);
          if (entry.streams.size === 0) drop(entry);
          else added(entry.retryAt);
        }
      }
      return freed;
    },
    review(stream, typeUrl, versionOf) {
      const shelf = size === 0 ? undefined : shelves.get(shelfOf(stream.binding.classKey, typeUrl));
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
    due: () => [...entries()].filter(({ retryAt }) => retryAt <= clock()),
    get next() {
      let next: number | undefined;
      for (const { retryAt } of entries()) next = Math.min(next ?? Infinity, retryAt);
      return next;
    },
    tryAgain(entry, stream) {
      entry.trial = stream;
      if (stream) entry.tries++;
      entry.retryAt = retryAt(clock(), entry.tries);
    },
    leave(stream) {
      if (size === 0) return;
      for (const shelf of [...shelves.values()]) {
        for (const entry of [...shelf.values()]) {
          if (entry.trial === stream) entry.trial = undefined;
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
        [...shelf.values()].map(({ trial: _, together: __, ...entry }) => ({
          ...entry,
          versions: [...entry.versions],
          streams: [...entry.streams].map(({ id }) => id).sort(),
        }))
      ),
  };
}

function report({ typeUrl, name, message, culprits, lastGood, from }: Entry, stream: Stream): void {
  log.warn(
    "a proxy rejected a resource; it is quarantined until its content changes, and sent again now and then",
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
