/**
 * Writing a status beside other writers.
 *
 * @module
 */
import { isConflict, isNotFound, type ListItem } from "../../../kit/orch/mod.ts";

/** The parts of a status that are written. */
interface Patch {
  readonly conditions?: readonly unknown[];
}

/** Access to the object whose status is written. */
export interface StatusAccess<Item extends ListItem, Change extends Patch> {
  /** The object as the server has it; `undefined`: it is gone. */
  readonly read: () => Promise<Item | undefined>;
  /** The parts of its status that have to change; `undefined`: none. */
  readonly patchOf: (item: Item) => Change | undefined;
  readonly write: (change: {
    readonly metadata?: { readonly resourceVersion: string | undefined };
    readonly status: Change;
  }) => Promise<unknown>;
}

/**
 * Writes a patch. A patch replaces the whole list of conditions, and others write conditions of theirs:
 * with conditions it is made again of the object as it is now, and is only valid for that version of it.
 * After a conflict nothing is written: the change of the other writer begins a further pass.
 */
export async function writeStatus<Item extends ListItem, Change extends Patch>(
  patch: Change,
  { read, patchOf, write }: StatusAccess<Item, Change>,
): Promise<void> {
  try {
    if (patch.conditions === undefined) {
      await write({ status: patch });
      return;
    }
    const item = await read();
    if (item === undefined) return;
    const { resourceVersion } = item.metadata;
    const status = patchOf(item);
    if (status !== undefined) await write({ metadata: { resourceVersion }, status });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
