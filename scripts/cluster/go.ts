/**
 * Programs that are built with Go from modules in `scripts/cluster` and `native`, and kept in the cache of
 * `deno task tools`. The folder's name has a hash of the module and of how it is built, so that a
 * changed module is built again.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { MeshError } from "../../lib/kit/base/mod.ts";
import { dirname, fromFileUrl, join } from "../paths.ts";
import { cacheDir, HOST, sweepPartial } from "../tools.ts";
import { buildModule } from "./go_build.ts";

/** Install path of Go's own archive, if Go is not on the PATH. */
const GO_PATHS = ["go", "/usr/local/go/bin/go"];
/** Oldest Go that can fetch the version which the modules need. */
const OLDEST_GO = [1, 21] as const;

/** A module and how its programs are built. */
export interface GoBuild {
  /** Folder with the module, relative to `scripts/cluster`. */
  readonly module: string;
  /** Start of the name of its folder in the cache, such as `cluster-1.36.3`. */
  readonly name: string;
  /** Description for the progress display. */
  readonly title: string;
  /** Flags of `go build` beside the usual ones. */
  readonly flags?: readonly string[];
  /** Flags of the linker beside those that leave out symbols. */
  readonly linkFlags?: readonly string[];
  /** Packages to build, in the order of their programs; their last part is the program's name. */
  readonly packages: readonly string[];
  /** Name of the program, if there is one package and its name is another. */
  readonly output?: string;
  /** Names of links to the one program. */
  readonly links?: readonly string[];
  /** Architecture that the programs are for, by `Deno.build.arch`; default: that of this machine. */
  readonly arch?: string;
}

/** Go's names of architectures, by `Deno.build.arch`. */
const GO_ARCH: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };

/** The Go command, if it is installed and new enough. */
export function findGo(): string | undefined {
  return GO_PATHS.find((path) => {
    try {
      const { stdout } = new Deno.Command(path, { args: ["version"] }).outputSync();
      const [, major, minor] = /go(\d+)\.(\d+)/.exec(new TextDecoder().decode(stdout)) ?? [];
      return Number(major) === OLDEST_GO[0] && Number(minor) >= OLDEST_GO[1];
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
  });
}

/** The folder that the programs are in once they are built. */
export function buildDir(build: GoBuild): string {
  const digest = createHash("sha256");
  for (const file of moduleFiles(build)) digest.update(Deno.readFileSync(file));
  digest.update(JSON.stringify([build.flags, build.linkFlags, build.packages]));
  const id = digest.digest("hex").slice(0, 12);
  return join(cacheDir(HOST), `${build.name}-${id}-${build.arch ?? HOST.arch}`);
}

/** Why programs that are not built yet are missing; `undefined` if they are there. */
export function lackingBuild(build: GoBuild): string | undefined {
  try {
    Deno.statSync(buildDir(build));
    return undefined;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return findGo() === undefined ? "needs Go" : "needs `deno task tools`";
  }
}

/** Builds that run in this process, by their folder. Who asks meanwhile waits for the same one. */
const RUNNING = new Map<string, Promise<string>>();

/**
 * The folder with the programs. They are built if the cache has none.
 *
 * @throws MeshError `tools-no-go`, `tools-cluster` with a remedy
 */
export async function goPrograms(
  build: GoBuild,
  progress: (line: string) => void = HOST.progress,
): Promise<string> {
  const dir = buildDir(build);
  if (lackingBuild(build) === undefined) return dir;
  const running = RUNNING.get(dir) ?? makePrograms(build, dir, progress);
  RUNNING.set(dir, running);
  return await running.finally(() => RUNNING.delete(dir));
}

async function makePrograms(
  build: GoBuild,
  dir: string,
  progress: (line: string) => void,
): Promise<string> {
  const go = findGo();
  if (go === undefined) {
    throw new MeshError("tools-no-go", `${build.title} are built with Go.`, {
      remedy: `Install Go ${OLDEST_GO.join(".")} or newer.`,
    });
  }
  const cache = cacheDir(HOST);
  await Deno.mkdir(cache, { recursive: true });
  await sweepPartial(cache);
  const work = await Deno.makeTempDir({ dir: cache, prefix: ".partial-" });
  try {
    const started = performance.now();
    progress(`building ${build.title} into ${dir}`);
    await compile(go, build, work, progress);
    await Deno.chmod(work, 0o755);
    await Deno.rename(work, dir).catch((cause) => {
      if (lackingBuild(build) !== undefined) throw cause; // else another run was faster
    });
    progress(`built after ${((performance.now() - started) / 1000).toFixed(0)} s`);
  } finally {
    await Deno.remove(work, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // renamed
    });
  }
  return dir;
}

/** Builds a copy of the module, so that edits of the tree do not disturb it. */
async function compile(
  go: string,
  build: GoBuild,
  work: string,
  progress: (line: string) => void,
): Promise<void> {
  const source = join(work, "source");
  const from = moduleDir(build);
  for (const file of moduleFiles(build)) {
    const to = join(source, file.slice(from.length));
    await Deno.mkdir(dirname(to), { recursive: true });
    await Deno.copyFile(file, to);
  }
  const out = build.output === undefined ? "../" : `../${build.output}`;
  const { packages, flags = [], linkFlags = [] } = build;
  const arch = GO_ARCH[build.arch ?? HOST.arch];
  await buildModule({ go, source, out, packages, flags, linkFlags, arch }, { progress });
  await Deno.remove(source, { recursive: true });
  for (const name of build.links ?? []) await Deno.symlink(build.output!, join(work, name));
}

function moduleDir({ module }: GoBuild): string {
  return fromFileUrl(new URL(module, import.meta.url));
}

/** The files of the module in a fixed order. */
function moduleFiles(build: GoBuild): string[] {
  const found: string[] = [];
  const visit = (dir: string): void => {
    for (const entry of Deno.readDirSync(dir)) {
      const path = join(dir, entry.name);
      if (entry.isDirectory) visit(path);
      else if (/\.go$|^go\.(mod|sum)$/.test(entry.name)) found.push(path);
    }
  };
  visit(moduleDir(build));
  return found.sort();
}
