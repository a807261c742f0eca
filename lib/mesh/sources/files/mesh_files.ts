/**
 * Files with one document that are followed as they change: mesh configuration and networks.
 *
 * @module
 */
import { inTurns } from "../../../kit/async/mod.ts";
import { hash, MeshError } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { encode } from "../../../kit/proto/mod.ts";
import {
  defaultMeshConfig,
  defaultMeshNetworks,
  type ParsedMessage,
  parseMeshConfigInSteps,
  parseMeshNetworks,
  type SchemaProblem,
} from "../../schema/mod.ts";
import { decodeUtf8, DEFAULT_YAML_LIMITS } from "../../../kit/text/mod.ts";
import { fileProblem } from "./read_documents.ts";
import { diskIo, type Io } from "./io.ts";
import { createListeners, type Followed } from "../followed.ts";
import type { SourceProblem } from "./source_problem.ts";
import { createProblemReporter } from "./problem_reporter.ts";
import { DEFAULT_TIMING, type ScanTiming, startScanScheduler } from "./scan_scheduler.ts";
import { reason } from "./walk.ts";
import { watchBeside } from "./watch.ts";

const log = scope("file");

/** Settings of a watched file. */
export interface WatchedFileOptions {
  readonly path: string;
  /** True when the path was given by a flag: the file must then exist at the start. */
  readonly explicit?: boolean;
  readonly timing?: Partial<ScanTiming>;
  /** For tests. */
  readonly io?: Io;
}

/**
 * A file that is watched. Its value is the content of the file, its last good content, or the
 * built-in default; listeners are notified of changes in meaning.
 */
export interface WatchedFile<T> extends Followed<T> {
  /** True when the file existed at the last look. */
  found(): boolean;
  problems(): readonly SourceProblem[];
  warnings(): readonly SchemaProblem[];
  /** Reads the file now. */
  rescan(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Reads and watches the mesh configuration. Without a file it is the built-in configuration; when
 * the file disappears, its last good content stays in use.
 *
 * @throws {MeshError} `file-missing` when an explicit path does not exist; the code of the first
 * problem when the content is faulty at the start, as there is no last good one
 */
export function watchMeshConfig(
  options: WatchedFileOptions,
): Promise<WatchedFile<MeshConfig>> {
  return watchFile(options, {
    what: "mesh configuration",
    fallback: defaultMeshConfig(),
    parse: (text, file) => inTurns(parseMeshConfigInSteps(text, file)),
    digest: (config) => hash(encode(MeshConfigSchema, config)),
  });
}

/** Reads and watches the networks, as {@linkcode watchMeshConfig} does for the mesh configuration. */
export function watchNetworks(
  options: WatchedFileOptions,
): Promise<WatchedFile<MeshNetworks>> {
  return watchFile(options, {
    what: "networks configuration",
    fallback: defaultMeshNetworks(),
    parse: (text, file) => Promise.resolve(parseMeshNetworks(text, file)),
    digest: (networks) => hash(encode(MeshNetworksSchema, networks)),
  });
}

/** Format of a file's content. */
interface Format<T> {
  readonly what: string;
  readonly fallback: T;
  readonly parse: (text: string, file: string) => Promise<ParsedMessage<T>>;
  /** Equal values have equal digests. */
  readonly digest: (value: T) => string;
}

async function watchFile<T>(
  options: WatchedFileOptions,
  format: Format<T>,
): Promise<WatchedFile<T>> {
  const { path, io = diskIo } = options;
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const reporter = createProblemReporter();
  const listeners = createListeners<T>();
  const state = createState(path, io, format);
  await state.look();
  if (!state.found() && options.explicit) throw missingFile(path, format.what);
  if (!state.found()) log.info(`no ${format.what} file, using the built-in one`, { path });
  throwFirst(state.problems());
  reporter.report([], state.warnings());

  const watch = watchBeside(path, io, () => scheduler.trigger());
  const scheduler = startScanScheduler(async () => {
    await watch.refresh();
    const outcome = await state.look(timing.quiet);
    reporter.report(state.problems(), state.warnings());
    if (outcome === "busy") scheduler.trigger();
    if (outcome === "changed") listeners.notify(state.current());
  }, timing);
  await watch.refresh();
  return {
    current: state.current,
    subscribe: listeners.subscribe,
    found: state.found,
    problems: () => reporter.dated(state.problems()),
    warnings: state.warnings,
    rescan: () => scheduler.run(),
    async close() {
      await scheduler.close();
      watch.close();
    },
  };
}

interface State<T> extends Pick<WatchedFile<T>, "current" | "found" | "problems" | "warnings"> {
  /** Reads the file, unless it was written to less than `settleMs` ago and may be incomplete. */
  look(settleMs?: number): Promise<"changed" | "same" | "busy">;
}

function createState<T>(path: string, io: Io, format: Format<T>): State<T> {
  let current = format.fallback;
  let digest = format.digest(current);
  /** Digest of the content that was read last; empty after a failed read. */
  let content: string | undefined;
  let found = false;
  let problems: readonly SourceProblem[] = [];
  let warnings: readonly SchemaProblem[] = [];

  const accept = (parsed: ParsedMessage<T>): "changed" | "same" => {
    problems = parsed.problems.map((problem) => ({ ...problem, lastGoodServes: true }));
    warnings = parsed.warnings;
    const next = parsed.value === undefined ? digest : format.digest(parsed.value);
    if (parsed.value === undefined || next === digest) return "same";
    digest = next;
    current = parsed.value;
    return "changed";
  };
  return {
    current: () => current,
    found: () => found,
    problems: () => problems,
    warnings: () => warnings,
    async look(settleMs = 0) {
      try {
        const age = Date.now() - (await io.stat(path)).modified;
        found = true;
        if (age >= 0 && age < settleMs) return "busy";
        const bytes = await io.read(path, DEFAULT_YAML_LIMITS.fileBytes);
        const next = hash(bytes);
        if (next === content) return "same";
        content = next;
        return accept(await format.parse(decodeUtf8(bytes), path));
      } catch (error) {
        const missing = error instanceof Deno.errors.NotFound;
        found = !missing;
        problems = missing && content === undefined ? [] : [lookProblem(path, error)];
        if (content !== undefined) content = "";
        return "same";
      }
    },
  };
}

function missingFile(path: string, what: string): MeshError {
  return new MeshError("file-missing", `there is no ${what} at ${path}`, {
    remedy: "Create the file, or leave the flag out to use the built-in default.",
  });
}

function throwFirst(problems: readonly SourceProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const at = first.path === "" ? "" : ` ${first.path}:`;
  const message = `${first.file}:${first.line}:${first.column}:${at} ${first.message}`;
  throw new MeshError(first.code, message, { remedy: first.remedy });
}

function lookProblem(path: string, error: unknown): SourceProblem {
  const remedy = "Restore it; until then its last good content stays in use.";
  const [code, message] = error instanceof MeshError
    ? [error.code, error.message]
    : error instanceof Deno.errors.NotFound
    ? ["file-missing", "the file is gone"]
    : ["file-unreadable", reason(error)];
  return { ...fileProblem(path, code, message, remedy), lastGoodServes: true };
}
