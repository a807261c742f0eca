/**
 * Runs the Go command on a module and says how far it is: a build takes minutes.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";

/** Time between two lines of progress, in milliseconds. */
const PROGRESS_MS = 10_000;

/** A build in a folder with a module. */
export interface ModuleBuild {
  readonly go: string;
  /** Folder with `go.mod`. */
  readonly source: string;
  /** File, or folder with a slash at its end, for the programs; relative to the source. */
  readonly out: string;
  readonly packages: readonly string[];
  readonly flags: readonly string[];
  readonly linkFlags: readonly string[];
  /** Go's name of the architecture that the programs are for; default: that of this machine. */
  readonly arch?: string | undefined;
}

/** The receiver of the progress of a build. */
export interface BuildProgress {
  progress(line: string): void;
  /** Time between two lines; default {@linkcode PROGRESS_MS}. */
  readonly everyMs?: number;
}

/**
 * Fetches what the module needs and compiles its programs.
 *
 * @throws MeshError `tools-cluster` with the end of Go's output
 */
export async function buildModule(build: ModuleBuild, told: BuildProgress): Promise<void> {
  const flags = ["-mod=readonly", "-trimpath", ...build.flags];
  let fetched = 0;
  const listed = await withProgress(
    told,
    () => fetched > 0 ? `fetched ${fetched} modules` : "looking for the packages to compile",
    () =>
      runGo(build, ["list", "-deps", ...flags, ...build.packages], (line) => {
        if (line.startsWith("go: downloading ")) fetched++;
      }),
  );
  const all = listed.trim().split("\n").length;
  let compiled = 0;
  const linkFlags = ["-s", "-w", ...build.linkFlags].join(" ");
  const args = ["build", "-v", "-ldflags", linkFlags, ...flags, "-o", build.out];
  await withProgress(
    told,
    // Packages in Go's own cache are not compiled again, and not told.
    () => `compiled ${compiled} packages of at most ${all}`,
    () =>
      runGo(build, [...args, ...build.packages], (line) => {
        if (isPackage(line)) compiled++;
      }),
  );
}

/** Says every now and then how far something is, with the time that it took so far. */
async function withProgress<T>(
  { progress, everyMs = PROGRESS_MS }: BuildProgress,
  state: () => string,
  run: () => Promise<T>,
): Promise<T> {
  const started = performance.now();
  const seconds = (): string => ((performance.now() - started) / 1000).toFixed(0);
  const timer = setInterval(() => progress(`${state()}, ${seconds()} s`), everyMs);
  try {
    return await run();
  } finally {
    clearInterval(timer);
  }
}

/** Runs Go in the module, passes on the lines of its standard error, and returns its output. */
async function runGo(
  { go, source, arch }: ModuleBuild,
  args: readonly string[],
  onLine: (line: string) => void,
): Promise<string> {
  const child = new Deno.Command(go, {
    args: [...args],
    cwd: source,
    env: {
      CGO_ENABLED: "0",
      GOFLAGS: "-buildvcs=false",
      GOWORK: "off",
      ...arch === undefined ? {} : { GOARCH: arch },
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const said: string[] = [];
  const [output] = await Promise.all([
    new Response(child.stdout).text(),
    eachLine(child.stderr, (line) => {
      onLine(line);
      if (!isPackage(line)) said.push(line);
    }),
  ]);
  if ((await child.status).success) return output;
  throw new MeshError("tools-cluster", `go ${args[0]} failed:\n${said.slice(-5).join("\n")}`, {
    remedy: "Check that this machine reaches the Go module proxy, then run it again.",
  });
}

/** True for a line that names a package which is compiled. */
function isPackage(line: string): boolean {
  return line !== "" && !/\s/.test(line);
}

async function eachLine(
  stream: ReadableStream<Uint8Array>,
  onLine: (line: string) => void,
): Promise<void> {
  const text = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + text.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    lines.forEach(onLine);
  }
  if (rest !== "") onLine(rest);
}
