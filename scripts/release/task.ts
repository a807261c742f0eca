/**
 * `deno task release`: makes a release into `dist/release`.
 *
 * Flags: `--only=PART,…`, `--programs=NAME,…`, `--into=FOLDER`, `--bases=FOLDER` (with
 * `TRIPLE/denort` for targets whose base is on disk), `--newer` (images take packages that replaced
 * pinned ones).
 *
 * @module
 */
import { parseArgs } from "node:util";
import { MeshError } from "../../lib/kit/base/mod.ts";
import { programs as allPrograms } from "../compile.ts";
import { join } from "../paths.ts";
import { releaseFacts, ROOT } from "./context.ts";
import { makeRelease, PARTS } from "./release.ts";

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    options: {
      only: { type: "string", default: PARTS.join(",") },
      programs: { type: "string" },
      into: { type: "string", default: join(ROOT, "dist/release") },
      bases: { type: "string", default: "" },
      newer: { type: "boolean", default: false },
    },
  });
  const known = await allPrograms();
  const parts = chosen("part", values.only.split(","), PARTS);
  const programs = chosen("program", values.programs?.split(",") ?? known, known);
  const { facts, created } = await releaseFacts();
  const omitted: string[] = [];
  const context = {
    facts,
    created,
    into: values.into,
    progress: (line: string) => console.error(`release: ${line}`),
    leftOut: (what: string, reason: string) => void omitted.push(`${what}: ${reason}`),
  };
  if (facts.status !== "Clean") context.progress(`the state of the tree is ${facts.status}`);
  const missing = values.newer ? "newer" : "refuse";
  await makeRelease(context, { parts, programs, missing, bases: values.bases });
  for (const { name, isFile } of Deno.readDirSync(values.into)) {
    if (!isFile) continue;
    const { size } = await Deno.stat(join(values.into, name));
    console.log(`${join(values.into, name)}: ${Math.ceil(size / 1024)} KiB`);
  }
  for (const line of omitted) console.log(`left out: ${line}`);
}

/** Chosen names, in the order of the known ones. */
function chosen<T extends string>(
  what: string,
  names: readonly string[],
  known: readonly T[],
): T[] {
  const stray = names.find((name) => !(known as readonly string[]).includes(name));
  if (stray !== undefined) {
    throw new MeshError("release-unknown", `There is no ${what} ${stray}.`, {
      remedy: `There are: ${known.join(", ")}.`,
    });
  }
  return known.filter((name) => names.includes(name));
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    if (!(error instanceof MeshError) && !(error instanceof TypeError)) throw error;
    console.error(`release: ${error.message}`);
    if (error instanceof MeshError && error.remedy !== undefined) {
      console.error(`release: ${error.remedy}`);
    }
    Deno.exit(1);
  }
}
