/**
 * Finds fuzz targets and runs them over their seeds and mutations of these.
 *
 * A target is a module `lib/ROOM/.../NAME_fuzz.ts` that exports `fuzz(input)`, which throws when the
 * code under test does something wrong. Its seeds are lines of hexadecimal digits in
 * `testdata/fuzz/NAME.txt` beside it; a `#` begins a comment.
 *
 * @module
 */
import { mutate, randomFrom } from "./mutate.ts";

export interface FuzzTarget {
  /** Path of its module from the root of the tree. */
  readonly path: string;
  readonly seedsPath: string;
  readonly seeds: readonly Uint8Array[];
  run(input: Uint8Array): void | Promise<void>;
}

/** An input on which a target failed. */
export interface FuzzFailure {
  readonly input: Uint8Array;
  readonly error: unknown;
}

const ROOT = new URL("../../", import.meta.url);
const SUFFIX = "_fuzz.ts";

/** All targets, in the order of their paths. */
export async function findTargets(): Promise<FuzzTarget[]> {
  const paths: string[] = [];
  for await (const path of walk("lib")) if (path.endsWith(SUFFIX)) paths.push(path);
  return await Promise.all(paths.sort().map(load));
}

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    const path = `${folder}/${name}`;
    if (!isDirectory) yield path;
    else if (name !== "gen" && name !== "testdata") yield* walk(path);
  }
}

async function load(path: string): Promise<FuzzTarget> {
  const { fuzz } = await import(new URL(path, ROOT).href);
  const [, folder, name] = /^(.*)\/([^/]+)_fuzz\.ts$/.exec(path)!;
  const seedsPath = `${folder}/testdata/fuzz/${name}.txt`;
  const lines = (await Deno.readTextFile(new URL(seedsPath, ROOT))).split("\n");
  const seeds = lines.map((line) => line.replace(/#.*/, "").trim()).filter((line) => line !== "");
  return { path, seedsPath, seeds: seeds.map((line) => Uint8Array.fromHex(line)), run: fuzz };
}

/** Runs a target over its seeds and a number of mutations of them; returns the first failure. */
export async function fuzz(
  target: FuzzTarget,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): Promise<FuzzFailure | undefined> {
  const random = randomFrom(seed);
  const pick = () => target.seeds[random(target.seeds.length)]!;
  for (let i = 0; i < target.seeds.length + runs; i++) {
    const input = target.seeds[i] ?? mutate(pick(), pick(), random);
    try {
      await target.run(input);
    } catch (error) {
      return { input, error };
    }
  }
  return undefined;
}
