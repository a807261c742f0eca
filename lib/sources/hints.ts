/**
 * What events named, so that an edit of one file costs a look at one file.
 *
 * @module
 */
import type { FileReader } from "./file_reader.ts";
import type { Ledger } from "./ledger.ts";

/** More paths than this, and the whole directory is looked through. */
const MAX_HINTS = 256;

/** Paths that events named since they were taken last. */
export interface Hints {
  /** A path; `undefined` when anything may have changed. */
  add(path: string | undefined): void;
  /** What was added; `undefined` when the whole directory is to be looked through. */
  take(): ReadonlySet<string> | undefined;
}

/** No hints yet. */
export function createHints(): Hints {
  let paths = new Set<string>();
  let all = false;
  return {
    add(path) {
      if (path === undefined || paths.size >= MAX_HINTS) all = true;
      else paths.add(path);
    },
    take() {
      // A round without a reason is the one against lost events.
      const taken = all || paths.size === 0 ? undefined : paths;
      paths = new Set();
      all = false;
      return taken;
    },
  };
}

/**
 * Brings the ledger up to what events named, without a look at anything else. Returns how many
 * documents were set aside anew; `undefined` when only the whole directory can tell.
 */
export async function applyHints(
  hints: ReadonlySet<string>,
  reader: FileReader,
  ledger: Ledger,
): Promise<number | undefined> {
  const known = new Set(ledger.files());
  let rejected = 0;
  for (const path of [...hints].sort()) {
    if (path.split("/").some((part) => part.startsWith("."))) continue;
    const stamp = await reader.look(path);
    if (stamp === "aside") continue;
    if (stamp === "gone" && known.has(path)) {
      ledger.drop(path);
      reader.forget(path);
    } else if (stamp === "gone" && !ledger.files().some((file) => file.startsWith(`${path}/`))) {
      continue;
    } else if (typeof stamp === "string") {
      return undefined;
    } else {
      const outcome = await reader.read(path, stamp, false);
      if (outcome?.problem !== undefined) rejected += ledger.refuse(path, outcome.problem);
      if (outcome?.documents !== undefined) rejected += ledger.put(path, outcome.documents);
    }
  }
  return rejected;
}
