import {
  analyzerList,
  annotatedSuppressions,
  isAtLeast,
  type Level,
  logLine,
  type Message,
  messageJson,
  messageOfProblem,
  parseSuppression,
  sarifLog,
  selectMessages,
  type Suppression,
} from "../analyze/mod.ts";
import { buildInfo, MeshError, printable } from "../../kit/base/mod.ts";
import {
  EXIT_DATA,
  EXIT_FINDINGS,
  type Io,
  painter,
  readInput,
  usageError,
} from "../../kit/cli/mod.ts";
import { defaultMeshConfig, parseMeshConfig } from "../../mesh/schema/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import { inputFiles, type LiveObjects } from "../mesh_input/mod.ts";
import { type FileMessages, fileMessages } from "./file_messages.ts";

/** Options of an analysis. */
export interface AnalyzeOptions {
  /** Files, directories, `-` for standard input. */
  readonly files: readonly string[];
  readonly recursive: boolean;
  /** Default namespace of objects, and the one whose messages are shown; empty: all. */
  readonly namespace: string;
  /** False: nobody chose the namespace, so that those of the objects in files are shown, too. */
  readonly isChosen?: boolean;
  readonly allNamespaces: boolean;
  readonly meshNamespace: string;
  /** Empty: the default mesh configuration. */
  readonly meshConfigFile: string;
  readonly suppress: readonly string[];
  readonly failureThreshold: Level;
  readonly outputThreshold: Level;
  readonly output: "log" | "json" | "yaml" | "sarif";
  readonly ignoreUnknown: boolean;
  readonly color: boolean;
  readonly verbose: boolean;
  /** The objects of a cluster; files replace those of the same name. */
  readonly live?: LiveObjects;
}

/** Writes the list of analyzers. */
export function listAnalyzers(io: Io): number {
  io.out(analyzerList());
  return 0;
}

/**
 * Analyzes files as one set and returns the exit status: 79 for a message at or above the
 * threshold, 65 for documents that cannot be read.
 *
 * @throws {MeshError} for wrong options
 */
export async function analyze(options: AnalyzeOptions, io: Io): Promise<number> {
  const { live } = options;
  const suppressions = options.suppress.map(suppressionOf);
  const own = options.namespace === "" ? undefined : options.namespace;
  const found = await fileMessages({
    files: await inputFiles(options.files, options.recursive),
    namespace: own,
    meshNamespace: options.meshNamespace,
    mesh: options.meshConfigFile === "" && live?.mesh !== undefined
      ? live.mesh
      : await meshConfigOf(options.meshConfigFile, io),
    assumeGateway: true,
    all: options.verbose,
    live,
  });
  const messages = selectMessages(found.messages, {
    suppressions,
    annotated: annotatedSuppressions(found.seen, own),
    namespaces: shownNamespaces(options, found),
  });
  const unreadable = options.ignoreUnknown
    ? []
    : found.unreadable.map((one) => messageOfProblem(one, true));
  const shown = messages.filter(({ level }) => isAtLeast(level, options.outputThreshold));
  for (const one of unreadable) writeUnreadable(one, io);
  write(options.output === "log" ? shown : [...unreadable, ...shown], options, io);
  if (options.output === "log") writeRest(found, shown.length + unreadable.length, options, io);
  if (messages.some(({ level }) => isAtLeast(level, options.failureThreshold))) {
    io.err(`Analyzers found issues when analyzing ${targetOf(options)}.\n`);
    io.err("See docs/analysis.md for more information about causes and resolutions.\n");
    return EXIT_FINDINGS;
  }
  return unreadable.length > 0 ? EXIT_DATA : 0;
}

/** The namespaces whose messages are shown; unset: all. Without a choice, files show their own ones, too. */
function shownNamespaces(
  { allNamespaces, namespace, isChosen, files, live }: AnalyzeOptions,
  { namespaces }: FileMessages,
): readonly string[] | undefined {
  if (allNamespaces || namespace === "") return undefined;
  const isOfFiles = isChosen === false && live !== undefined && files.length > 0;
  return isOfFiles ? [namespace, ...namespaces] : [namespace];
}

function suppressionOf(text: string): Suppression {
  const found = parseSuppression(text);
  if (typeof found === "string") throw usageError(`--suppress: ${found}`);
  return found;
}

async function meshConfigOf(file: string, io: Io): Promise<ReturnType<typeof defaultMeshConfig>> {
  if (file === "") return defaultMeshConfig();
  const { value, problems } = parseMeshConfig(await readInput(file, io), file);
  if (value !== undefined) return value;
  const [first] = problems;
  throw new MeshError("mesh-config", `${file}:${first?.line}: ${first?.message}`, {
    remedy: first?.remedy,
  });
}

function writeUnreadable({ file, line, column, message, remedy }: Message, io: Io): void {
  io.err(printable(`Error: ${file}:${line}:${column}: ${message}. ${remedy}`) + "\n");
}

/** Writes what was not checked or left out, and that nothing was found if all was read. */
function writeRest(
  { unchecked, unreadable }: FileMessages,
  count: number,
  options: AnalyzeOptions,
  io: Io,
): void {
  for (const part of unchecked) io.err(`Note: not checked: ${part}\n`);
  const isLeftOut = options.ignoreUnknown && unreadable.length > 0;
  if (isLeftOut) {
    const number = unreadable.length === 1 ? "1 mistake" : `${unreadable.length} mistakes`;
    io.err(`Note: documents that cannot be read are left out (${number}, --ignore-unknown)\n`);
  }
  if (count > 0) return;
  const found = isLeftOut
    ? "No validation issues found in what could be read"
    : "✔ No validation issues found";
  io.err(`${found} when analyzing ${targetOf(options)}.\n`);
}

function targetOf({ files, allNamespaces, namespace, live }: AnalyzeOptions): string {
  const sources = [...files.length > 0 ? [files.join(", ")] : [], ...live ? ["the cluster"] : []];
  const names = printable(sources.join(" and "));
  const isWhole = allNamespaces || namespace === "";
  if (isWhole) return live === undefined ? names : `all namespaces of ${names}`;
  return `namespace ${printable(namespace)} of ${names}`;
}

function write(messages: readonly Message[], options: AnalyzeOptions, io: Io): void {
  switch (options.output) {
    case "json":
      return io.out(`${JSON.stringify(messages.map(messageJson), null, "\t")}\n`);
    case "yaml":
      return io.out(toYaml(messages.map(messageJson)));
    case "sarif":
      return io.out(`${JSON.stringify(sarifLog(messages, buildInfo.version), null, 2)}\n`);
    case "log": {
      const paint = painter(io, "out", options.color);
      const styles = { Error: "red", Warning: "yellow", Info: "dim" } as const;
      for (const one of messages) {
        io.out(logLine(one, (level, text) => paint(styles[level], text), options.verbose));
      }
    }
  }
}
