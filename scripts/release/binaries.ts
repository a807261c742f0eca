/**
 * Binaries by `deno compile`, for each target whose base can be had.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { CNI_HELPER, cniHelper } from "../cluster/cni_helper.ts";
import { compile } from "../compile.ts";
import { join } from "../paths.ts";
import { portableName } from "./portable.ts";
import type { ReleaseContext } from "./context.ts";

/** A system for which binaries are built. */
export interface Target {
  /** As file names have it: `linux-amd64`. */
  readonly name: string;
  /** As the compiler has it. */
  readonly triple: string;
  /** Programs that run there; absent: all. */
  readonly programs?: readonly string[];
  readonly ending: "" | ".exe";
}

/** All targets of a release. */
export const TARGETS: readonly Target[] = [
  { name: "linux-amd64", triple: "x86_64-unknown-linux-gnu", ending: "" },
  { name: "linux-arm64", triple: "aarch64-unknown-linux-gnu", ending: "" },
  { name: "darwin-amd64", triple: "x86_64-apple-darwin", programs: ["meshctl"], ending: "" },
  { name: "darwin-arm64", triple: "aarch64-apple-darwin", programs: ["meshctl"], ending: "" },
  {
    name: "windows-amd64",
    triple: "x86_64-pc-windows-msvc",
    programs: ["meshctl"],
    ending: ".exe",
  },
];

/** A target whose programs were built, or the reason that they were not. */
export interface BuiltTarget {
  readonly target: Target;
  readonly files: readonly string[];
}

/**
 * Builds programs for targets. A target without a base is left out and said by name.
 *
 * @param bases folder with `TRIPLE/denort` for targets whose base is on disk; empty: they are fetched
 */
export async function makeBinaries(
  context: ReleaseContext,
  programs: readonly string[],
  bases: string,
  targets: readonly Target[] = TARGETS,
): Promise<BuiltTarget[]> {
  const built: BuiltTarget[] = [];
  for (const target of targets) {
    const wanted = programs.filter((name) => target.programs?.includes(name) ?? true);
    if (wanted.length === 0) continue;
    context.progress(`compiling ${wanted.join(", ")} for ${target.name}`);
    const files = await buildTarget(context, target, wanted, bases);
    if (files !== undefined) built.push({ target, files });
  }
  return built;
}

/** The program of the network plugin whose node needs a helper. */
const PLUGIN = "install-cni";

/** Adds the helper, which is built with Go. */
async function addHelper({ name, triple }: Target, into: string, version: string): Promise<string> {
  const file = `${CNI_HELPER}-${version}-${name}`;
  await Deno.copyFile(await cniHelper(triple.replace(/-.*/, "")), join(into, file));
  return file;
}

async function buildTarget(
  { facts, into, leftOut }: ReleaseContext,
  target: Target,
  programs: readonly string[],
  bases: string,
): Promise<string[] | undefined> {
  const work = await Deno.makeTempDir({ prefix: "mesh-binaries-" });
  const base = bases === "" ? "" : join(bases, target.triple, `denort${target.ending}`);
  try {
    if (base !== "") await Deno.stat(base);
    const env: Record<string, string> = base === "" ? {} : { DENORT_BIN: base };
    const request = { into: work, programs, facts, target: target.triple };
    const files: string[] = [];
    for (const path of await compile(request, { deno: Deno.execPath(), env })) {
      const program = path.slice(path.lastIndexOf("/") + 1).replace(/\.exe$/, "");
      const name = `${program}-${facts.version}-${target.name}${target.ending}`;
      await Deno.copyFile(path, join(into, name));
      files.push(name);
    }
    if (programs.includes(PLUGIN)) files.push(await addHelper(target, into, facts.version));
    return files;
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound ||
      (error instanceof MeshError && error.code === "compile-base");
    if (!isMissing) throw error;
    leftOut(
      `${programs.join(", ")} for ${target.name}`,
      `the base that programs are built on cannot be had${base === "" ? "" : ` at ${base}`}; ` +
        `use ${portableName(facts.version)}.tar.gz`,
    );
    return undefined;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}
