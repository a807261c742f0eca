/**
 * `deno task test [TIER…] [PATH…] [FLAGS of deno test]`: runs the tiers of
 * tests one after the other. Failures are printed with position, name and first
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
import { canBuildNodes, nodePrograms } from "./cluster/node_programs.ts";
import { clusterPrograms, findGo } from "./cluster/programs.ts";
import { fromFileUrl, join, walkFiles } from "./paths.ts";
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
import { envoyPath } from "./tools.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** A runner without output for this time (ms) is killed. */
const SILENCE = 600_000;

interface Tier {
  readonly name: string;
  /** Folders whose tests belong to it. */
  readonly folders: readonly string[];
  /** Test files at the same time; `undefined`: one for each core. */
  readonly jobs?: number;
  /** True when its tests run Envoy. */
  readonly tools: boolean;
  /** True when its tests run an API server. Its programs are built if Go is installed. */
  readonly cluster?: boolean;
  /** True when its tests run nodes. Their programs are built where nodes can run. */
  readonly nodes?: boolean;
  /** Environment variables of its tests. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Tests of the protocol, which run over the second transport for gRPC too. */
const GRPC_TESTS: readonly string[] = [
  "lib/mesh/xds/subscription/slow_client_test.ts",
  "lib/mesh/xds/subscription/delta_test.ts",
  "lib/mesh/xds/subscription/sotw_test.ts",
  "lib/mesh/xds/session/load_test.ts",
  "tests/wire/connection_rate_test.ts",
  "tests/wire/discovery_test.ts",
  "tests/wire/huge_configuration_test.ts",
  "tests/wire/push_throttle_test.ts",
  "tests/e2e/continuity_test.ts",
];

const TIERS: readonly Tier[] = [
  { name: "unit", folders: ["lib", "cmd", "scripts"], tools: false },
  { name: "wire", folders: ["tests/wire"], jobs: 2, tools: true },
  { name: "surface", folders: ["tests/surface"], jobs: 2, tools: false },
  { name: "e2e", folders: ["tests/e2e"], jobs: 2, tools: true },
  { name: "orch", folders: ["tests/orch"], jobs: 2, tools: true, cluster: true },
  { name: "node", folders: ["tests/node"], jobs: 1, tools: true, nodes: true },
  // Waits are compared with those at a daemon that is not attacked, so two run side by side.
  { name: "attacks", folders: ["tests/attacks"], jobs: 2, tools: false },
  {
    name: "grpc-js",
    folders: GRPC_TESTS,
    jobs: 2,
    tools: true,
    env: { MESH_GRPC_TRANSPORT: "grpc-js" },
  },
];

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

async function runTier(tier: Tier, request: Request, logs: string): Promise<Counts> {
  const targets = await withTests(targetsOf(tier, request.paths));
  if (targets.length === 0) return NOTHING;
  console.log(`== ${tier.name}: ${targets.join(" ")}`);
  const started = performance.now();
  if (tier.tools) await envoyPath();
  if (tier.cluster === true && findGo() !== undefined) await clusterPrograms();
  if (tier.nodes === true && canBuildNodes() && findGo() !== undefined) await nodePrograms();
  const args = ["test", "-A", "--parallel", ...request.flags];
  const { output, success } = await runDeno([...args, ...targets], tier);
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

/** Those of the targets that hold at least one test. */
async function withTests(targets: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const target of targets) {
    const isFile = target.endsWith("_test.ts");
    if (isFile || (await walkFiles(join(ROOT, target), "_test.ts")).length > 0) found.push(target);
  }
  return found;
}

/** Runs Deno, shows its progress, and kills it after {@link SILENCE} without output. */
async function runDeno(
  args: string[],
  tier: Tier,
): Promise<{ output: string; success: boolean }> {
  const child = new Deno.Command(Deno.execPath(), {
    args,
    cwd: ROOT,
    env: { ...tier.env, ...tier.jobs && { DENO_JOBS: String(tier.jobs) } },
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
    isTerminal: Deno.stdout.isTerminal(),
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

async function main(): Promise<number> {
  const request = requestOf(Deno.args);
  const logs = await Deno.makeTempDir({ prefix: "mesh-tests-" });
  let total = NOTHING;
  for (const tier of request.tiers) {
    try {
      total = add(total, await runTier(tier, request, logs));
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
  printEnd(total, logs);
  return exitStatus(total);
}

if (import.meta.main) Deno.exit(await main());
