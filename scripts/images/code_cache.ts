/**
 * Compiled code for images: the folder in which the runtime keeps what it compiled and analyzed
 * (`DENO_DIR`), filled when the image is made. A program then starts without compiling its modules
 * and those of the runtime, which takes half of its time and 50 MiB of its memory otherwise.
 *
 * The folder must be of use although nobody may write it, as in a pod. The runtime opens its databases
 * for writing; SQLite falls back to reading if the files of the write-ahead log are there, even empty
 * ones, and if statistics of the tables are there, which it would write otherwise.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { MeshError } from "../../lib/kit/base/mod.ts";
import { engineFlags } from "../engine_flags.ts";
import { dirname, fromFileUrl, join, walkFiles } from "../paths.ts";
import type { TarEntry } from "./tar.ts";

/** A program whose code is compiled, and places. */
export interface CacheRequest {
  readonly program: string;
  /** Folder with the program's modules. */
  readonly modules: string;
  /** Folder of the modules in the image. */
  readonly at: string;
  /** Folder of the cache in the image. */
  readonly into: string;
  /** Folder for temporary files. */
  readonly work: string;
  /** Words that run the runtime of the image. */
  readonly runtime: readonly string[];
}

/** Databases of the runtime. */
const DATABASE = /^[a-z0-9_]+_cache_v\d+$/;
/** The one with compiled code. */
const CODE = /^v8_code_cache_/;
/** Parts of the runtime that it loads when they are used first: HTTP by its server and its client. */
const LATER = `
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) =>
  new Response(request.headers.get("accept")));
await (await fetch("http://127.0.0.1:" + server.addr.port)).text();
await server.shutdown();
await import("node:cluster");
`;
/** Endings of the files of a write-ahead log: its text and its index. */
const LOG_ENDINGS = ["-wal", "-shm"];

/**
 * The cache of a program as files of its image; the same modules give the same bytes.
 *
 * @throws MeshError `images-cache` if the runtime compiles nothing
 */
export async function codeCache(given: CacheRequest): Promise<TarEntry[]> {
  const { program, into, work } = given;
  const folder = join(work, `cache-${program}`);
  await using place = await placeOf(given.modules);
  const request = { ...given, modules: place.folder };
  await fill(folder, request);
  const entries: TarEntry[] = [];
  for (const { name } of [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1)) {
    if (!DATABASE.test(name)) continue;
    const source = join(work, `${program}-${name}`);
    copyDatabase(join(folder, name), source, request);
    const path = join(into, name).slice(1);
    entries.push({ path, mode: 0o444, source });
    for (const ending of LOG_ENDINGS) {
      entries.push({ path: path + ending, mode: 0o444, data: new Uint8Array() });
    }
  }
  if (!entries.some(({ path }) => CODE.test(path.slice(path.lastIndexOf("/") + 1)))) {
    throw failure(program, "the runtime wrote no compiled code");
  }
  return entries;
}

/**
 * A folder with the modules whose name follows from their content, because compiled code contains the
 * paths of its modules. Processes that compile the same modules use it one after the other.
 */
async function placeOf(modules: string): Promise<AsyncDisposable & { readonly folder: string }> {
  const hash = createHash("sha256");
  const files = (await walkFiles(modules, "")).sort();
  for (const file of files) {
    hash.update(file.slice(modules.length)).update("\0").update(await Deno.readFile(file));
  }
  const folder = join(tmpdir(), `mesh-code-${hash.digest("hex").slice(0, 16)}`);
  const lock = await Deno.open(`${folder}.lock`, { create: true, write: true });
  await lock.lock(true);
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  for (const file of files) {
    const copy = folder + file.slice(modules.length);
    await Deno.mkdir(dirname(copy), { recursive: true });
    await Deno.copyFile(file, copy);
  }
  return {
    folder,
    async [Symbol.asyncDispose]() {
      await Deno.remove(folder, { recursive: true });
      lock.close();
    },
  };
}

/** Loads all modules of the program once, as the program would. */
async function fill(
  folder: string,
  { program, modules, work, runtime }: CacheRequest,
): Promise<void> {
  const names = (await walkFiles(modules, ".js")).sort();
  // The first one loads what all commands use.
  names.sort((a, b) => Number(b.endsWith("/main.js")) - Number(a.endsWith("/main.js")));
  const loader = join(work, `load-${program}.js`);
  const loads = names.map((name) => `await import(${JSON.stringify(pathToFileURL(name).href)});\n`);
  await Deno.writeTextFile(loader, loads.join("") + LATER);
  const config = fromFileUrl(new URL("../../deno.json", import.meta.url));
  const { unstable = [] } = JSON.parse(await Deno.readTextFile(config));
  const flags = ["-q", "--no-config", "--no-prompt", "--cached-only", "--allow-all"];
  const [command, ...words] = runtime;
  const { success, stderr } = await new Deno.Command(command!, {
    args: [
      ...words,
      ...["run", ...flags, ...engineFlags(program)],
      ...unstable.map((feature: string) => `--unstable-${feature}`),
      loader,
    ],
    env: { DENO_DIR: folder },
  }).output();
  if (!success) throw failure(program, new TextDecoder().decode(stderr));
}

/**
 * Copies a database row by row in a fixed order, because the order of writing differs from run to run.
 * Modules get the paths that they have in the image; the loader is left out.
 */
function copyDatabase(
  from: string,
  to: string,
  { program, modules, at, work }: CacheRequest,
): void {
  using source = new DatabaseSync(from);
  using copy = new DatabaseSync(to);
  const loader = pathToFileURL(join(work, `load-${program}.js`)).href;
  const [here, there] = [pathToFileURL(modules).href, pathToFileURL(at).href];
  copy.exec("BEGIN");
  for (const { name, sql } of tablesOf(source)) {
    copy.exec(sql);
    const select = source.prepare(`SELECT * FROM "${name}" ORDER BY 1`);
    select.setReadBigInts(true);
    for (const row of select.all()) {
      const values = Object.values(row).map((value) =>
        typeof value === "string" && value.startsWith(`${here}/`)
          ? there + value.slice(here.length)
          : value
      );
      if (values.includes(loader)) continue;
      const places = values.map(() => "?").join(", ");
      copy.prepare(`INSERT INTO "${name}" VALUES (${places})`).run(...values);
    }
  }
  copy.exec("COMMIT; ANALYZE; PRAGMA journal_mode=WAL");
}

function tablesOf(database: DatabaseSync): { readonly name: string; readonly sql: string }[] {
  const select = "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name";
  return database.prepare(select).all().map(({ name, sql }) => ({
    name: String(name),
    sql: String(sql),
  }));
}

function failure(program: string, said: string): MeshError {
  return new MeshError("images-cache", `${program} cannot be compiled ahead: ${said}`, {
    remedy: `Compare the runtime's version, ${Deno.version.deno}, with that of the Dockerfile.`,
  });
}
