/**
 * Change hints: the paths that events named, so that the edit of one file costs a look at one file.
 *
 * @module
 */
import type { FileIndex } from "./file_index.ts";
import type { FileReader } from "./file_reader.ts";

/** Number of paths above which the whole directory is scanned. */
const MAX_PATHS = 256;

/** Paths, and if the file there is complete: `false` if a program may be writing to it. */
export type ChangedPaths = ReadonlyMap<string, boolean>;

/** Paths that events named since the last call of `take`. */
export interface ChangeHints {
  /** Adds a path; `undefined`: anything may have changed. The last event says if it is complete. */
  add(path: string | undefined, complete?: boolean): void;
  /** True if all that changed is complete. */
  complete(): boolean;
  /** Returns and removes the paths; `undefined`: the whole directory has to be scanned. */
  take(): ChangedPaths | undefined;
}

/** Creates an empty set of hints. */
export function createChangeHints(): ChangeHints {
  let paths = new Map<string, boolean>();
  let all = false;
  return {
    add(path, complete = false) {
      if (path === undefined || paths.size >= MAX_PATHS) all = true;
      else paths.set(path, complete);
    },
    complete: () => !all && [...paths.values()].every((complete) => complete),
    take() {
      // A hint without a path is the regular scan, which finds changes whose events were lost.
      const taken = all || paths.size === 0 ? undefined : paths;
      paths = new Map();
      all = false;
      return taken;
    },
  };
}

/**
 * Updates the index with the files that events named, without reading others. Returns the number of
 * newly rejected documents; `undefined` if the whole directory must be scanned.
 */
export async function applyHints(
  paths: ChangedPaths,
  reader: FileReader,
  index: FileIndex,
): Promise<number | undefined> {
  const known = new Set(index.files());
  let rejected = 0;
  for (const path of [...paths.keys()].sort()) {
    if (path.split("/").some((part) => part.startsWith("."))) continue;
    const stamp = await reader.look(path);
    if (stamp === "ignored") continue;
    if (stamp === "gone" && known.has(path)) {
      index.drop(path);
      reader.forget(path);
    } else if (stamp === "gone" && !index.files().some((file) => file.startsWith(`${path}/`))) {
      continue;
    } else if (typeof stamp === "string") {
      return undefined;
    } else {
      const outcome = await reader.read(path, stamp, paths.get(path) ? "complete" : "unknown");
      if (outcome?.problem !== undefined) rejected += index.refuse(path, outcome.problem);
      if (outcome?.documents !== undefined) rejected += index.put(path, outcome.documents);
    }
  }
  return rejected;
}
