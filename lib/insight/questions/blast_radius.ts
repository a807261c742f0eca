import { dataError, EXIT_FINDINGS, type Io, readInput } from "../../kit/cli/mod.ts";
import { blastMarkdown, type BlastRadius, blastRadius, blastText } from "../offline/mod.ts";
import { checkConfigFiles } from "../../mesh/sources/mod.ts";
import { inputFiles } from "../mesh_input/mod.ts";
import type { MeshContent } from "./offline_files.ts";

/** Options of a comparison. */
export interface DiffOptions {
  readonly files: readonly string[];
  readonly removals: readonly string[];
  /** Default namespace of the documents; empty for `default`. */
  readonly namespace: string;
  readonly readMesh: () => Promise<MeshContent>;
  readonly failOn: string;
  readonly output: string;
  readonly signal: AbortSignal;
}

/** Severity of changes; a threshold includes the worse ones. */
const ORDER = ["proxies", "moved", "allowed", "denied"];

/** Shows the blast radius of a change; the status is 79 at or above the threshold. */
export async function diffFiles(options: DiffOptions, io: Io): Promise<number> {
  const { files, removals, signal } = options;
  const named = await inputFiles(files, false);
  const namespace = options.namespace === "" ? undefined : options.namespace;
  const { objects: added, problems: [fault] } = await checkConfigFiles(named, {
    namespace,
    foreign: () => {},
  });
  if (fault !== undefined) {
    throw dataError(`${fault.file}:${fault.line}: ${fault.message}`, fault.remedy);
  }
  const texts: string[] = [];
  for (const file of named) texts.push(await readInput(file, io));
  const blast = await blastRadius({
    ...await options.readMesh(),
    documents: texts.join("\n---\n"),
    added,
    removals,
    signal,
  });
  io.out(shown(blast, options.output));
  return isAtLeast(blast, options.failOn) ? EXIT_FINDINGS : 0;
}

function shown(blast: BlastRadius, output: string): string {
  switch (output) {
    case "json":
      return `${JSON.stringify(blast, null, 2)}\n`;
    case "markdown":
      return blastMarkdown(blast);
    default:
      return blastText(blast);
  }
}

function isAtLeast({ prediction, requests }: BlastRadius, threshold: string): boolean {
  if (threshold === "never") return false;
  const found = [
    ...(prediction.proxies.concerned > 0 ? ["proxies"] : []),
    ...requests.changes.map(({ change }) => change),
  ];
  return found.some((one) => ORDER.indexOf(one) >= ORDER.indexOf(threshold));
}
