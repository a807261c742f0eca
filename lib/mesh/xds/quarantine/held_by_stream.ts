/**
 * The rejected versions of streams, by stream, type and name, in bounded memory.
 *
 * @module
 */
import { clientName } from "./client_name.ts";
import type { Held, Stream } from "./types.ts";

/** Maximum number of records of all streams. */
const MAX_HELD = 50_000;

/** Streams of an entry that are looked at to find a client with few records. */
const LOOKED_AT = 8;

/** Records by name, of one stream and type. */
export type HeldShelf = ReadonlyMap<string, Held>;

/** The records of one client, that may have several streams. */
interface Client {
  count: number;
  readonly streams: Set<Stream>;
}

/**
 * The records of all streams. Beyond the maximum, the client with the most loses its oldest one: the
 * version may be sent to it once more.
 */
export class HeldByStream {
  readonly #streams = new Map<Stream, Map<string, Map<string, Held>>>();
  readonly #clients = new Map<string, Client>();
  readonly #drop: (stream: Stream, held: Held) => void;
  #size = 0;

  /** `drop` must call {@link delete}. */
  constructor(drop: (stream: Stream, held: Held) => void) {
    this.#drop = drop;
  }

  /** The records of a stream for a type; `undefined` if there are none. */
  of(stream: Stream, typeUrl: string): HeldShelf | undefined {
    return this.#size === 0 ? undefined : this.#streams.get(stream)?.get(typeUrl);
  }

  /** All records of a stream, as they are now. */
  all(stream: Stream): Held[] {
    return [...this.#streams.get(stream)?.values() ?? []].flatMap((shelf) => [...shelf.values()]);
  }

  add(stream: Stream, held: Held): void {
    if (this.#size >= MAX_HELD) this.#dropOne();
    const types = entryOf(this.#streams, stream, () => new Map<string, Map<string, Held>>());
    entryOf(types, held.entry.typeUrl, () => new Map<string, Held>()).set(held.entry.name, held);
    const client = entryOf(this.#clients, clientName(stream), () => ({
      count: 0,
      streams: new Set<Stream>(),
    }));
    client.count++;
    client.streams.add(stream);
    this.#size++;
  }

  delete(stream: Stream, { entry: { typeUrl, name } }: Held): void {
    const types = this.#streams.get(stream);
    const shelf = types?.get(typeUrl);
    if (!shelf?.delete(name)) return;
    this.#size--;
    const client = this.#clients.get(clientName(stream))!;
    client.count--;
    if (shelf.size === 0) types!.delete(typeUrl);
    if (types!.size > 0) return;
    this.#streams.delete(stream);
    client.streams.delete(stream);
    if (client.streams.size === 0) this.#clients.delete(clientName(stream));
  }

  /** The smallest number of records that one of the clients of some streams has; of the first streams. */
  fewest(streams: Iterable<Stream>): number {
    let fewest = Infinity;
    let left = LOOKED_AT;
    for (const stream of streams) {
      fewest = Math.min(fewest, this.#clients.get(clientName(stream))?.count ?? 0);
      if (--left === 0) break;
    }
    return fewest;
  }

  #dropOne(): void {
    let most: Client | undefined;
    for (const client of this.#clients.values()) {
      if (!most || client.count > most.count) most = client;
    }
    const [stream] = most?.streams ?? [];
    const [shelf] = (stream && this.#streams.get(stream)?.values()) ?? [];
    const [held] = shelf?.values() ?? [];
    if (stream && held) this.#drop(stream, held);
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
