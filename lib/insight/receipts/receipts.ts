/**
 * Receipts: which proxies were sent an edit, and which acknowledged it. They are made by an
 * observer of serving and stored in a ring that is bounded in number and bytes.
 *
 * @module
 */
import { objectKey } from "../../mesh/model/mod.ts";
import { rowRef } from "../../mesh/graph/mod.ts";
import type { PublishedEvent, XdsObserver } from "../../mesh/xds/mod.ts";
import { buildRollout } from "./build.ts";
import * as metrics from "./metrics.ts";
import { type Progress, progress } from "./progress.ts";
import { receiptOf } from "./read.ts";
import { type Entry, type Rollout, settleRollout } from "./rollout.ts";
import type { Receipt, ReceiptOptions } from "./types.ts";

const LIMIT = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** The receipts of edits. */
export interface Receipts {
  /** The observer for serving. */
  readonly observer: XdsObserver;
  /** The receipts of an object, newest first. */
  of(kind: string, namespace: string, name: string): Receipt[];
  /** The newest receipts, newest first. */
  latest(limit: number): Receipt[];
  /** Receipts kept. */
  readonly size: number;
  /** Approximate bytes. */
  readonly bytes: number;
}

/** Creates a store without receipts. */
export function createReceipts(options: ReceiptOptions): Receipts {
  return new Store(options);
}

class Store implements Receipts {
  readonly #options: ReceiptOptions;
  readonly #ring: Rollout[] = [];
  readonly #objects = new Map<string, Entry[]>();
  readonly #progress: Progress;
  /** Number of rollouts with streams that have not answered. */
  #pending = 0;
  #size = 0;
  #bytes = 0;

  constructor(options: ReceiptOptions) {
    this.#options = options;
    this.#progress = progress((rollout, time) => {
      settleRollout(rollout);
      this.#pending--;
      metrics.rolloutTime.observe((time - rollout.publishedAt) / 1000);
    });
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get observer(): XdsObserver {
    return {
      published: (event) => this.#add(event),
      rejected: (event) => this.#progress.rejected(event),
      withheld: (event) => this.#progress.withheld(event),
      settled: (event) => {
        const before = this.#pending;
        this.#progress.settled(event);
        if (this.#pending !== before) this.#measure();
      },
      closed: (stream) => {
        this.#progress.closed(stream, this.#options.clock());
        this.#measure();
      },
    };
  }

  of(kind: string, namespace: string, name: string): Receipt[] {
    return (this.#objects.get(keyOf({ kind, namespace, name })) ?? []).map(receiptOf).reverse();
  }

  latest(limit: number): Receipt[] {
    const found: Receipt[] = [];
    for (let i = this.#ring.length - 1; i >= 0; i--) {
      for (const entry of this.#ring[i]!.entries.toReversed()) {
        if (found.length >= limit) return found;
        found.push(receiptOf(entry));
      }
    }
    return found;
  }

  #add(event: PublishedEvent): void {
    const rollout = buildRollout(event, this.#options, (subscriber, change, member) => {
      this.#progress.add(subscriber.stream, { change, member });
    });
    if (!rollout) return;
    this.#ring.push(rollout);
    this.#size += rollout.entries.length;
    this.#bytes += rollout.bytes;
    if (rollout.open > 0) this.#pending++;
    else settleRollout(rollout);
    for (const entry of rollout.entries) {
      const key = keyOf(entry.edited);
      const list = this.#objects.get(key);
      if (list) list.push(entry);
      else this.#objects.set(key, [entry]);
    }
    this.#trim();
    this.#measure();
  }

  #trim(): void {
    const { limit = LIMIT, maxBytes = MAX_BYTES } = this.#options;
    while (this.#ring.length > 1 && (this.#size > limit || this.#bytes > maxBytes)) {
      const oldest = this.#ring.shift()!;
      this.#forget(oldest, oldest.entries);
    }
    // A publication with more edits than the store holds: only the last ones are stored.
    const only = this.#ring[0];
    if (only && this.#size > limit) {
      const excess = only.entries.slice(0, this.#size - limit);
      this.#forget(only, excess);
      only.entries.splice(0, excess.length);
    }
  }

  #forget(rollout: Rollout, entries: readonly Entry[]): void {
    for (const { edited } of entries) {
      // The oldest receipt is removed; a publication has each object once.
      const list = this.#objects.get(keyOf(edited));
      list?.shift();
      if (list?.length === 0) this.#objects.delete(keyOf(edited));
    }
    this.#size -= entries.length;
    if (entries.length < rollout.entries.length) return;
    if (rollout.open > 0) this.#pending--;
    this.#progress.forget(rollout);
    this.#bytes -= rollout.bytes;
  }

  #measure(): void {
    metrics.kept.set(this.#size);
    metrics.keptBytes.set(this.#bytes);
    metrics.openRollouts.set(this.#pending);
  }
}

function keyOf(
  { kind, namespace, name }: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  },
): string {
  return rowRef({ table: kind, key: objectKey({ namespace, name }) });
}
