/**
 * Taps: derived cells that somebody reads from time to time, and a function that is called when such a
 * cell may have changed. Publications do not compute them.
 *
 * @module
 */
import { addReader, Cell, type Core, Home, STALE, unlink } from "../cells/mod.ts";
import { type DerivedTable, valueOf } from "../tables/mod.ts";

/** The cell behind one `Graph.tap`. */
class TapHome extends Home {
  readonly kind = "watch";
  readonly name: string;

  constructor(table: DerivedTable, readonly stale: () => void) {
    super();
    this.name = `${table.name} (tap)`;
  }

  override marked(): void {
    this.stale();
  }
}

/** Taps a derived cell; see `Graph.tap`. */
export function tapCell(
  engine: Core,
  table: DerivedTable,
  key: unknown,
  stale: () => void,
): { read(): unknown; close(): void } {
  engine.untracked("table", table.name);
  const text = table.keyCodec.encode(key);
  const source = table.cell(text);
  const tap = new Cell(new TapHome(table, stale), text, 0);
  tap.deps = [source];
  addReader(source, tap);
  return {
    read(): unknown {
      engine.untracked("table", table.name);
      engine.pull(source);
      tap.flags &= ~STALE;
      engine.flush();
      return valueOf(source);
    },
    close: () => unlink(tap),
  };
}
