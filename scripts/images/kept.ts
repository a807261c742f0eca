/**
 * Images for tests, kept in the cache of `deno task tools` under a hash of what they are made from.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { buildFacts } from "../build_facts.ts";
import { fromFileUrl, join, walkFiles } from "../paths.ts";
import { cacheDir, ENVOY_VERSION, HOST } from "../tools.ts";
import { makeImages } from "./task.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const SOURCES = ["charts", "cmd", "lib", "native", "scripts", "deno.json", "deno.lock"];
/** Tag of the images. */
export const TEST_TAG = "test";
/** Images that were not used for this time (ms) are removed: an hour. */
const KEPT_MS = 3_600_000;

/**
 * Archives by program, made if the cache has none of these sources.
 *
 * @param progress is told each step of that
 */
export async function keptImages(
  progress: (line: string) => void = () => {},
): Promise<Readonly<Record<string, string>>> {
  const all = join(cacheDir(HOST), "images");
  await Deno.mkdir(all, { recursive: true });
  const dir = join(all, await sourcesDigest());
  if (!await isThere(dir)) {
    await removeOld(all);
    const work = await Deno.makeTempDir({ dir: all, prefix: ".partial-" });
    try {
      const options = { isCompressed: false, missing: "newer", tag: TEST_TAG, progress } as const;
      for (const { layout } of await makeImages({ ...options, into: work })) {
        await Deno.remove(layout, { recursive: true });
      }
      await Deno.rename(work, dir).catch(async (cause) => {
        if (!await isThere(dir)) throw cause; // else another run was faster
      });
    } finally {
      await Deno.remove(work, { recursive: true }).catch(ignoreMissing);
    }
  }
  await Deno.utime(dir, new Date(), new Date());
  const archives = [...Deno.readDirSync(dir)].map(({ name }) => name);
  return Object.fromEntries(archives.map((name) => [name.replace(/\.tar$/, ""), join(dir, name)]));
}

/** A hash of the sources, of the facts that are built in, and of the programs that are added. */
async function sourcesDigest(): Promise<string> {
  const hash = createHash("sha256");
  const files: string[] = [];
  for (const source of SOURCES) {
    const path = join(ROOT, source);
    files.push(...(await Deno.stat(path)).isFile ? [path] : await walkFiles(path, ""));
  }
  for (const file of files.filter((name) => !name.endsWith("_test.ts")).sort()) {
    hash.update(`${file.slice(ROOT.length)}\0`).update(await Deno.readFile(file));
  }
  hash.update(JSON.stringify(await buildFacts(ROOT)));
  hash.update(`${Deno.version.deno} ${ENVOY_VERSION} ${HOST.env("MESH_ENVOY") ?? ""}`);
  return hash.digest("hex").slice(0, 16);
}

async function removeOld(all: string): Promise<void> {
  for await (const { name } of Deno.readDir(all)) {
    const path = join(all, name);
    const { mtime } = await Deno.stat(path).catch(() => ({ mtime: null }));
    if (mtime === null || Date.now() - mtime.getTime() < KEPT_MS) continue;
    await Deno.remove(path, { recursive: true }).catch(ignoreMissing);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
