/**
 * Watches: derived cells that every publication brings up to date, and a function
 * that is called when the value changed.
 *
 * @module
 */
import {
  addReader,
  Cell,
  type Core,
  healSide,
  Home,
  raiseSide,
  STALE,
  unlink,
  VALUE,
} from "../cells/mod.ts";
import { type DerivedTable, valueOf } from "../tables/mod.ts";

/** The cell behind one `Graph.watch`. */
class WatchHome extends Home {
  readonly kind = "watch";
  readonly name: string;

  constructor(
    readonly engine: Core,
    table: DerivedTable,
    readonly onChange: (value: unknown) => void,
  ) {
    super();
    this.name = `${table.name} (watch)`;
  }

  override marked(cell: Cell): void {
    this.engine.staleWatches.add(cell);
  }
}

/** Brings the watched cells up to date. Returns the watches whose value differs from the last notification. */
export function freshenWatches(engine: Core): Cell[] {
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

/** Calls the function of a watch. Its errors are reported as faults. */
export function notify(engine: Core, watch: Cell): void {
  const home = watch.home as WatchHome;
  // Closed by another watcher in the meantime.
  if (watch.deps.length === 0) return;
  try {
    home.onChange(watch.value);
    healSide(engine, home.name, watch.key);
  } catch (error) {
    const failure = { error, since: engine.revision, lastGood: true, inputs: [] };
    raiseSide(engine, { table: home.name, key: watch.key, ...failure });
  }
}

/** Watches a derived cell; see `Graph.watch`. */
export function watchCell(
  engine: Core,
  table: DerivedTable,
  key: unknown,
  onChange: (value: unknown) => void,
): { readonly value: unknown; close(): void } {
  engine.untracked("table", table.name);
  const text = table.keyCodec.encode(key);
  const source = table.cell(text);
  const home = new WatchHome(engine, table, onChange);
  const watch = new Cell(home, text, 0);
  watch.deps = [source];
  addReader(source, watch);
  engine.pull(source);
  takeValue(watch, source);
  engine.flush();
  return {
    get value(): unknown {
      return (watch.flags & VALUE) !== 0 ? watch.value : valueOf(source);
    },
    close(): void {
      unlink(watch);
      engine.staleWatches.delete(watch);
      healSide(engine, home.name, text);
      engine.flush();
    },
  };
}
