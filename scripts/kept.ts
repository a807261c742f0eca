/**
 * Products of the sources for tests, kept in the cache of `deno task tools` under a hash of the
 * sources.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { buildFacts } from "./build_facts.ts";
import { exists, fromFileUrl, join, walkFiles } from "./paths.ts";
import { cacheDir, ENVOY_VERSION, HOST } from "./tools.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));
const SOURCES = ["charts", "cmd", "lib", "native", "scripts", "deno.json", "deno.lock"];
const HOUR_MS = 3_600_000;

/**
 * A folder of the cache; made if the cache has none of these sources.
 *
 * @param kind names the content, such as `images`
 * @param make fills an empty folder
 * @param keptMs folders of other sources that were not used for this time are removed
 */
export async function kept(
  kind: string,
  make: (folder: string) => Promise<void>,
  keptMs: number = HOUR_MS,
): Promise<string> {
  const all = join(cacheDir(HOST), kind);
  await Deno.mkdir(all, { recursive: true });
  const dir = join(all, await sourcesDigest());
  if (!await exists(dir)) {
    // Another process may be making the same; it takes as long to wait for it, and half of the work.
    using lock = await Deno.open(`${dir}.lock`, { create: true, write: true });
    await lock.lock(true);
    if (!await exists(dir)) await makeKept({ all, dir, make, keptMs });
  }
  await Deno.utime(dir, new Date(), new Date());
  return dir;
}

async function makeKept(
  { all, dir, make, keptMs }: {
    readonly all: string;
    readonly dir: string;
    readonly make: (folder: string) => Promise<void>;
    readonly keptMs: number;
  },
): Promise<void> {
  await removeOld(all, keptMs);
  const work = await Deno.makeTempDir({ dir: all, prefix: ".partial-" });
  try {
    await make(work);
    await Deno.rename(work, dir).catch(async (cause) => {
      if (!await exists(dir)) throw cause; // else another run was faster
    });
  } finally {
    await Deno.remove(work, { recursive: true }).catch(ignoreMissing);
  }
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

async function removeOld(all: string, keptMs: number): Promise<void> {
  for await (const { name } of Deno.readDir(all)) {
    const path = join(all, name);
    const { mtime } = await Deno.stat(path).catch(() => ({ mtime: null }));
    if (mtime === null || Date.now() - mtime.getTime() < keptMs) continue;
    await Deno.remove(path, { recursive: true }).catch(ignoreMissing);
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
