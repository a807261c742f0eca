/**
 * Input of commands about installations: charts, documents, settings.
 *
 * @module
 */
import { buildInfo, printable } from "../../kit/base/mod.ts";
import { type Invocation, readInput, usageError } from "../../kit/cli/mod.ts";
import {
  type ChartCapabilities,
  type ChartSet,
  embeddedCharts,
  readChartsFrom,
} from "../charts/mod.ts";
import {
  type InstallPlan,
  type OperatorInput,
  type Problem,
  problemText,
} from "../operator/mod.ts";

/** Longest document, in bytes. */
const MAX_DOCUMENT = 16 * 1024 * 1024;

/** The cluster for which manifests are made where none is asked. */
export const USUAL_CLUSTER: ChartCapabilities = {
  orchVersion: "1.33.0",
  apiVersions: [
    "v1",
    "admissionregistration.k8s.io/v1",
    "apiextensions.k8s.io/v1",
    "apps/v1",
    "authentication.k8s.io/v1",
    "authorization.k8s.io/v1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "certificates.k8s.io/v1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "networking.k8s.io/v1",
    "policy/v1",
    "rbac.authorization.k8s.io/v1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1",
  ],
};

/** The charts of `--manifests`, otherwise those of the program. */
export async function chartsOf({ flags, io }: Pick<Invocation, "flags" | "io">): Promise<ChartSet> {
  const [folder, older] = ["manifests", "charts"].map((name) =>
    flags.has(name) ? flags.string(name) : ""
  );
  if (older !== "") {
    io.err("Warning: --charts is deprecated; use --manifests.\n");
    if (folder !== "" && folder !== older) {
      throw usageError("--charts and --manifests name two folders", "Give --manifests alone.");
    }
  }
  const chosen = folder || older || "";
  return chosen === "" ? embeddedCharts() : await readChartsFrom(chosen);
}

/** Differences of a call from what its flags say. */
export interface InputChange {
  readonly capabilities?: ChartCapabilities;
  readonly lookup?: OperatorInput["lookup"];
  /** Documents under those of the call. */
  readonly before?: OperatorInput["files"];
  /** Names of the files; default: those of the flag. */
  readonly names?: readonly string[];
}

/** The input of a plan, from the flags `filename`, `set`, `revision`, `force`, `manifests`, `charts`. */
export async function operatorInput(
  call: Pick<Invocation, "flags" | "io">,
  { capabilities = USUAL_CLUSTER, lookup, before = [], names: files }: InputChange = {},
): Promise<OperatorInput> {
  const { flags, io } = call;
  const names = files ?? flags.list("filename");
  if (names.filter((name) => name === "-").length > 1) {
    throw usageError("standard input can be read once", "Give - once.");
  }
  const read = [];
  for (const name of names) read.push({ name, text: await readInput(name, io, MAX_DOCUMENT) });
  return {
    charts: await chartsOf(call),
    files: [...before, ...read],
    set: [...namespaceSetting(flags), ...flags.has("set") ? flags.list("set") : []],
    revision: flags.has("revision") ? flags.string("revision") : "",
    capabilities,
    lookup,
    isForced: flags.has("force") && flags.bool("force"),
    version: buildInfo.version,
  };
}

/** `--meshNamespace`, if it is given; `--set namespace=` may say otherwise. */
function namespaceSetting(flags: Invocation["flags"]): readonly string[] {
  return flags.given.has("meshNamespace") ? [`namespace=${flags.string("meshNamespace")}`] : [];
}

/** Writes problems and warnings; returns true if there are problems. */
export function reportPlan(
  { problems, warnings }: Pick<InstallPlan, "problems" | "warnings">,
  { io, flags }: Pick<Invocation, "flags" | "io">,
): boolean {
  for (const warning of warnings) io.err(lineOf("Warning", warning));
  for (const problem of problems) io.err(lineOf("Error", problem));
  const isForcible = problems.length > 0 && flags.has("force") && !flags.bool("force");
  if (isForcible) io.err("Give --force to go on despite problems of validation.\n");
  return problems.length > 0;
}

function lineOf(word: string, problem: Problem): string {
  return `${word}: ${printable(problemText(problem))}. ${printable(problem.remedy)}\n`;
}
