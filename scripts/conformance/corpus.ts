/**
 * Corpora: cases with expected results, and their comparison.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { join } from "../paths.ts";

/** Common fields of cases. */
export interface Case {
  /** Unique in its corpus. */
  readonly name: string;
  readonly inputs: readonly string[];
}

/** Reads a file of a corpus by its path inside. */
export type ReadFile = (path: string) => string;

/** A corpus that Mesh is compared with. */
export interface Corpus<C extends Case = Case> {
  /** Its folder. */
  readonly name: string;
  /** The difference; `undefined` without one. An exception is a difference. */
  judge(one: C, read: ReadFile, folder: string): Promise<string | undefined> | string | undefined;
}

/** The result of a corpus. */
export interface Outcome {
  readonly corpus: string;
  readonly total: number;
  /** Names of all cases; unset: not known. */
  readonly names?: ReadonlySet<string>;
  /** Cases that differ, with the difference. */
  readonly failed: ReadonlyMap<string, string>;
}

/** Compares all cases of a corpus below `folder`; the folder may hold any selection of them. */
export async function runCorpus({ name, judge }: Corpus, folder: string): Promise<Outcome> {
  const read: ReadFile = (path) => Deno.readTextFileSync(join(folder, name, path));
  const cases = casesOf(name, read);
  const failed = new Map<string, string>();
  for (const one of cases) {
    const fault = await judged(() => judge(one, read, join(folder, name)));
    if (fault !== undefined) failed.set(one.name, fault);
  }
  return {
    corpus: name,
    total: cases.length,
    names: new Set(cases.map(({ name }) => name)),
    failed,
  };
}

/** The corpora that a folder holds, by name. */
export function corporaIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].filter(({ isDirectory }) => isDirectory)
      .map(({ name }) => name).sort();
  } catch (cause) {
    throw new MeshError("no-corpus", `the folder ${folder} cannot be read`, {
      remedy: "MESH_CORPORA must name the folder that holds the corpora.",
      cause,
    });
  }
}

function casesOf(name: string, read: ReadFile): readonly Case[] {
  try {
    return JSON.parse(read("cases.json")).cases;
  } catch (error) {
    throw new MeshError("broken-corpus", `the corpus ${name} cannot be read`, {
      remedy: "Its folder must have a file cases.json with a list of cases.",
      cause: error,
    });
  }
}

/** Compares one case. An exception is a difference. */
async function judged(
  judge: () => ReturnType<Corpus["judge"]>,
): Promise<string | undefined> {
  try {
    return await judge();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
