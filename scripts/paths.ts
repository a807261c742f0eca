/**
 * Path helpers of the scripts, and the location of npm packages in Deno's cache.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export { dirname, join };

/** The path of a `file:` URL. */
export function fromFileUrl(url: URL): string {
  return fileURLToPath(url);
}

/** The `file:` URL of an absolute path. */
export function toFileUrl(path: string): URL {
  return pathToFileURL(path);
}

/** True if a folder of the `PATH`, or one of the system's, has a file of this name. */
export function isOnPath(name: string): boolean {
  const folders = `${Deno.env.get("PATH") ?? ""}:/usr/sbin:/sbin`.split(":");
  return folders.some((folder) => {
    try {
      return Deno.statSync(join(folder, name)).isFile;
    } catch {
      return false;
    }
  });
}

/** True if there is a file or folder. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * All files below `dir` whose names end with `suffix`, in any order; none when `dir` does not
 * exist.
 */
export async function walkFiles(dir: string, suffix: string): Promise<string[]> {
  const found: string[] = [];
  const visit = async (at: string): Promise<void> => {
    let entries: AsyncIterable<Deno.DirEntry>;
    try {
      await Deno.stat(at);
      entries = Deno.readDir(at);
    } catch (e) {
      if (e instanceof Deno.errors.NotFound) return;
      throw e;
    }
    for await (const entry of entries) {
      const path = join(at, entry.name);
      if (entry.isDirectory) await visit(path);
      else if (entry.name.endsWith(suffix)) found.push(path);
    }
  };
  await visit(dir);
  return found;
}

/** All files below `dir` with code, and those with text that code imports; in any order. */
export async function sourceFiles(dir: string): Promise<string[]> {
  const texts = (await walkFiles(dir, ".yaml")).filter((f) => !/\/(?:testdata|cases)\//.test(f));
  return [...await walkFiles(dir, ".ts"), ...texts];
}

/**
 * The folder of an npm package in Deno's cache. A missing package is fetched.
 *
 * @param specifier for example `npm:@grpc/grpc-js-xds@1.14.1`: name and exact version
 */
export async function npmPackageDir(specifier: string): Promise<string> {
  const m = /^npm:((?:@[^/]+\/)?[^@/]+)@([^/]+)$/.exec(specifier);
  if (m === null) throw new Error(`not an exact npm specifier: ${specifier}`);
  const cache = await denoOutput(["cache", "-q", "--no-config", "--no-lock", specifier]);
  if (!cache.success) throw new Error(`cannot fetch ${specifier}:\n${cache.stderr}`);
  const info = JSON.parse((await denoOutput(["info", "--json"])).stdout);
  for await (const registry of Deno.readDir(info.npmCache)) {
    const dir = join(info.npmCache, registry.name, m[1]!, m[2]!);
    try {
      await Deno.stat(dir);
      return dir;
    } catch (e) {
      if (!(e instanceof Deno.errors.NotFound)) throw e;
    }
  }
  throw new Error(`${specifier} is not below ${info.npmCache}`);
}

async function denoOutput(
  args: string[],
): Promise<{ success: boolean; stdout: string; stderr: string }> {
  const out = await new Deno.Command(Deno.execPath(), { args, stdout: "piped", stderr: "piped" })
    .output();
  const text = new TextDecoder();
  return { success: out.success, stdout: text.decode(out.stdout), stderr: text.decode(out.stderr) };
}
