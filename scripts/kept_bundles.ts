/**
 * The bundled programs for a run of tests, kept in the cache of `deno task tools` as long as the
 * sources stay. A bundle starts in half of the time of the sources.
 *
 * @module
 */
import { bundle, programs } from "./compile.ts";
import { kept } from "./kept.ts";
import { fromFileUrl, join } from "./paths.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** Longer than a run of all tests, which uses the same folder to its end. */
const KEPT_MS = 6 * 3_600_000;

/** A folder with `PROGRAM/main.js` for each program. */
export function keptBundles(): Promise<string> {
  return kept("bundles", async (into) => {
    const names = await programs();
    await Promise.all(names.map((name) => bundle(ROOT, name, join(into, name))));
  }, KEPT_MS);
}
