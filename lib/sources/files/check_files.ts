/**
 * Checks configuration files as a daemon that reads them would: the same documents are rejected,
 * with the same problems.
 *
 * @module
 */
import type { ConfigObject } from "../../model/mod.ts";
import type { ReadOptions, SchemaProblem } from "../../schema/mod.ts";
import { DEFAULT_YAML_LIMITS } from "../../text/mod.ts";
import { type ConfigFile, readConfigFiles } from "./config_files.ts";
import { createFileIndex, type FileIndex } from "./file_index.ts";
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
}

/**
 * Reads and checks files as one set, in which an object is defined once.
 *
 * @param names files, directories, `-` for standard input
 */
export async function checkConfigFiles(
  names: readonly string[],
  options: ReadOptions = {},
): Promise<CheckedFiles> {
  const index = createFileIndex();
  const files = new Set<string>();
  for await (const file of readConfigFiles(names, DEFAULT_YAML_LIMITS.fileBytes)) {
    files.add(file.name);
    await addFile(index, file, options);
  }
  index.takeChanges();
  return {
    files: [...files],
    problems: index.problems(),
    warnings: index.warnings(),
    objects: index.objects(),
  };
}

async function addFile(index: FileIndex, file: ConfigFile, options: ReadOptions): Promise<void> {
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
