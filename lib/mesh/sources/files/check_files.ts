/**
 * Checks configuration files as a daemon that reads them would: the same documents are rejected,
 * with the same problems.
 *
 * @module
 */
import type { ConfigObject } from "../../model/mod.ts";
import type { DocumentOptions, SchemaProblem } from "../../schema/mod.ts";
import {
  decodeUtf8,
  DEFAULT_YAML_LIMITS,
  type Position,
  readYaml,
  type YamlDocument,
} from "../../../kit/text/mod.ts";
import { type ConfigFile, readConfigFiles } from "./config_files.ts";
import { createFileIndex, type FileIndex } from "./file_index.ts";
import { pathSteps } from "./path_steps.ts";
import { fileProblem, readDocuments, unusableFile } from "./read_documents.ts";

/** The result of checking files as one set. */
export interface CheckedFiles {
  /** Names of the files that were read, in order. */
  readonly files: readonly string[];
  /** Reasons of the rejected documents and files, sorted by file and line. */
  readonly problems: readonly SchemaProblem[];
  /** Sorted by file and line. */
  readonly warnings: readonly SchemaProblem[];
  /** Objects that a daemon would use. */
  readonly objects: readonly ConfigObject[];
  /**
   * The position of a field of an object that begins at a line of a file; `undefined` when the
   * document is not found.
   *
   * @param path such as `spec.http[0].route[0].destination.host`
   */
  locate(file: string, line: number, path: string): Position | undefined;
}

/**
 * Reads and checks files as one set, in which an object is defined once.
 *
 * @param names files, directories, `-` for standard input
 */
export async function checkConfigFiles(
  names: readonly string[],
  options: DocumentOptions = {},
): Promise<CheckedFiles> {
  const index = createFileIndex();
  const files = new Set<string>();
  const texts = new Map<string, Uint8Array>();
  for await (const file of readConfigFiles(names, DEFAULT_YAML_LIMITS.fileBytes)) {
    files.add(file.name);
    if (file.bytes !== undefined) texts.set(file.name, file.bytes);
    await addFile(index, file, options);
  }
  index.takeChanges();
  return {
    files: [...files],
    problems: index.problems(),
    warnings: index.warnings(),
    objects: index.objects(),
    locate: createLocator(texts),
  };
}

/** Finds positions in files; a file is parsed when something in it is looked for. */
function createLocator(texts: ReadonlyMap<string, Uint8Array>): CheckedFiles["locate"] {
  const parsed = new Map<string, ReadonlyMap<number, YamlDocument>>();
  return (file, line, path) => {
    const bytes = texts.get(file);
    if (bytes === undefined) return undefined;
    const documents = parsed.get(file) ?? new Map(
      [...readYaml(decodeUtf8(bytes), DEFAULT_YAML_LIMITS)]
        .flatMap(({ document }) => document === undefined ? [] : [[document.line, document]]),
    );
    parsed.set(file, documents);
    return documents.get(line)?.locate(pathSteps(path));
  };
}

async function addFile(
  index: FileIndex,
  file: ConfigFile,
  options: DocumentOptions,
): Promise<void> {
  const { name } = file;
  if (file.fault !== undefined) {
    const remedy = "Name a file or directory that can be read.";
    return void index.refuse(name, fileProblem(name, "file-unreadable", file.fault, remedy));
  }
  try {
    index.put(name, await readDocuments(file.bytes, name, DEFAULT_YAML_LIMITS, options));
  } catch (error) {
    index.refuse(name, unusableFile(name, error));
  }
}
