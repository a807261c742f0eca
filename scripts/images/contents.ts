/**
 * The images of the programs: their layers and settings.
 *
 * An image holds the runtime, the modules of one program with their compiled code, and the C library; that of the agent also
 * Envoy, that of the network plugin the program that it copies to the node, and both what writes rules of
 * interception. The program's name on the PATH is a script: a shell script where the image has a shell for
 * those rules, else a module that `env` starts. Commands of the agent that write rules have permissions of
 * their own.
 *
 * @module
 */
import type { BuildInfo } from "../../lib/kit/base/mod.ts";
import { CNI_HELPER, cniHelper } from "../cluster/cni_helper.ts";
import { bundles, grantedSet, type PermissionSet } from "../compile.ts";
import { engineFlags, engineVariables } from "../engine_flags.ts";
import { fromFileUrl, join, walkFiles } from "../paths.ts";
import { envoyPathFor } from "../tools.ts";
import { baseLayer, rulesLayer } from "./base.ts";
import { codeCache } from "./code_cache.ts";
import type { Missing } from "./debian.ts";
import { emulator } from "./emulator.ts";
import { type ImageConfig, type Layer, withFolders } from "./image.ts";
import { isOwn, type Platform } from "./platforms.ts";
import { runtimePath } from "./runtime.ts";
import type { TarEntry } from "./tar.ts";

export interface ProgramImage {
  readonly program: string;
  readonly variants: readonly ImageVariant[];
  readonly config: ImageConfig;
}

/** The layers of an image for a platform. */
export interface ImageVariant {
  readonly platform: Platform;
  readonly layers: readonly Layer[];
}

/** Options of {@linkcode programImages}. */
export interface ContentOptions {
  readonly programs: readonly string[];
  readonly platforms: readonly Platform[];
  readonly facts: BuildInfo;
  /** Folder for modules, which must exist as long as the layers are used. */
  readonly work: string;
  readonly missing: Missing;
  progress(line: string): void;
}

/** Names of images by program, as templates of injection call them. */
export const IMAGE_NAMES: Readonly<Record<string, string>> = {
  "pilot-discovery": "pilot",
  "pilot-agent": "proxyv2",
  "install-cni": "install-cni",
  "meshctl": "meshctl",
};

const RUNTIME = "/usr/local/bin/deno";
/** Folder of the programs' modules. */
const LIBRARY = "/usr/local/lib/mesh";
const CONFIG = `${LIBRARY}/deno.json`;
/** Folder with compiled code. */
const CACHE = `${LIBRARY}/cache`;
/** Variables of the runtime: where compiled code is, and that it does not ask for newer versions. */
const RUNTIME_VARIABLES = [`DENO_DIR=${CACHE}`, "DENO_NO_UPDATE_CHECK=1"];
/** Longest first line of a script, in bytes (Linux: `BINPRM_BUF_SIZE`). */
const FIRST_LINE = 255;

/** Programs whose images have what writes rules, and a shell. */
export const RULE_PROGRAMS: ReadonlySet<string> = new Set(["pilot-agent", "install-cni"]);
/** Folder of the program that the network plugin copies to the node. */
const PLUGINS = "/opt/cni/bin";

/** The permission set of commands that write rules. */
const RULES_SET = "pilot-agent-iptables";

type Settings = Pick<ImageConfig, "Cmd" | "ExposedPorts">;

const SETTINGS: Readonly<Record<string, Settings>> = {
  "pilot-discovery": {
    Cmd: ["discovery", "--configDir=/etc/mesh/config.d"],
    // xDS, HTTP with the debug pages, monitoring.
    ExposedPorts: ports(15010, 8080, 15014),
  },
  // Readiness and merged metrics.
  "pilot-agent": { Cmd: ["proxy", "sidecar"], ExposedPorts: ports(15021, 15020) },
  // Health and monitoring.
  "install-cni": { Cmd: [], ExposedPorts: ports(8000, 15014) },
  "meshctl": { Cmd: ["--help"] },
};

/** The images of programs, with common layers first. */
export async function programImages(options: ContentOptions): Promise<ProgramImage[]> {
  const { programs, platforms, facts, work, missing, progress } = options;
  progress(`bundling the modules of ${programs.join(", ")}`);
  const folders = await bundles(programs, facts, work);
  const labels = {
    "org.opencontainers.image.version": facts.version,
    "org.opencontainers.image.revision": facts.revision,
  };
  const images = programs.map((program) => ({
    program,
    variants: [] as ImageVariant[],
    config: { ...imageConfig(program), Labels: labels },
  }));
  for (const platform of platforms) {
    progress(`reading the files for ${platform.name}`);
    const place = await placeOf(platform, options);
    for (const { program, variants } of images) {
      progress(`compiling the modules of ${program} for ${platform.name}`);
      const layers = await systemLayers(program, platform, missing);
      layers.push(await programLayer(program, folders[program]!, place));
      variants.push({ platform, layers });
    }
  }
  return images;
}

/** The place in which modules are compiled for a platform. */
interface CompilePlace {
  /** Words that run the runtime of the platform on this machine. */
  readonly runtime: readonly string[];
  /** Folder for temporary files. */
  readonly work: string;
}

async function placeOf(
  platform: Platform,
  { work, missing }: Pick<ContentOptions, "work" | "missing">,
): Promise<CompilePlace> {
  const own = join(work, platform.name);
  await Deno.mkdir(own);
  const runtime = await runtimePath(platform);
  if (isOwn(platform)) return { runtime: [runtime], work: own };
  const root = join(own, "root");
  const libraries = (await baseLayer(missing, platform))
    .filter(({ path }) => /^(usr\/)?lib/.test(path));
  await writeFiles(withFolders(libraries), root);
  return { runtime: [...await emulator(platform, root, missing), runtime], work: own };
}

/** The layers of a program's image without its modules; those that all images have come first. */
export async function systemLayers(
  program: string,
  platform: Platform,
  missing: Missing,
): Promise<Layer[]> {
  const layers = [
    await baseLayer(missing, platform),
    [executable(RUNTIME, await runtimePath(platform))],
  ];
  if (RULE_PROGRAMS.has(program)) layers.push(await rulesLayer(missing, platform));
  const own = await executables(program, platform);
  if (own.length > 0) layers.push(own);
  return layers;
}

/** Executables beside the program. */
async function executables(program: string, { arch }: Platform): Promise<TarEntry[]> {
  if (program === "pilot-agent") {
    return [executable("/usr/local/bin/dataproxy", await envoyPathFor(arch))];
  }
  if (program !== "install-cni") return [];
  return [executable(`${PLUGINS}/${CNI_HELPER}`, await cniHelper(arch))];
}

/** The settings of a program's image, which the Dockerfile repeats. */
export function imageConfig(program: string): ImageConfig {
  return {
    ...SETTINGS[program],
    Entrypoint: [`/usr/local/bin/${program}`],
    User: "65532:65532",
    WorkingDir: "/",
    Env: [
      "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/bin",
      ...(hasShell(program) ? [] : variablesOf(program)),
    ],
  };
}

async function programLayer(
  program: string,
  folder: string,
  { work, runtime }: CompilePlace,
): Promise<Layer> {
  const config = JSON.parse(
    await Deno.readTextFile(fromFileUrl(new URL("../../deno.json", import.meta.url))),
  );
  const sets = [program, ...program === "pilot-agent" ? [RULES_SET] : []];
  const permissions = Object.fromEntries(
    sets.map((name) => [name, absolute(grantedSet(config.permissions[name]))]),
  );
  const at = `${LIBRARY}/${program}`;
  const modules = (await walkFiles(folder, ".js")).map((source) => ({
    path: `${at}${source.slice(folder.length)}`.slice(1),
    mode: 0o644,
    source,
  }));
  return [
    ...modules,
    ...await codeCache({ program, modules: folder, at, into: CACHE, work, runtime }),
    text(CONFIG, 0o644, JSON.stringify({ unstable: config.unstable, permissions })),
    text(`/usr/local/bin/${program}`, 0o755, script(program)),
  ];
}

/** Variables with which a program is started, as `NAME=value`. */
function variablesOf(program: string): readonly string[] {
  return [...RUNTIME_VARIABLES, ...engineVariables(program)];
}

/** True if a shell starts the program. Other images have none: they set the variables for all commands. */
function hasShell(program: string): boolean {
  return RULE_PROGRAMS.has(program);
}

/** The script that starts a program. */
function script(program: string): string {
  const module = `${LIBRARY}/${program}/main.js`;
  const variables = variablesOf(program);
  const flags = `-q --no-prompt --cached-only -c ${CONFIG} ${engineFlags(program).join(" ")}`;
  if (program === "pilot-agent") {
    return `#!/bin/sh
# Commands that write rules of interception have permissions of their own.
set=${program}
for word; do
  case $word in
    -*) ;;
    mesh-iptables | mesh-clean-iptables) set=${RULES_SET}; break ;;
    *) break ;;
  esac
done
export ${variables.join(" ")}
exec ${RUNTIME} run -P=$set ${flags} ${module} "$@"
`;
  }
  if (hasShell(program)) {
    return `#!/bin/sh
export ${variables.join(" ")}
exec ${RUNTIME} run -P=${program} ${flags} ${module} "$@"
`;
  }
  const command = `${RUNTIME} run -P=${program} ${flags} --ext=js`;
  const first = `#!/usr/bin/env -S ${command}`;
  if (first.length > FIRST_LINE) throw new Error(`too long: ${first}`);
  return `${first}
import { run } from "${module}";
Deno.exit(await run(Deno.args));
`;
}

/** Sets are written with paths from the root, which is the folder that programs run in. */
function absolute(set: PermissionSet): PermissionSet {
  const entries = Object.entries(set).map(([kind, what]) => [
    kind,
    Array.isArray(what) ? what.map((one: string) => one.replace(/^\.\//, "/")) : what,
  ]);
  return Object.fromEntries(entries);
}

function executable(path: string, source: string): TarEntry {
  return { path: path.slice(1), mode: 0o755, source };
}

function text(path: string, mode: number, content: string): TarEntry {
  return { path: path.slice(1), mode, data: new TextEncoder().encode(content) };
}

function ports(...numbers: number[]): Record<string, Record<string, never>> {
  return Object.fromEntries(numbers.map((port) => [`${port}/tcp`, {}]));
}

/** Writes the files of an image into a folder, as a build with an engine copies them. */
export async function writeFiles(entries: readonly TarEntry[], folder: string): Promise<void> {
  for (const { path, mode, data, source, link } of entries) {
    const to = join(folder, path);
    if (link !== undefined) await Deno.symlink(link, to);
    else if (data !== undefined) await Deno.writeFile(to, data);
    else if (source !== undefined) await Deno.copyFile(source, to);
    else await Deno.mkdir(to, { recursive: true });
    if (link === undefined) await Deno.chmod(to, mode);
  }
}
