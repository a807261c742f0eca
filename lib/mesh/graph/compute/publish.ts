/**
 * Publication: collections, faulted cells and watched cells are brought up to
 * date, and watchers are notified.
 *
 * @module
 */
import type { Collection } from "../api/collections.ts";
import { trimLogs } from "../collections/mod.ts";
import type { Engine } from "../engine.ts";
import { dropEmpty } from "../tables/mod.ts";
import { settleFeeds } from "./feeds.ts";
import { freshenWatches, notify } from "./watch.ts";

/** Brings collections, faulted cells and watches up to date. Returns the collections that changed since the last time. */
export function publish(engine: Engine): ReadonlySet<Collection> {
  engine.mustBeIdle("A publication");
  settleFeeds(engine);
  engine.activity = "publication";
  try {
    const { collections } = engine;
    for (const collection of collections.stale) {
      // A collection that is being built in pieces stays so: it has no reader yet.
      if (collection.built || !collections.preparing) engine.pull(collection.cell);
    }
    // A fault is listed until it is known to be healed, even if nothing reads the cell.
    for (const cell of [...engine.faulted]) engine.pull(cell);
    const moved = freshenWatches(engine);
    const { changed } = collections;
    collections.changed = new Set();
    conclude(engine);
    for (const watch of moved) notify(engine, watch);
    dropEmpty(engine);
    return changed;
  } finally {
    engine.activity = "idle";
    engine.flush();
  }
}

/** Trims logs, records the publication and attributes its work to the edits. */
function conclude(engine: Engine): void {
  const { changes } = engine;
  const { byName, logBytes, logged } = engine.collections;
  if (logged.bytes > logBytes) {
    const logs = [...byName.values()].map(({ log }) => log);
    trimLogs(logs, logged, { most: logBytes, keep: engine.published });
  }
  engine.postponed.clear();
  engine.parts.clear();
  if (engine.published !== engine.revision) {
    engine.publications.append({ revision: engine.revision });
  }
  engine.published = engine.revision;
  if (changes.open) engine.ledger.attribute(changes.edits.keys(), changes.edits.size);
  else engine.ledger.attribute([], 0);
  changes.open = false;
}
