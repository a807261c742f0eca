/**
 * `deno task test [TIER…] [PATH…] [FLAGS of deno test]`: runs the tiers of
 * tests, some of them at the same time. Failures are printed with position, name and first
 * line of the error; the full output of each tier is in a file. The last line
 * is `N passed, N failed`.
 *
 * A test that cannot run here is skipped with `ignore`, and its name ends with
 * the reason in square brackets: `redirects a port [needs root]`. A skip
 * without a reason counts as a failure.
 *
 * @module
 */
import { MeshError } from "../lib/kit/base/mod.ts";
import { lackingNodes, nodeObstacle, nodePrograms } from "./cluster/node_programs.ts";
import { clusterPrograms, findGo, lackingCluster } from "./cluster/programs.ts";
import { BUNDLES } from "./harness/mod.ts";
import { keptBundles } from "./kept_bundles.ts";
import { fromFileUrl, isOnPath, join, walkFiles } from "./paths.ts";
import { forecast } from "./test_forecast.ts";
import { writeGroups } from "./test_groups.ts";
import { type Lane, planOf } from "./test_plan.ts";
import { showProgress } from "./test_progress.ts";
import {
  add,
  closingLine,
  type Counts,
  countsOf,
  describeUnfinished,
  exitStatus,
  type Failure,
  NOTHING,
  plainText,
  skipLines,
} from "./test_report.ts";
import { SYSTEM_PROGRAMS, type Tier, TIERS } from "./test_tiers.ts";
import { envoyPath } from "./tools.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** A runner without output for this time (ms) is killed. */
const SILENCE = 600_000;

/** The arguments. */
export interface Request {
  readonly tiers: readonly Tier[];
  /** Paths that narrow the tiers; empty: all of them. */
  readonly paths: readonly string[];
  /** From the first flag on, for `deno test`. */
  readonly flags: readonly string[];
}

/** Reads the arguments: tiers and paths in any order, then flags. */
export function requestOf(given: readonly string[]): Request {
  // `deno task` passes a `--` before further arguments on.
  const args = given.filter((arg) => arg !== "--");
  const end = args.findIndex((arg) => arg.startsWith("-"));
  const words = end < 0 ? args : args.slice(0, end);
  const names = new Set(words);
  const tiers = TIERS.filter((tier) => names.has(tier.name));
  return {
    tiers: tiers.length === 0 ? TIERS : tiers,
    paths: words.filter((word) => !TIERS.some((tier) => tier.name === word)),
    flags: end < 0 ? [] : args.slice(end),
  };
}

/** The folders of a tier, or those of the paths that are in them. */
export function targetsOf(tier: Tier, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return tier.folders;
  const clean = paths.map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""));
  return clean.filter((path) =>
    tier.folders.some((folder) => path === folder || path.startsWith(`${folder}/`))
  );
}

/** Memory of the machine in bytes. */
const memoryOf = (): number => Deno.systemMemoryInfo().total;

function printForecast(tiers: readonly Tier[]): void {
  const lines = forecast(tiers, {
    cores: navigator.hardwareConcurrency,
    memory: memoryOf(),
    isRoot: Deno.uid() === 0,
    hasGo: findGo() !== undefined,
    lackingCluster: lackingCluster(),
    lackingNodes: lackingNodes(),
    canBuildNodes: nodeObstacle() === undefined,
    missingPrograms: SYSTEM_PROGRAMS.filter((name) => !isOnPath(name)),
  });
  console.log(`${lines.join("\n")}\n`);
}

/** Checks the types of everything, or of the paths. The tiers run without: each would check again. */
async function checkTypes({ paths }: Request): Promise<Counts> {
  const targets = paths.length === 0 ? ["."] : paths;
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "-q", ...targets],
    cwd: ROOT,
    stdout: "null",
  }).output();
  if (code === 0) return NOTHING;
  const output = plainText(new TextDecoder().decode(stderr));
  console.log(`== types: \n${output}`);
  return countsOf(output, false);
}

/** A run of all tiers. */
interface Run {
  readonly request: Request;
  /** Folder for the output of tiers. */
  readonly logs: string;
  /** Environment variables of all tests. */
  readonly env: Readonly<Record<string, string>>;
}

/** The conditions in which a lane of tiers runs. */
interface LanePlace {
  /** Another one runs at the same time. */
  readonly isBeside: boolean;
  /** The other one has precedence at the processors. */
  readonly isYielding: boolean;
}

async function runTier(tier: Tier, run: Run, place: LanePlace): Promise<Counts> {
  const { request, logs } = run;
  const targets = targetsOf(tier, request.paths);
  const files = await testFiles(targets);
  if (files.length === 0) return NOTHING;
  console.log(`== ${tier.name}: ${targets.join(" ")}`);
  const started = performance.now();
  if (tier.tools) await envoyPath();
  if (tier.cluster === true && findGo() !== undefined) await clusterPrograms();
  if (tier.nodes === true && nodeObstacle() === undefined && findGo() !== undefined) {
    await nodePrograms(undefined, "bridge");
  }
  const modules = await writeGroups(files, tier.share ?? 1, join(logs, tier.name));
  // Types are checked once, before the tiers.
  const args = ["test", "-A", "--parallel", "--no-check", "--config", join(ROOT, "deno.json")];
  const all = [...args, ...request.flags, ...modules];
  const { output, success } = await runDeno(all, { tier, env: run.env, place });
  await Deno.writeTextFile(join(logs, `${tier.name}.log`), plainText(output));
  const counts = countsOf(output, success);
  for (const failure of counts.failures) {
    console.log(`${headingOf(failure)}\n    ${failure.error}`);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const skipped = counts.skipped === 0 ? "" : `, ${counts.skipped} skipped`;
  console.log(`== ${tier.name}: ${closingLine(counts)}${skipped}, in ${seconds} s\n`);
  return counts;
}

function headingOf({ position, name }: Failure): string {
  return `  ${position === "" ? "" : `${position} `}${name}`;
}

/** The test files of the targets, in the order of their paths. */
async function testFiles(targets: readonly string[]): Promise<string[]> {
  const found = await Promise.all(targets.map(async (target) => {
    const path = join(ROOT, target);
    return target.endsWith("_test.ts") ? [path] : await walkFiles(path, "_test.ts");
  }));
  return found.map((files) => files.sort()).flat();
}

/** Runs Deno, shows its progress, and kills it after {@link SILENCE} without output. */
async function runDeno(
  args: string[],
  { tier, env, place }: {
    readonly tier: Tier;
    readonly env: Readonly<Record<string, string>>;
    readonly place: LanePlace;
  },
): Promise<{ output: string; success: boolean }> {
  const nice = place.isYielding && isOnPath("nice") ? ["nice", "-n", "10"] : [];
  const [command = "", ...words] = [...nice, Deno.execPath(), ...args];
  const child = new Deno.Command(command, {
    args: words,
    cwd: ROOT,
    env: { ...env, ...tier.env, ...tier.jobs && { DENO_JOBS: String(tier.jobs) } },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let isKilled = false;
  const end = (): void => {
    isKilled = true;
    child.kill("SIGKILL");
  };
  const progress = showProgress(tier.name, {
    isTerminal: Deno.stdout.isTerminal() && !place.isBeside,
    write: (text) => writeAll(new TextEncoder().encode(text)),
  });
  let timer = setTimeout(end, SILENCE);
  const collect = async (
    stream: ReadableStream<Uint8Array>,
    seen: (text: string) => void,
  ): Promise<string> => {
    const decoder = new TextDecoder();
    let all = "";
    for await (const chunk of stream) {
      clearTimeout(timer);
      timer = setTimeout(end, SILENCE);
      const text = decoder.decode(chunk, { stream: true });
      all += text;
      seen(text);
    }
    return all;
  };
  const [stdout, stderr] = await Promise.all([
    collect(child.stdout, (text) => progress.add(text)),
    collect(child.stderr, () => {}),
  ]);
  const { success } = await child.status;
  clearTimeout(timer);
  progress.stop();
  const killed = isKilled
    ? `error: killed after ${SILENCE / 1000} s without output; ${describeUnfinished(stdout)}\n`
    : "";
  return { output: `${stdout}\n${stderr}\n${killed}`, success };
}

function writeAll(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

/** Prints skips, failures and the place of the full output, then the closing line. */
function printEnd(total: Counts, logs: string): void {
  if (total.skips.length > 0) console.log(["skipped:", ...skipLines(total)].join("\n"));
  if (total.failures.length > 0) {
    console.log(["failed:", ...total.failures.map(headingOf)].join("\n"));
  }
  if (total.passed + total.failed === 0) console.log("No test ran.");
  console.log(`full output: ${logs}\n\n${closingLine(total)}`);
}

/** Runs tiers one after the other. */
async function runLane(tiers: Lane<Tier>, run: Run, place: LanePlace): Promise<Counts> {
  let total = NOTHING;
  for (const tier of tiers) {
    try {
      total = add(total, await runTier(tier, run, place));
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      const failure = {
        position: "",
        name: `${tier.name} did not start`,
        error: `${error.message} ${error.remedy ?? ""}`,
      };
      console.log(`${headingOf(failure)}\n    ${failure.error}`);
      total = add(total, { ...NOTHING, failed: 1, failures: [failure] });
    }
  }
  return total;
}

/** The variable by which tests start bundles. For a few files it takes longer to make these. */
async function bundleEnv({ tiers, paths }: Request): Promise<Record<string, string>> {
  const isUsed = paths.length === 0 && tiers.some(({ startsPrograms }) => startsPrograms);
  return isUsed ? { [BUNDLES]: await keptBundles() } : {};
}

async function main(): Promise<number> {
  const request = requestOf(Deno.args);
  if (request.paths.length === 0) printForecast(request.tiers);
  const logs = await Deno.makeTempDir({ prefix: "mesh-tests-" });
  const [types, env] = await Promise.all([checkTypes(request), bundleEnv(request)]);
  const run: Run = { request, logs, env };
  let total = types;
  const { tiers, paths } = request;
  const wanted = tiers.filter((tier) => targetsOf(tier, paths).length > 0);
  for (const stage of planOf(wanted, memoryOf())) {
    const isBeside = stage.length > 1;
    const counts = await Promise.all(
      stage.map((lane, i) => runLane(lane, run, { isBeside, isYielding: i > 0 })),
    );
    total = counts.reduce(add, total);
  }
  printEnd(total, logs);
  return exitStatus(total);
}

if (import.meta.main) Deno.exit(await main());
