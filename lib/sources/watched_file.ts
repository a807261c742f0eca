/**
 * One file, parsed whole, followed as it changes: mesh configuration and
 * networks.
 *
 * @module
 */
import { hash, MeshError } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { encode } from "../proto/mod.ts";
import {
  defaultMeshConfig,
  defaultMeshNetworks,
  type ParsedMessage,
  parseMeshConfig,
  parseMeshNetworks,
  type SchemaProblem,
} from "../schema/mod.ts";
import { decodeUtf8, DEFAULT_YAML_LIMITS } from "../text/mod.ts";
import { fileProblem } from "./file_reader.ts";
import { diskIo, type Io } from "./io.ts";
import type { SourceProblem } from "./ledger.ts";
import { createNotices } from "./notices.ts";
import { DEFAULT_TIMING, startPulse, type Timing } from "./pulse.ts";
import { reason } from "./walk.ts";
import { watchBeside } from "./watch.ts";

const log = scope("file");

/** What watching a file needs. */
export interface WatchedFileOptions<T> {
  readonly path: string;
  /** Whether the path was asked for: then it must exist at the start. */
  readonly explicit?: boolean;
  /** Called when the content changed in meaning. Must not throw. */
  readonly onChange: (value: T) => void;
  readonly timing?: Partial<Timing>;
  /** For tests. */
  readonly io?: Io;
}

/** A file that is being watched. */
export interface WatchedFile<T> {
  /** What holds now: the file's content, its last good content, or the built-in default. */
  current(): T;
  /** Whether the file was there when it was looked for last. */
  found(): boolean;
  problems(): readonly SourceProblem[];
  warnings(): readonly SchemaProblem[];
  /** Looks at the file now. */
  rescan(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Reads and watches the mesh configuration. A missing file gives the built-in
 * configuration; once there was one, its last good content is kept.
 *
 * @throws {MeshError} `file-missing` when an explicit path is not there, and the
 * code of the first problem when the content at the start is bad: there is no
 * good one to go on with.
 */
export function watchMeshConfig(
  options: WatchedFileOptions<MeshConfig>,
): Promise<WatchedFile<MeshConfig>> {
  return watchFile(options, {
    what: "mesh configuration",
    fallback: defaultMeshConfig(),
    parse: (text, file) => parseMeshConfig(text, file),
    digest: (config) => hash(encode(MeshConfigSchema, config)),
  });
}

/** Reads and watches the networks, as {@linkcode watchMeshConfig} does the mesh configuration. */
export function watchNetworks(
  options: WatchedFileOptions<MeshNetworks>,
): Promise<WatchedFile<MeshNetworks>> {
  return watchFile(options, {
    what: "networks configuration",
    fallback: defaultMeshNetworks(),
    parse: (text, file) => parseMeshNetworks(text, file),
    digest: (networks) => hash(encode(MeshNetworksSchema, networks)),
  });
}

/** What is special about a file's content. */
interface Format<T> {
  readonly what: string;
  readonly fallback: T;
  readonly parse: (text: string, file: string) => ParsedMessage<T>;
  /** Equal values have equal digests. */
  readonly digest: (value: T) => string;
}

async function watchFile<T>(
  options: WatchedFileOptions<T>,
  format: Format<T>,
): Promise<WatchedFile<T>> {
  const { path, onChange, io = diskIo } = options;
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const notices = createNotices();
  const state = createState(path, io, format);
  await state.look();
  if (!state.found() && options.explicit) throw missingFile(path, format.what);
  if (!state.found()) log.info(`no ${format.what} file, using the built-in one`, { path });
  refuseBadStart(state.problems());
  notices.tell([], state.warnings());

  const watch = watchBeside(path, io, () => pulse.poke());
  const pulse = startPulse(async () => {
    await watch.refresh();
    const outcome = await state.look(timing.quiet);
    notices.tell(state.problems(), state.warnings());
    if (outcome === "busy") pulse.poke();
    if (outcome === "changed") onChange(state.current());
  }, timing);
  await watch.refresh();
  return {
    current: state.current,
    found: state.found,
    problems: state.problems,
    warnings: state.warnings,
    rescan: () => pulse.run(),
    async close() {
      await pulse.close();
      watch.close();
    },
  };
}

interface State<T> extends Pick<WatchedFile<T>, "current" | "found" | "problems" | "warnings"> {
  /** Reads the file, unless it was changed less than `settleMs` ago and may be half written. */
  look(settleMs?: number): Promise<"changed" | "same" | "busy">;
}

function createState<T>(path: string, io: Io, format: Format<T>): State<T> {
  let current = format.fallback;
  let digest = format.digest(current);
  /** Digest of the content that was read last; empty when something else came between. */
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
        return accept(format.parse(decodeUtf8(bytes), path));
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

function refuseBadStart(problems: readonly SourceProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const at = first.path === "" ? "" : ` ${first.path}:`;
  const message = `${first.file}:${first.line}:${first.column}:${at} ${first.message}`;
  throw new MeshError(first.code, message, { remedy: first.remedy });
}

function lookProblem(path: string, error: unknown): SourceProblem {
  const remedy = "Bring it back; until then its last good content holds.";
  const [code, message] = error instanceof MeshError
    ? [error.code, error.message]
    : error instanceof Deno.errors.NotFound
    ? ["file-missing", "the file is gone"]
    : ["file-unreadable", reason(error)];
  return { ...fileProblem(path, code, message, remedy), lastGoodServes: true };
}
