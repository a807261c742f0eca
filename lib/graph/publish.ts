/**
 * Publication: everything that is kept is brought up to date, and those who
 * watch are told.
 *
 * @module
 */
import type { Collection } from "./api.ts";
import { addReader, Cell, STALE, unlink, VALUE } from "./cell.ts";
import type { Engine } from "./engine.ts";
import { healAside, raiseAside } from "./fault.ts";
import type { DerivedTable, WatchHome } from "./home.ts";
import { sweep } from "./input.ts";
import { trimLogs } from "./log.ts";
import { derivedCell, valueOf } from "./read.ts";

/** Brings collections, faulted cells and watches up to date. Returns the collections that changed since the last time. */
export function publish(engine: Engine): ReadonlySet<Collection> {
  engine.mustBeIdle("A publication");
  engine.activity = "publication";
  try {
    for (const collection of engine.staleCollections) {
      // What is being built little by little goes on being so: nobody has seen it yet.
      if (collection.built || !engine.preparing) engine.pull(collection.cell);
    }
    // A fault is listed until it is known to be healed, whether or not it is still read.
    for (const cell of [...engine.faulted]) engine.pull(cell);
    const moved = freshen(engine);
    const changed = engine.changed;
    engine.changed = new Set();
    conclude(engine);
    for (const watch of moved) announceChange(engine, watch);
    sweep(engine);
    return changed;
  } finally {
    engine.activity = "idle";
    engine.flush();
  }
}

/** Takes down the publication, and on whom its work is booked. */
function conclude(engine: Engine): void {
  const { round } = engine;
  if (engine.logged.bytes > engine.logBytes) {
    const logs = [...engine.collections.values()].map(({ log }) => log);
    trimLogs(logs, engine.logged, engine.logBytes, engine.published);
  }
  engine.postponed.clear();
  if (engine.published !== engine.revision) {
    engine.publications.append({ revision: engine.revision });
  }
  engine.published = engine.revision;
  if (round.open) engine.ledger.book(round.edits.keys(), round.edits.size);
  else engine.ledger.book([], 0);
  round.open = false;
}

/** Brings the watched cells up to date. Returns the watches whose value is another than they last told. */
function freshen(engine: Engine): Cell[] {
  const moved: Cell[] = [];
  for (const watch of engine.staleWatches) {
    engine.staleWatches.delete(watch);
    const source = watch.deps[0];
    if (source === undefined) continue;
    engine.pull(source);
    watch.flags &= ~STALE;
    if (takeValue(watch, source)) moved.push(watch);
  }
  return moved;
}

function takeValue(watch: Cell, source: Cell): boolean {
  if ((source.flags & VALUE) === 0) return false;
  const same = (watch.flags & VALUE) !== 0 && watch.value === source.value;
  watch.value = source.value;
  watch.flags |= VALUE;
  return !same;
}

function announceChange(engine: Engine, watch: Cell): void {
  const home = watch.home as WatchHome;
  // Closed by another watcher in the meantime.
  if (watch.deps.length === 0) return;
  try {
    home.onChange(watch.value);
    healAside(engine, home.name, watch.key);
  } catch (error) {
    const aside = { error, since: engine.revision, lastGood: true, inputs: [] };
    raiseAside(engine, { table: home.name, key: watch.key, ...aside });
  }
}

/** Keeps a derived cell fresh at every publication. */
export function watchCell(
  engine: Engine,
  table: DerivedTable,
  key: unknown,
  onChange: (value: unknown) => void,
): { readonly value: unknown; close(): void } {
  const text = table.keyCodec.encode(key);
  const source = derivedCell(engine, table, text);
  const home: WatchHome = { kind: "watch", name: `${table.name} (watch)`, onChange };
  const watch = new Cell(home, text, 0);
  watch.deps = [source];
  addReader(engine, source, watch);
  engine.pull(source);
  takeValue(watch, source);
  engine.flush();
  return {
    get value(): unknown {
      return (watch.flags & VALUE) !== 0 ? watch.value : valueOf(source);
    },
    close(): void {
      unlink(engine, watch);
      engine.staleWatches.delete(watch);
      healAside(engine, home.name, text);
      engine.flush();
    },
  };
}
