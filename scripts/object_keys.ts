/**
 * `deno task objects`: fails when the code names a label or an annotation that is neither in the table of
 * objects nor exempt. It runs before the linter, so that a new text of this form is noticed where it is
 * written.
 *
 * @module
 */
import { INEFFECTIVE_KEYS } from "../lib/insight/analyze/mod.ts";
import { NO_KEYS, OTHER_OBJECTS } from "./objects/exempt.ts";
import { type CodeFile, codeFiles, keysIn } from "./objects/keys.ts";
import { OBJECTS } from "./objects/rows.ts";

/** Labels and annotations that the analysis says to have no effect. */
export const WITHOUT_EFFECT: ReadonlySet<string> = new Set(
  Object.values(INEFFECTIVE_KEYS).flatMap((keys) => Object.keys(keys)),
);

const LISTED: ReadonlySet<string> = new Set([
  ...OBJECTS.flatMap(({ labels, annotations }) => [...labels, ...annotations])
    .map(({ name }) => name),
  ...WITHOUT_EFFECT,
  ...Object.keys(NO_KEYS),
  ...Object.keys(OTHER_OBJECTS),
]);

/** Files whose texts are no keys: the wing `kit` knows no mesh, and descriptions of variables speak of keys. */
const SPARED = /^lib\/kit\/|\/variables\.ts$/;

/** Versions of API groups have the form of a key. */
const VERSION = /\/v\d+\w*$/;

/** The keys that are not listed, as sentences with their places. */
export function unlistedKeys(files: readonly CodeFile[]): string[] {
  return files.filter(({ path }) => !SPARED.test(path)).flatMap(({ path, text }) =>
    [...keysIn(text)].filter((key) => !LISTED.has(key) && !VERSION.test(key)).map((key) => {
      const line = text.slice(0, text.indexOf(key)).split("\n").length;
      return `${path}:${line}: ${key} has no row in scripts/objects/rows.ts; add one with its test, or ` +
        "say in scripts/objects/exempt.ts why it needs none";
    })
  );
}

if (import.meta.main) {
  const faults = unlistedKeys(await codeFiles());
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) Deno.exit(1);
}
