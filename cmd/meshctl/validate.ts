import { MeshError, messageOf, printable } from "../../lib/base/mod.ts";
import { EXIT_FAILURE, type Io } from "../../lib/cli/mod.ts";
import { hintWorkloads, parseConfigDocuments, type SchemaProblem } from "../../lib/schema/mod.ts";
import { type ConfigFile, readConfigFiles } from "../../lib/sources/mod.ts";
import { decodeUtf8, DEFAULT_YAML_LIMITS } from "../../lib/text/mod.ts";

/** Options of a validation. */
export interface ValidateOptions {
  /** Files, directories, `-` for standard input. */
  readonly files: readonly string[];
  /** Namespace of objects that name none; empty for `default`. */
  readonly namespace: string;
  /** Namespace of the mesh's own workloads, which get no hints. */
  readonly meshNamespace: string;
}

/** Namespaces of the orchestrator, whose workloads get no hints. */
const SYSTEM_NAMESPACES = ["kube-system", "kube-public", "kube-node-lease"];

/**
 * Validates files and reports which are valid. Warnings are written at once, problems together at
 * the end. Returns the exit status.
 *
 * @throws {MeshError} if no file is named.
 */
export async function validate(options: ValidateOptions, io: Io): Promise<number> {
  if (options.files.length === 0) {
    throw new MeshError("filename-missing", "you must specify resources by --filename", {
      remedy:
        "For example: meshctl validate -f routes.yaml, -f directory/ or -f - for standard input.",
    });
  }
  const errors: string[] = [];
  const valid: string[] = [];
  for await (const file of readConfigFiles(options.files, DEFAULT_YAML_LIMITS.fileBytes)) {
    const found = checkFile(file, options, io);
    if (found.length === 0) valid.push(file.name);
    errors.push(...found);
  }
  if (errors.length > 0) {
    const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
    io.err(`Error: ${count} occurred:\n${errors.map((text) => `\t* ${text}\n`).join("")}\n`);
    return EXIT_FAILURE;
  }
  if (valid.length === 0) io.err("Warning: there is no .yaml, .yml or .json file to check\n");
  for (const name of valid) io.out(`"${printable(name)}" is valid\n`);
  return 0;
}

/** Errors of one file as lines; warnings are written at once. */
function checkFile(file: ConfigFile, options: ValidateOptions, io: Io): string[] {
  if (file.fault !== undefined) return [printable(`${file.name}: ${file.fault}`)];
  const { namespace, meshNamespace } = options;
  try {
    const { problems, warnings } = parseConfigDocuments(
      decodeUtf8(file.bytes),
      file.name,
      DEFAULT_YAML_LIMITS,
      {
        ...(namespace === "" ? {} : { namespace }),
        foreign: hintWorkloads(new Set([...SYSTEM_NAMESPACES, meshNamespace])),
      },
    );
    for (const warning of warnings) io.err(`Warning: ${told(warning)}\n`);
    return problems.map(told);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    return [printable(`${file.name}: ${messageOf(error)}`)];
  }
}

/** `Kind/namespace/name: path: what is wrong (file:line:column). What to do.` */
function told(problem: SchemaProblem): string {
  const { object, path, message, remedy, file, line, column } = problem;
  const name = object === undefined ? "" : `${object.kind}/${object.namespace}/${object.name}: `;
  const at = path === "" ? "" : `${path}: `;
  return printable(`${name}${at}${message} (${file}:${line}:${column}). ${remedy}`);
}
