/**
 * The objects of one resource type as they are known: what a list or an event changes in them.
 *
 * @module
 */
import { hash } from "../base/mod.ts";
import { type KeyCodec, pathOf, text } from "../key/mod.ts";
import { type ListItem, trimmed } from "./object.ts";
import type { ObjectName } from "./resource.ts";

/** Changed and deleted objects. */
export interface Changes<V> {
  readonly upserts: readonly V[];
  readonly deletes: readonly Required<ObjectName>[];
}

/** An event of a watch about an object. */
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: ListItem;
}

/** The event that ends a watch: `object` is a Status, whose code is that of an HTTP answer. */
export interface WatchError {
  readonly type: "ERROR";
  readonly object: { readonly code?: number };
}

interface Entry<V> {
  /** Hash of the content: what counts as a change. */
  readonly digest: string;
  readonly version: string;
  readonly value: V;
}

/** Objects by namespace and name. */
export interface HeldObjects<V> {
  /** Replaces everything by the items of a list. */
  replace(items: readonly PreparedItem<V>[]): Changes<V>;
  /** Applies events, in their order. */
  apply(events: readonly PreparedEvent<V>[]): Changes<V>;
  /**
   * Makes an item of a list ready for {@linkcode replace}, so that pages are not kept whole. In steps: a
   * large object takes tens of milliseconds.
   */
  prepare(item: ListItem): Generator<void, PreparedItem<V>>;
  /** Makes events ready for {@linkcode apply}. */
  prepareEvents(events: readonly WatchEvent[]): Generator<void, PreparedEvent<V>[]>;
  get(name: ObjectName): V | undefined;
  values(): V[];
  /** Versions of the objects by their keys; see {@link versionOf}. */
  versions(): Iterable<readonly [key: string, version: string]>;
  readonly size: number;
}

/** An item with its key. */
export interface PreparedItem<V> extends Entry<V> {
  readonly key: string;
}

/** An event with what it does: the object as it is now, or the key of a deleted one. */
export type PreparedEvent<V> = { readonly item: PreparedItem<V> } | { readonly deleted: string };

/** The conversion of objects to the values that are kept. */
export interface Conversion<V> {
  /** Makes the value that is kept of a trimmed object. */
  readonly convert: (object: ListItem) => V;
  /** {@linkcode convert} in steps, for objects that take long. */
  readonly convertInSteps?: ((object: ListItem) => Generator<void, V>) | undefined;
  /**
   * The plain data of a value that count as a change; default: the trimmed object without its resource
   * version.
   */
  readonly contentOf?: ((value: V) => unknown) | undefined;
}

/** Starts empty. */
export function createHeld<V>(
  { convert, convertInSteps, contentOf }: Conversion<V>,
): HeldObjects<V> {
  let entries = new Map<string, Entry<V>>();
  function* converted(object: ListItem): Generator<void, V> {
    return convertInSteps === undefined ? convert(object) : yield* convertInSteps(object);
  }
  function* prepare(item: ListItem): Generator<void, PreparedItem<V>> {
    const object = trimmed(item);
    const key = keyOf(object.metadata);
    const version = versionOf(object.metadata);
    const value = contentOf && (yield* converted(object));
    // The digest decides and not the resource version: after a restored backup, the server gives
    // the same versions to other contents, and many writes change nothing but the version.
    const digest = hash(
      JSON.stringify(value === undefined ? unversioned(object) : contentOf!(value)),
    );
    yield;
    const before = entries.get(key);
    if (before?.digest === digest && before.version === version) return { ...before, key };
    return { key, digest, version, value: value ?? (yield* converted(object)) };
  }
  return {
    prepare,
    *prepareEvents(events) {
      const prepared: PreparedEvent<V>[] = [];
      for (const { type, object } of events) {
        if (type === "DELETED") prepared.push({ deleted: keyOf(object.metadata) });
        else if (type !== "BOOKMARK") prepared.push({ item: yield* prepare(object) });
        yield;
      }
      return prepared;
    },
    replace(items) {
      const next = new Map(items.map(({ key, ...entry }) => [key, entry]));
      const upserts = [...next].filter(([key, { digest }]) => entries.get(key)?.digest !== digest)
        .map(([, { value }]) => value);
      const deletes = [...entries.keys()].filter((key) => !next.has(key)).map(nameOf);
      entries = next;
      return { upserts, deletes };
    },
    apply(events) {
      const upserts = new Map<string, V>();
      const deletes = new Set<string>();
      for (const event of events) {
        if ("deleted" in event) {
          const key = event.deleted;
          upserts.delete(key);
          if (entries.delete(key)) deletes.add(key);
        } else {
          const { key, ...entry } = event.item;
          const before = entries.get(key)?.digest;
          // Writers need the version of what they read, changed or not.
          entries.set(key, entry);
          if (before === entry.digest) continue;
          deletes.delete(key);
          upserts.set(key, entry.value);
        }
      }
      return { upserts: [...upserts.values()], deletes: [...deletes].map(nameOf) };
    },
    get: ({ namespace = "", name }) => entries.get(keyOf({ namespace, name }))?.value,
    values: () => [...entries.values()].map(({ value }) => value),
    *versions() {
      for (const [key, { version }] of entries) yield [key, version];
    },
    get size() {
      return entries.size;
    },
  };
}

function unversioned(object: ListItem): ListItem {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const KEYS: KeyCodec<Required<ObjectName>> = pathOf<Required<ObjectName>>({
  namespace: text,
  name: text,
});

/** Identifies the content of an object: its identity, which a new object of the name changes, and its version. */
export function versionOf({ uid = "", resourceVersion = "" }: ListItem["metadata"]): string {
  return `${uid}/${resourceVersion}`;
}

/** The key of an object. */
export function keyOf({ namespace = "", name }: ObjectName): string {
  return KEYS.encode({ namespace, name });
}

/** The name of an object's key. */
export function nameOf(key: string): Required<ObjectName> {
  return KEYS.decode(key);
}
