import {
  analyzeFileSet,
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
import type { ListItem } from "../../kit/orch/mod.ts";
import {
  defaultMeshConfig,
  type ObjectIdentity,
  parseMeshConfig,
  type SeenDocument,
} from "../../mesh/schema/mod.ts";
import { checkConfigFiles, type CheckedFiles } from "../../mesh/sources/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import { inputFiles, type LiveObjects } from "../mesh_input/mod.ts";

/** Options of an analysis. */
export interface AnalyzeOptions {
  /** Files, directories, `-` for standard input. */
  readonly files: readonly string[];
  readonly recursive: boolean;
  /** Default namespace of objects, and the only one whose messages are shown; empty: all. */
  readonly namespace: string;
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

/** The DNS suffix of a mesh that does not set another one. */
const DOMAIN = "cluster.local";

/** Warnings of single documents that analysis says better, or that are about other programs. */
const LEFT_OUT: ReadonlySet<string> = new Set(["ignored-kind", "unsupported-kind", "unreachable"]);

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
  const { files, namespace, allNamespaces } = options;
  const suppressions = options.suppress.map(suppressionOf);
  const { live } = options;
  const mesh = options.meshConfigFile === "" && live?.mesh !== undefined
    ? live.mesh
    : await meshConfigOf(options.meshConfigFile, io);
  const own = namespace === "" ? undefined : namespace;
  const seen: SeenDocument[] = [];
  const { certificateFault } = await import("../../kit/pki/mod.ts");
  const checked = await checkConfigFiles(await inputFiles(files, options.recursive), {
    namespace: own,
    seen: (one) => void seen.push(one),
  });
  const below = without(live, seen, own);
  const merged = [...below.seen, ...seen];
  const found = analyzeFileSet({
    ...{ mesh, namespace: own, domain: DOMAIN, seen: merged },
    ...(live === undefined ? {} : { remotes: live.remotes, cluster: live.cluster }),
    objects: [...below.objects, ...checked.objects],
    meshNamespace: options.meshNamespace,
    assumeGateway: live === undefined,
    all: options.verbose,
    certificateFault: (pem) => certificateFault(pem, Date.now()),
    now: () => performance.now(),
  }).map((one) => ({ ...one, ...checked.locate(one.file, one.line, one.path) }));
  const unreadable = checked.problems.filter(isUnreadable);
  const rejected = below.problems.map((one) => messageOfProblem(one, true));
  const all = [...rejected, ...schemaMessages(checked), ...found];
  const messages = selectMessages(all, {
    suppressions,
    annotated: annotatedSuppressions(merged, own),
    namespace: allNamespaces ? undefined : own,
  });
  if (!options.ignoreUnknown) writeUnreadable(unreadable, io);
  write(messages.filter(({ level }) => isAtLeast(level, options.outputThreshold)), options, io);
  if (messages.some(({ level }) => isAtLeast(level, options.failureThreshold))) {
    io.err(`Analyzers found issues when analyzing ${targetOf(options)}.\n`);
    io.err("See docs/analysis.md for more information about causes and resolutions.\n");
    return EXIT_FINDINGS;
  }
  return unreadable.length > 0 && !options.ignoreUnknown ? EXIT_DATA : 0;
}

/** The objects of a cluster without those that files replace. */
function without(
  live: LiveObjects | undefined,
  files: readonly SeenDocument[],
  namespace: string | undefined,
): Pick<LiveObjects, "objects" | "seen" | "problems"> {
  if (live === undefined) return { objects: [], seen: [], problems: [] };
  const replaced = new Set(files.flatMap((one) => identityOf(one, namespace) ?? []));
  const isKept = (identity: ObjectIdentity | undefined): boolean =>
    identity === undefined || !replaced.has(idOf(identity));
  return {
    objects: live.objects.filter(({ meta }) => isKept(meta)),
    seen: live.seen.filter((one) => !replaced.has(identityOf(one, namespace) ?? "")),
    problems: live.problems.filter(({ object }) => isKept(object)),
  };
}

/** Kind, namespace and name of a document; `undefined` for one without. */
function identityOf({ value }: SeenDocument, namespace = "default"): string | undefined {
  const { kind, metadata } = (value ?? {}) as Partial<ListItem>;
  if (kind === undefined || metadata?.name === undefined) return undefined;
  return idOf({ kind, namespace: metadata.namespace ?? namespace, name: metadata.name });
}

function idOf({ kind, namespace, name }: ObjectIdentity): string {
  return JSON.stringify([kind, namespace, name]);
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

/** True for a problem of a document that is not known to be an object of the mesh. */
function isUnreadable({ object, code }: CheckedFiles["problems"][number]): boolean {
  return object === undefined || code === "unknown-kind";
}

function schemaMessages({ problems, warnings }: CheckedFiles): Message[] {
  return [
    ...problems.filter((one) => !isUnreadable(one)).map((one) => messageOfProblem(one, true)),
    ...warnings.filter(({ code }) => !LEFT_OUT.has(code))
      .map((one) => messageOfProblem(one, false)),
  ];
}

function writeUnreadable(problems: CheckedFiles["problems"], io: Io): void {
  for (const { file, line, column, message, remedy } of problems) {
    io.err(printable(`Error: ${file}:${line}:${column}: ${message}. ${remedy}`) + "\n");
  }
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
      if (messages.length > 0) return;
      io.err(`✔ No validation issues found when analyzing ${targetOf(options)}.\n`);
    }
  }
}
