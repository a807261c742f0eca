/**
 * Receipts: which proxies were sent an edit, and which acknowledged it. They are made by an
 * observer of serving and stored in a ring that is bounded in number and bytes.
 *
 * @module
 */
import { objectKey } from "../model/mod.ts";
import { rowRef } from "../graph/mod.ts";
import type { XdsObserver } from "../serve/mod.ts";
import { buildRollout } from "./build.ts";
import * as metrics from "./metrics.ts";
import { progress } from "./progress.ts";
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
  const ring: Rollout[] = [];
  const objects = new Map<string, Entry[]>();
  const limit = options.limit ?? LIMIT;
  const maxBytes = options.maxBytes ?? MAX_BYTES;
  let size = 0;
  let bytes = 0;
  let pending = 0;
  const follow = progress((rollout, time) => {
    settleRollout(rollout);
    pending--;
    metrics.rolloutTime.observe((time - rollout.publishedAt) / 1000);
  });

  const forget = (rollout: Rollout, entries: readonly Entry[]): void => {
    for (const { edited } of entries) {
      // The oldest receipt is removed; a publication has each object once.
      const list = objects.get(keyOf(edited));
      list?.shift();
      if (list?.length === 0) objects.delete(keyOf(edited));
    }
    size -= entries.length;
    if (entries.length < rollout.entries.length) return;
    if (rollout.open > 0) pending--;
    follow.forget(rollout);
    bytes -= rollout.bytes;
  };

  const trim = (): void => {
    while (ring.length > 1 && (size > limit || bytes > maxBytes)) {
      const oldest = ring.shift()!;
      forget(oldest, oldest.entries);
    }
    // A publication with more edits than the store holds: only the last ones are stored.
    const only = ring[0];
    if (only && size > limit) {
      const excess = only.entries.slice(0, size - limit);
      forget(only, excess);
      only.entries.splice(0, excess.length);
    }
  };

  const note = (): void => {
    metrics.kept.set(size);
    metrics.keptBytes.set(bytes);
    metrics.openRollouts.set(pending);
  };

  const observer: XdsObserver = {
    published(event) {
      const rollout = buildRollout(event, options, (subscriber, change, member) => {
        follow.add(subscriber.stream, { change, member });
      });
      if (!rollout) return;
      ring.push(rollout);
      size += rollout.entries.length;
      bytes += rollout.bytes;
      if (rollout.open > 0) pending++;
      else settleRollout(rollout);
      for (const entry of rollout.entries) {
        const key = keyOf(entry.edited);
        const list = objects.get(key);
        if (list) list.push(entry);
        else objects.set(key, [entry]);
      }
      trim();
      note();
    },
    rejected: follow.rejected,
    withheld: follow.withheld,
    settled(event) {
      const before = pending;
      follow.settled(event);
      if (pending !== before) note();
    },
    closed(stream) {
      follow.closed(stream, options.clock());
      note();
    },
  };

  return {
    observer,
    of: (kind, namespace, name) =>
      (objects.get(keyOf({ kind, namespace, name })) ?? []).map(receiptOf).reverse(),
    latest(count) {
      const found: Receipt[] = [];
      for (let i = ring.length - 1; i >= 0; i--) {
        for (const entry of ring[i]!.entries.toReversed()) {
          if (found.length >= count) return found;
          found.push(receiptOf(entry));
        }
      }
      return found;
    },
    get size() {
      return size;
    },
    get bytes() {
      return bytes;
    },
  };
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
