/**
 * `deno task compile [PROGRAM…] [--allow-…]`: builds each program as one file into `dist/`.
 *
 * The programs are built from a copy of the sources in which `lib/kit/base/build.ts` has the facts of
 * this build; the tree is not changed. Each program is bundled into a few modules with what it
 * imports, and those are compiled; a module of a sub-command is loaded when the command runs. A
 * built program has the permissions of its set in `deno.json`, except that it may read everything:
 * its files are known at its start, when permissions are fixed already. A flag such as
 * `--allow-write=/srv/log` replaces the set's entry of that kind.
 *
 * @module
 */
import { type BuildInfo, MeshError } from "../lib/kit/base/mod.ts";
import { buildFacts, withFacts } from "./build_facts.ts";
import { engineFlags } from "./engine_flags.ts";
import { dirname, fromFileUrl, join, sourceFiles, walkFiles } from "./paths.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** A permission set of `deno.json`: by kind, everything (`true`) or a list. */
export type PermissionSet = Readonly<Record<string, boolean | readonly string[]>>;

/** Compiles the bundled modules; tests pass another one. */
export interface Compiler {
  /** The Deno program that compiles. */
  readonly deno: string;
  /** Additional environment variables. */
  readonly env: Readonly<Record<string, string>>;
}

const COMPILER: Compiler = { deno: Deno.execPath(), env: {} };

/** Options of a build. */
export interface CompileRequest {
  /** Folder for the results. */
  readonly into: string;
  readonly programs: readonly string[];
  readonly facts: BuildInfo;
  /** Permission flags that replace those of a program's set. */
  readonly permissions?: readonly string[];
  /** The system that the results are for, as the compiler names it; default: this one. */
  readonly target?: string;
}

/** Names of all programs: the folders of `cmd/` with a `main.ts`. */
export async function programs(root: string = ROOT): Promise<string[]> {
  const cmd = join(root, "cmd");
  const mains = (await walkFiles(cmd, "main.ts")).filter((file) => file.endsWith("/main.ts"));
  return mains.map((file) => dirname(file).slice(cmd.length + 1)).sort();
}

/**
 * Builds programs, runs each once, and returns the paths of the results.
 *
 * @throws MeshError `compile-…` with a remedy
 */
export async function compile(
  request: CompileRequest,
  compiler: Compiler = COMPILER,
): Promise<string[]> {
  const copy = await Deno.makeTempDir({ prefix: "mesh-compile-" });
  try {
    await copySources(copy);
    await writeFacts(join(copy, "lib/kit/base/build.ts"), request.facts);
    await Deno.mkdir(request.into, { recursive: true });
    const built: string[] = [];
    for (const program of request.programs) {
      built.push(await build(copy, program, request, compiler));
    }
    return built;
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
}

/**
 * Bundles programs with the facts of a build into folders below `work`.
 *
 * @returns the folders by program, each with `main.js`
 * @throws MeshError `compile-…` with a remedy
 */
export async function bundles(
  programs: readonly string[],
  facts: BuildInfo,
  work: string,
): Promise<Record<string, string>> {
  const copy = join(work, "sources");
  await copySources(copy);
  await writeFacts(join(copy, "lib/kit/base/build.ts"), facts);
  const made: Record<string, string> = {};
  for (const program of programs) {
    made[program] = dirname(await bundle(copy, program, join(work, program)));
  }
  return made;
}

async function copySources(copy: string): Promise<void> {
  const files = ["deno.json", "deno.lock"];
  for (const folder of ["cmd", "lib"]) {
    const found = await sourceFiles(join(ROOT, folder));
    files.push(...found.filter((f) => !f.endsWith("_test.ts")).map((f) => f.slice(ROOT.length)));
  }
  files.push(...(await walkFiles(join(ROOT, "charts"), "")).map((f) => f.slice(ROOT.length)));
  for (const file of files) {
    await Deno.mkdir(dirname(join(copy, file)), { recursive: true });
    await Deno.copyFile(join(ROOT, file), join(copy, file));
  }
  await Deno.writeTextFile(join(copy, "lib/package.json"), WITHOUT_EFFECTS);
}

/**
 * Tells the bundler that loading a module of `lib` has no effect but its exports, so that it leaves out
 * modules of which a program uses nothing.
 */
const WITHOUT_EFFECTS = JSON.stringify({ type: "module", sideEffects: false });

async function writeFacts(file: string, facts: BuildInfo): Promise<void> {
  await Deno.writeTextFile(file, withFacts(await Deno.readTextFile(file), facts));
}

async function build(
  copy: string,
  program: string,
  { into, facts, permissions = [], target = Deno.build.target }: CompileRequest,
  compiler: Compiler,
): Promise<string> {
  const config = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const module = await bundle(copy, program, join(copy, `bundle-${program}`));
  // A failed compilation leaves partial output behind, so it is written into the copy first.
  const ending = target.includes("windows") ? ".exe" : "";
  const made = join(copy, `built-${program}${ending}`);
  const flags = [
    "--no-config",
    "--no-check",
    "--no-prompt",
    ...unstableFlags(config),
    ...engineFlags(program),
    ...grants(config.permissions[program], permissions),
    ...target === Deno.build.target ? [] : [`--target=${target}`],
  ];
  await step(copy, program, compiler, ["compile", ...flags, `--output=${made}`, module]);
  if (target === Deno.build.target) await seenToRun(made, facts);
  const out = join(into, `${program}${ending}`);
  await Deno.copyFile(made, `${out}.new`);
  await Deno.rename(`${out}.new`, out);
  return out;
}

/**
 * Programs whose modules have no comments and short names: an agent runs beside each workload, and the
 * engine keeps the text of modules in memory. (`--keep-names` breaks modules of CommonJS.)
 */
const SMALL: ReadonlySet<string> = new Set(["pilot-agent", "install-cni"]);

/**
 * Bundles a program of the tree at `root` with what it uses of the packages: one module for what it
 * imports at its start, others for what it imports later.
 *
 * @param folder for the modules
 * @returns the path of the first module
 * @throws MeshError `compile-…` with a remedy
 */
export async function bundle(root: string, program: string, folder: string): Promise<string> {
  const size = SMALL.has(program) ? ["--minify"] : [];
  const flags = ["--platform=deno", "--code-splitting", ...size, `--outdir=${folder}`];
  await step(root, program, COMPILER, ["bundle", ...flags, `cmd/${program}/main.ts`]);
  for (const module of await walkFiles(folder, ".js")) {
    const text = await Deno.readTextFile(module);
    const made = oneByte(requireLater(text));
    if (made !== text) await Deno.writeTextFile(module, made);
  }
  return join(folder, "main.js");
}

/** The statement in which the bundler makes `require` for packages in CommonJS. */
const REQUIRE =
  /import\s*\{\s*createRequire as (\w+)\s*\}\s*from\s*"node:module";\s*var (\w+)\s*=\s*\1\(import\.meta\.url\);/g;

/**
 * The text of a bundled module with a `require` that loads `node:module` at its first call. The bundler
 * loads it at each start, which costs as much as half an empty program; most commands never call it.
 */
export function requireLater(text: string): string {
  const made = `process.getBuiltinModule("node:module").createRequire(import.meta.url)`;
  return text.replace(REQUIRE, (_, __, name) => `var ${name}=(id)=>${made}(id);`);
}

/**
 * The text of a bundled module in which characters above U+00FF are escapes. The engine stores a text that has one of
 * them, in a comment too, in two bytes a character; the daemon's largest module takes 3 MB more.
 */
export function oneByte(text: string): string {
  return text.replace(
    /[\u0100-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

async function step(
  cwd: string,
  program: string,
  { deno, env }: Compiler,
  args: string[],
): Promise<void> {
  const { success, stderr } = await run(deno, args, { cwd, env: { NO_COLOR: "1", ...env } });
  if (!success) throw failure(program, stderr);
}

/** Flags for the unstable features that `deno.json` switches on, as the programs need them. */
export function unstableFlags(
  { unstable = [] }: { readonly unstable?: readonly string[] },
): string[] {
  return unstable.map((feature) => `--unstable-${feature}`);
}

/**
 * Permission flags of a built program: its set with unrestricted reading; given flags replace
 * entries of the same kind.
 */
export function grants(set: PermissionSet, given: readonly string[]): string[] {
  const kind = (flag: string): string => flag.split("=")[0] ?? flag;
  const replaced = new Set(given.map(kind));
  const own = Object.entries(grantedSet(set)).flatMap(([name, what]) => {
    if (what === false) return [];
    return [what === true ? `--allow-${name}` : `--allow-${name}=${(what as string[]).join(",")}`];
  });
  return [...own.filter((flag) => !replaced.has(kind(flag))), ...given];
}

/** The set of a built program: it may read everything. A set that has all permissions stays as it is. */
export function grantedSet(set: PermissionSet): PermissionSet {
  return set.all === true ? set : { ...set, read: true };
}

/** Converts the output of `deno compile` into an error with a remedy. */
export function failure(program: string, stderr: string): MeshError {
  const remedy = `Let this machine reach dl.deno.land, or set DENORT_BIN to the path of a denort ` +
    `of version ${Deno.version.deno}.`;
  const said = stderr.split("Stack backtrace:")[0]!.trim();
  // The output has the address of the base, or the file that the variable names.
  if (/denort|dl\.deno\.land/i.test(stderr)) {
    const message = `The base that programs are built on cannot be had:\n${said}`;
    return new MeshError("compile-base", message, { remedy });
  }
  return new MeshError("compile-failed", `${program} does not compile:\n${said}`, {
    remedy: "Correct what it says; `deno task check` says more.",
  });
}

/** A program with a base of another version than the compiler's does not start. */
async function seenToRun(program: string, facts: BuildInfo): Promise<void> {
  const { success, stdout, stderr } = await run(program, ["version", "--short=false"], {});
  if (success && stdout.includes(`GitRevision:"${facts.revision}"`)) return;
  throw new MeshError("compile-does-not-run", `${program} does not run:\n${stdout}${stderr}`, {
    remedy: `Where DENORT_BIN is set, its version must be that of Deno, ${Deno.version.deno}.`,
  });
}

async function run(
  program: string,
  args: string[],
  options: { cwd?: string; env?: Record<string, string> },
): Promise<{ success: boolean; stdout: string; stderr: string }> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, ...options })
    .output();
  const text = new TextDecoder();
  return { success, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

async function main(args: readonly string[]): Promise<void> {
  const all = await programs();
  const named = args.filter((arg) => !arg.startsWith("-"));
  const permissions = args.filter((arg) => arg.startsWith("-"));
  const stray = [
    ...named.filter((name) => !all.includes(name)),
    ...permissions.filter((flag) => !/^--allow-[a-z]+(=|$)/.test(flag)),
  ];
  if (stray.length > 0) {
    throw new MeshError("compile-unknown", `There is no program or permission ${stray[0]}.`, {
      remedy: `Programs: ${all.join(", ")}; permissions are given as --allow-write=PATH.`,
    });
  }
  const facts = await buildFacts(ROOT);
  const wanted = named.length === 0 ? all : named;
  const into = join(ROOT, "dist");
  for (const file of await compile({ into, programs: wanted, facts, permissions })) {
    const { size } = await Deno.stat(file);
    console.error(`compile: ${file.slice(ROOT.length)}, ${Math.round(size / 1e6)} MB`);
  }
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    console.error(`compile: ${error.message}`);
    if (error.remedy !== undefined) console.error(`compile: ${error.remedy}`);
    Deno.exit(1);
  }
}
