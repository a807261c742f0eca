/**
 * Making a release: its parts, in the order in which one needs another.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import type { Missing } from "../images/debian.ts";
import { makeImages } from "../images/task.ts";
import { IMAGE_NAMES } from "../images/contents.ts";
import { PLATFORMS } from "../images/platforms.ts";
import { join } from "../paths.ts";
import { makeBinaries, TARGETS } from "./binaries.ts";
import { makeCharts } from "./charts.ts";
import { makeCompletions } from "./completions.ts";
import type { ReleaseContext } from "./context.ts";
import { checksums, SUMS, sumsText } from "./files.ts";
import { IMAGE_ENDING, makeOffline } from "./offline.ts";
import { makePortable } from "./portable.ts";
import { makeProvenance } from "./provenance.ts";
import { makeSbom } from "./sbom.ts";

/** Parts of a release. Checksums are always made. */
export const PARTS = [
  "portable",
  "binaries",
  "images",
  "charts",
  "completions",
  "sbom",
  "provenance",
  "offline",
] as const;

/** A part of a release. */
export type Part = typeof PARTS[number];

/** A release to make. */
export interface ReleaseRequest {
  readonly parts: readonly Part[];
  readonly programs: readonly string[];
  readonly missing: Missing;
  /** Folder with bases of binaries; empty: they are fetched. */
  readonly bases: string;
}

/** Makes parts of a release into the folder of the context, which must be empty or of the same version. */
export async function makeRelease(
  context: ReleaseContext,
  { parts, programs, missing, bases }: ReleaseRequest,
): Promise<void> {
  const { into, facts } = context;
  await refuseOther(into, facts.version);
  await Deno.mkdir(into, { recursive: true });
  const has = (part: Part): boolean => parts.includes(part);
  if (has("portable")) await makePortable(context, programs);
  if (has("binaries")) await makeBinaries(context, programs, bases, TARGETS);
  if (has("images")) await releaseImages(context, programs, missing);
  if (has("charts")) await makeCharts(context);
  if (has("completions")) await makeCompletions(context);
  if (has("sbom")) await makeSbom(context, programs);
  const offline = `mesh-${facts.version}-offline.tar`;
  const subjects = async (): Promise<Map<string, string>> => {
    const sums = await checksums(into);
    sums.delete(offline);
    return sums;
  };
  if (has("provenance")) {
    const about = await subjects();
    about.delete(`mesh-${facts.version}.intoto.json`);
    await makeProvenance(context, about, parts);
  }
  if (has("offline")) await makeOffline(context, await subjects());
  await Deno.writeTextFile(join(into, SUMS), sumsText(await checksums(into)));
}

/** A folder with files of another version would get checksums of both. */
async function refuseOther(into: string, version: string): Promise<void> {
  let names: string[];
  try {
    names = (await Array.fromAsync(Deno.readDir(into))).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  const other = names.find((name) => name !== SUMS && !name.includes(`-${version}`));
  if (other === undefined) return;
  throw new MeshError(
    "release-folder",
    `${into} has ${other}, which is not of version ${version}.`,
    {
      remedy: "Empty the folder, or name another one with --into.",
    },
  );
}

/** One archive for each program, with an index of all platforms. */
async function releaseImages(
  { into, facts, progress }: ReleaseContext,
  programs: readonly string[],
  missing: Missing,
): Promise<void> {
  const work = await Deno.makeTempDir({ prefix: "mesh-release-images-" });
  try {
    const tag = facts.version;
    const request = { programs, platforms: PLATFORMS, tag, into: work, missing, progress };
    for (const { program, archive } of await makeImages({ ...request, isCompressed: true })) {
      const name = `mesh-${IMAGE_NAMES[program]}-${tag}${IMAGE_ENDING}`;
      await Deno.copyFile(archive, join(into, name));
    }
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}
