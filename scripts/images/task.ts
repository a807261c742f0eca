/**
 * `deno task images [PROGRAM…]`: makes the images of the programs, without an engine, into
 * `dist/images`: for each an OCI layout and an archive for `ctr images import`.
 *
 * Flags: `--hub=docker.io/mesh`, `--tag=VERSION`, `--into=FOLDER`, `--plain` (layers are not
 * compressed; for nodes of tests), `--files=FOLDER` (only the files, for the Dockerfile; of one platform),
 * `--platform=linux/amd64,linux/arm64` (default: these; of `--files`: the machine's), `--newer` (takes
 * packages that replaced pinned ones), `--update` (pins the packages of the mirror).
 *
 * @module
 */
import { parseArgs } from "node:util";
import { MeshError } from "../../lib/kit/base/mod.ts";
import { buildFacts } from "../build_facts.ts";
import { programs as allPrograms } from "../compile.ts";
import { fromFileUrl, join } from "../paths.ts";
import { IMAGE_NAMES, programImages, writeFiles } from "./contents.ts";
import type { Missing } from "./debian.ts";
import { type Image, withFolders, writeArchive, writeLayoutOf } from "./image.ts";
import { parsePlatforms, type Platform, platformOf, PLATFORMS } from "./platforms.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/** Registry and folder of images, as injection calls them by default. */
const HUB = "docker.io/mesh";

/** Options of {@linkcode makeImages}. */
export interface ImagesRequest {
  /** Default: all. */
  readonly programs?: readonly string[];
  /** Default: that of this machine. */
  readonly platforms?: readonly Platform[];
  readonly hub?: string;
  /** Default: the version. */
  readonly tag?: string;
  /** Folder for the results. */
  readonly into: string;
  /** True: layers are compressed. */
  readonly isCompressed: boolean;
  /** True: only the files, in a folder for each program. */
  readonly isFilesOnly?: boolean;
  readonly missing: Missing;
  /** Is told each step. */
  progress?(line: string): void;
}

/** A finished image with its places. */
export interface MadeImage extends Image {
  readonly program: string;
  /** Folder with the layout. */
  readonly layout: string;
  /** The same as one file. */
  readonly archive: string;
}

/**
 * Makes images.
 *
 * @throws MeshError `images-…`, `compile-…`, `tools-…` with a remedy
 */
export async function makeImages(request: ImagesRequest): Promise<MadeImage[]> {
  const facts = await buildFacts(ROOT);
  const { programs = await allPrograms(), platforms = [platformOf()], missing, into } = request;
  const { hub = HUB, tag = facts.version, isCompressed, progress = () => {} } = request;
  const work = await Deno.makeTempDir({ prefix: "mesh-images-" });
  const made: MadeImage[] = [];
  try {
    await Deno.mkdir(into, { recursive: true });
    const images = await programImages({
      ...{ programs, platforms, facts, work, missing, progress },
    });
    for (const [i, { program, variants, config }] of images.entries()) {
      progress(`writing ${hub}/${IMAGE_NAMES[program]}, ${i + 1} of ${images.length}`);
      const layout = join(into, program);
      await Deno.remove(layout, { recursive: true }).catch(ignoreMissing);
      if (request.isFilesOnly === true) {
        for (const { layers } of variants) {
          for (const layer of layers) await writeFiles(withFolders(layer), layout);
        }
        continue;
      }
      const name = `${hub}/${IMAGE_NAMES[program]}:${tag}`;
      const archive = `${layout}.tar`;
      const written = await writeLayoutOf(
        variants.map((variant) => ({ ...variant, name, config, isCompressed })),
        layout,
      );
      await writeArchive(layout, archive);
      made.push({ ...written, program, layout, archive });
    }
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return made;
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    allowPositionals: true,
    options: {
      hub: { type: "string" },
      tag: { type: "string" },
      into: { type: "string", default: join(ROOT, "dist/images") },
      files: { type: "string" },
      platform: { type: "string" },
      plain: { type: "boolean", default: false },
      newer: { type: "boolean", default: false },
      update: { type: "boolean", default: false },
    },
  });
  const known = await allPrograms();
  const stray = positionals.find((name) => !known.includes(name));
  if (stray !== undefined) {
    throw new MeshError("images-unknown", `There is no program ${stray}.`, {
      remedy: `Programs: ${known.join(", ")}.`,
    });
  }
  const isFilesOnly = values.files !== undefined;
  const made = await makeImages({
    ...positionals.length > 0 && { programs: positionals },
    ...values.hub !== undefined && { hub: values.hub },
    ...values.tag !== undefined && { tag: values.tag },
    into: values.files ?? values.into,
    isFilesOnly,
    platforms: platformsOf(values.platform, isFilesOnly),
    isCompressed: !values.plain,
    missing: values.update ? "pin" : values.newer ? "newer" : "refuse",
    progress: (line) => console.error(`images: ${line}`),
  });
  for (const { name, archive, digest, transferred, unpacked } of made) {
    const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
    console.log(`${archive}: ${name}`);
    console.log(`  ${digest}, ${megabytes(transferred)} (${megabytes(unpacked)} unpacked)`);
  }
}

/** The wanted platforms; files of two do not fit into one folder. */
function platformsOf(wanted: string | undefined, isFilesOnly: boolean): readonly Platform[] {
  if (wanted === undefined) return isFilesOnly ? [platformOf()] : PLATFORMS;
  const platforms = parsePlatforms(wanted);
  if (!isFilesOnly || platforms.length === 1) return platforms;
  throw new MeshError("images-platform", "--files takes one platform.", {
    remedy: "Name one with --platform, and run the task once for each.",
  });
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    if (!(error instanceof MeshError) && !(error instanceof TypeError)) throw error;
    console.error(`images: ${error.message}`);
    if (error instanceof MeshError && error.remedy !== undefined) {
      console.error(`images: ${error.remedy}`);
    }
    Deno.exit(1);
  }
}
