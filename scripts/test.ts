/**
 * `deno task test [TIER…] [PATH…] [FLAGS of deno test]`: runs the tiers of
 * tests one after the other and closes with the line `N passed, N failed`.
 *
 * A test that cannot run here is skipped with `ignore`, and its name ends with
 * the reason in square brackets: `redirects a port [needs root]`. A skip
 * without a reason counts as a failure.
 *
 * @module
 */
import { MeshError } from "../lib/base/mod.ts";
import { fromFileUrl, join, walkFiles } from "./paths.ts";
import { add, closingLine, exitStatus, NOTHING, type Tally, tallyOf } from "./test_report.ts";
import { envoyPath } from "./tools.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** A runner that prints nothing for so long (ms) hangs, and is ended. */
const SILENCE = 600_000;

interface Tier {
  readonly name: string;
  /** Folders whose tests belong to it. */
  readonly folders: readonly string[];
  /** Test files at the same time; `undefined`: one for each core. */
  readonly jobs?: number;
  /** Whether its tests run Envoy. */
  readonly tools: boolean;
  /** Environment variables of its tests. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Tests of the protocol, which run over the second transport for gRPC too. */
const GRPC_TESTS: readonly string[] = [
  "lib/serve/subscription/slow_client_test.ts",
  "lib/serve/subscription/delta_test.ts",
  "lib/serve/subscription/sotw_test.ts",
  "lib/serve/session/load_test.ts",
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
  // One at a time: each measures how long an ordinary proxy waits.
  { name: "attacks", folders: ["tests/attacks"], jobs: 1, tools: false },
  {
    name: "grpc-js",
    folders: GRPC_TESTS,
    jobs: 2,
    tools: true,
    env: { MESH_GRPC_TRANSPORT: "grpc-js" },
  },
];

/** What the arguments ask for. */
export interface Request {
  readonly tiers: readonly Tier[];
  /** Paths that narrow the tiers; empty: all of them. */
  readonly paths: readonly string[];
  /** From the first flag on, for `deno test`. */
  readonly flags: readonly string[];
}

/** Reads the arguments: tiers and paths in any order, then flags. */
export function requestOf(args: readonly string[]): Request {
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

/** What of a tier is to run: its folders, or those of the paths that lie in them. */
export function targetsOf(tier: Tier, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return tier.folders;
  const clean = paths.map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""));
  return clean.filter((path) =>
    tier.folders.some((folder) => path === folder || path.startsWith(`${folder}/`))
  );
}

async function runTier(tier: Tier, request: Request): Promise<Tally> {
  const targets = await withTests(targetsOf(tier, request.paths));
  if (targets.length === 0) return NOTHING;
  console.log(`\n== ${tier.name}: ${targets.join(" ")}`);
  const started = performance.now();
  if (tier.tools) await envoyPath();
  const junit = await Deno.makeTempFile({ prefix: "mesh-junit-", suffix: ".xml" });
  try {
    const args = ["test", "-A", "--parallel", `--junit-path=${junit}`, ...request.flags];
    const { output, success } = await runDeno([...args, ...targets], tier);
    const tally = tallyOf(output, await Deno.readTextFile(junit), success);
    tellSkips(tally);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`== ${tier.name}: ${closingLine(tally)}, in ${seconds} s`);
    return tally;
  } finally {
    await Deno.remove(junit);
  }
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

/** Runs Deno, hands its output through as it comes, and ends it when it falls silent. */
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
  }).spawn();
  const end = (): void => {
    console.error(`== ${tier.name}: nothing printed for ${SILENCE / 1000} s, ended`);
    child.kill("SIGKILL");
  };
  let timer = setTimeout(end, SILENCE);
  let output = "";
  const text = new TextDecoder();
  for await (const chunk of child.stdout) {
    clearTimeout(timer);
    timer = setTimeout(end, SILENCE);
    output += text.decode(chunk, { stream: true });
    await writeAll(chunk);
  }
  const { success } = await child.status;
  clearTimeout(timer);
  return { output, success };
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
}

function tellSkips({ skips }: Tally): void {
  for (const { name, reason } of skips) {
    if (reason !== undefined) console.log(`skipped: ${name}`);
    else console.log(`skipped without a reason, which counts as failed: ${name}`);
  }
}

async function main(): Promise<number> {
  const request = requestOf(Deno.args);
  let total = NOTHING;
  for (const tier of request.tiers) {
    try {
      total = add(total, await runTier(tier, request));
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      console.error(`== ${tier.name}: ${error.message} ${error.remedy ?? ""}`);
      total = add(total, { ...NOTHING, failed: 1 });
    }
  }
  if (total.passed + total.failed === 0) console.error("No test ran.");
  console.log(`\n${closingLine(total)}`);
  return exitStatus(total);
}

if (import.meta.main) Deno.exit(await main());
