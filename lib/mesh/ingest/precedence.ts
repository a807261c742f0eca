/**
 * Precedence between sources: when several have an object of the same name, the version of the
 * source that was added first is used. The other versions are stored, and used when it goes.
 *
 * @module
 */
import { rowRef } from "../graph/mod.ts";
import type { ConfigObject } from "../model/mod.ts";
import type { ObjectChange } from "./changes.ts";

/** Decides between sources. */
export interface Precedence {
  /** Adds a source; earlier ones precede it. */
  add(source: string): void;
  /**
   * The change of a row that the change of one source amounts to; `undefined` when the row keeps the
   * version of another source.
   *
   * @param row the version in use, or on its way into the table
   */
  apply(
    source: string,
    change: ObjectChange,
    row: ConfigObject | undefined,
  ): ObjectChange | undefined;
  /** Versions that are not used because another source has the object. */
  readonly hidden: number;
}

/** Starts without sources. */
export function createPrecedence(): Precedence {
  const ranks = new Map<string, number>();
  /** Row → source → version that is not used. It has only rows of several sources. */
  const hidden = new Map<string, Map<string, ConfigObject>>();
  const rankOf = (source: string): number => ranks.get(source) ?? ranks.size;

  const hide = (id: string, source: string, object: ConfigObject): void => {
    const versions = hidden.get(id) ?? new Map<string, ConfigObject>();
    hidden.set(id, versions.set(source, object));
  };
  const reveal = (id: string, source: string): void => {
    const versions = hidden.get(id);
    if (versions?.delete(source) && versions.size === 0) hidden.delete(id);
  };
  /** The hidden version of the source that precedes the others; it is not hidden any more. */
  const takeNext = (id: string): ConfigObject | undefined => {
    const versions = hidden.get(id);
    if (versions === undefined) return undefined;
    const [first] = [...versions.keys()].sort((a, b) => rankOf(a) - rankOf(b));
    const next = versions.get(first!);
    reveal(id, first!);
    return next;
  };

  return {
    add: (source) => void ranks.set(source, ranks.size),
    apply: (source, change, row) => {
      const id = rowRef({ table: change.kind, key: change.key });
      const owner = row?.meta.origin.source;
      if (row === undefined || owner === undefined || owner === source) {
        if (change.object !== undefined) return change;
        return { ...change, object: after(takeNext(id), row) };
      }
      if (change.object === undefined) {
        reveal(id, source);
        return undefined;
      }
      if (rankOf(owner) < rankOf(source)) {
        hide(id, source, change.object);
        return undefined;
      }
      hide(id, owner, row);
      reveal(id, source);
      return { ...change, object: after(change.object, row) };
    },
    get hidden() {
      let count = 0;
      for (const versions of hidden.values()) count += versions.size;
      return count;
    },
  };
}

/** An object that replaces the one of another source: its generation continues the other's. */
function after(
  object: ConfigObject | undefined,
  before: ConfigObject | undefined,
): ConfigObject | undefined {
  if (object === undefined || before === undefined) return object;
  const generation = Math.max(object.meta.generation, before.meta.generation + 1);
  return { ...object, meta: { ...object.meta, generation } };
}
