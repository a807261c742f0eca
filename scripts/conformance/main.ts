/**
 * `deno task conformance`: compares Mesh with the corpora in the folder that `MESH_CORPORA` names.
 * It prints `name passed/total` for each corpus. Cases that differ and are not listed in
 * `docs/conformance.md` are written to standard error and fail the task.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { fromFileUrl } from "../paths.ts";
import { ANALYZERS } from "./analyzers.ts";
import { AUTHZ } from "./authz.ts";
import { BEHAVIOUR } from "./behaviour.ts";
import { BOOTSTRAP } from "./bootstrap.ts";
import { BUG_REPORTS, CONFIG_DUMPS } from "./config_dumps.ts";
import { IPTABLES } from "./capture.ts";
import { CNI } from "./cni.ts";
import { COMMANDS } from "./cli.ts";
import { corporaIn, type Corpus, runCorpus } from "./corpus.ts";
import { disagreements, readDeviations } from "./deviations.ts";
import { SAMPLES, VALIDATION } from "./documents.ts";
import { GATEWAY_STATUS } from "./gateway_status.ts";
import { INGRESS } from "./ingress.ts";
import { INJECTION } from "./injection.ts";
import { WORKLOAD } from "./workload.ts";

const PAGE = fromFileUrl(new URL("../../docs/conformance.md", import.meta.url));

/** Corpora by name. */
const CORPORA: readonly Corpus[] = [
  ANALYZERS,
  AUTHZ,
  BOOTSTRAP,
  BUG_REPORTS,
  CNI,
  COMMANDS,
  CONFIG_DUMPS,
  GATEWAY_STATUS,
  INGRESS,
  INJECTION,
  IPTABLES,
  SAMPLES,
  VALIDATION,
  WORKLOAD,
];

/** Corpora that are not compared, with the reasons. */
const NOT_COMPARED: Readonly<Record<string, string>> = {
  [BEHAVIOUR]: "deno task conformance:behaviour compares it",
  workload: "the commands do not exist yet",
};

/** Exit status when there is nothing to compare with. */
const EXIT_NO_CORPORA = 2;

/** Writes a line. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
}

/** Compares with the corpora below a folder and gives the exit status. */
export async function conformance(
  folder: string,
  page: string,
  { out, err }: Output,
): Promise<number> {
  const deviations = readDeviations(page);
  const wrong: string[] = [];
  const present = corporaIn(folder);
  if (!CORPORA.some(({ name }) => present.includes(name))) {
    throw new MeshError("no-corpus", `the folder ${folder} has no corpus`, {
      remedy: "MESH_CORPORA must name the folder that holds the corpora.",
    });
  }
  for (const name of present.filter((one) => !CORPORA.some((corpus) => corpus.name === one))) {
    out(`${name} not compared: ${NOT_COMPARED[name] ?? "the task does not know it"}`);
  }
  for (const corpus of CORPORA) {
    if (!present.includes(corpus.name)) {
      out(`${corpus.name} not compared: the folder does not have it`);
      continue;
    }
    const outcome = await runCorpus(corpus, folder);
    out(`${corpus.name} ${outcome.total - outcome.failed.size}/${outcome.total}`);
    wrong.push(...disagreements(outcome, deviations));
  }
  const known = new Set([...CORPORA.map(({ name }) => name), BEHAVIOUR]);
  for (const { corpus, name } of deviations) {
    if (!known.has(corpus)) wrong.push(`${corpus}: ${name}: listed, and there is no such corpus`);
  }
  for (const line of wrong) err(`conformance: ${line}`);
  return wrong.length === 0 ? 0 : 1;
}

/** Runs the task and gives the exit status. */
export async function main(folder: string | undefined, output: Output): Promise<number> {
  if (folder === undefined || folder === "") {
    output.err("conformance: MESH_CORPORA is not set; it names the folder with the corpora");
    return EXIT_NO_CORPORA;
  }
  try {
    return await conformance(folder, Deno.readTextFileSync(PAGE), output);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    output.err(`conformance: ${error.message}`);
    if (error.remedy !== undefined) output.err(`conformance: ${error.remedy}`);
    return error.code === "no-corpus" ? EXIT_NO_CORPORA : 1;
  }
}

if (import.meta.main) {
  Deno.exit(await main(Deno.env.get("MESH_CORPORA"), { out: console.log, err: console.error }));
}
