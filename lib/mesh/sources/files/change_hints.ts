/**
 * Change hints: the paths that events named, so that the edit of one file costs a look at one file.
 *
 * @module
 */
import type { FileIndex } from "./file_index.ts";
import type { FileReader } from "./file_reader.ts";

/** Number of paths above which the whole directory is scanned. */
const MAX_PATHS = 256;

/** Paths that events named since the last call of `take`. */
export interface ChangeHints {
  /** Adds a path; `undefined`: anything may have changed. */
  add(path: string | undefined): void;
  /** Returns and removes the paths; `undefined`: the whole directory has to be scanned. */
  take(): ReadonlySet<string> | undefined;
}

/** Creates an empty set of hints. */
export function createChangeHints(): ChangeHints {
  let paths = new Set<string>();
  let all = false;
  return {
    add(path) {
      if (path === undefined || paths.size >= MAX_PATHS) all = true;
      else paths.add(path);
    },
    take() {
      // A hint without a path is the regular scan, which finds changes whose events were lost.
      const taken = all || paths.size === 0 ? undefined : paths;
      paths = new Set();
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
  paths: ReadonlySet<string>,
  reader: FileReader,
  index: FileIndex,
): Promise<number | undefined> {
  const known = new Set(index.files());
  let rejected = 0;
  for (const path of [...paths].sort()) {
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
      const outcome = await reader.read(path, stamp, false);
      if (outcome?.problem !== undefined) rejected += index.refuse(path, outcome.problem);
      if (outcome?.documents !== undefined) rejected += index.put(path, outcome.documents);
    }
  }
  return rejected;
}
