/**
 * Making a release: its parts, in the order in which one needs another.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import type { Missing } from "../images/debian.ts";
import { makeImages } from "../images/task.ts";
import { IMAGE_NAMES } from "../images/contents.ts";
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

/** Architectures of images by `Deno.build.arch`; an image holds the runtime of this machine. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };

async function releaseImages(
  { into, facts, progress, leftOut }: ReleaseContext,
  programs: readonly string[],
  missing: Missing,
): Promise<void> {
  const work = await Deno.makeTempDir({ prefix: "mesh-release-images-" });
  const own = ARCHITECTURES[Deno.build.arch];
  try {
    const tag = facts.version;
    for (
      const { program, archive } of await makeImages({
        ...{ programs, tag, into: work, isCompressed: true, missing, progress },
      })
    ) {
      const name = `mesh-${IMAGE_NAMES[program]}-${tag}-linux-${own}${IMAGE_ENDING}`;
      await Deno.copyFile(archive, join(into, name));
    }
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  for (const arch of Object.values(ARCHITECTURES).filter((one) => one !== own)) {
    leftOut(
      `images for linux-${arch}`,
      `an image holds the runtime of the machine that makes it; make them on linux-${arch}`,
    );
  }
}
