/**
 * Positions of fields in files that were read before. Only the documents with such a field are
 * parsed again.
 *
 * @module
 */
import { resolve } from "node:path";
import {
  decodeUtf8,
  DEFAULT_YAML_LIMITS,
  type Position,
  readYaml,
  type YamlDocument,
} from "../../../kit/text/mod.ts";
import { diskIo, type Io } from "./io.ts";
import { pathSteps } from "./path_steps.ts";

/** A field of an object from a file. */
export interface FieldOfFile {
  /** The file of the object's origin. */
  readonly file: string;
  /** 1-based line of the document's first key. */
  readonly line: number;
  /** For example `spec.http[0].route[0].destination.host`. */
  readonly path: string;
}

/** Settings of {@linkcode fieldPositions}. */
export interface FieldOptions {
  /** Folder of relative file names. */
  readonly home: string;
  /** For tests. */
  readonly io?: Pick<Io, "read">;
  /** For tests. */
  readonly read?: typeof readYaml;
}

/**
 * The positions of fields, in the order of the fields; `undefined` for a document that has gone from
 * its line, is part of a list, or whose file cannot be read.
 */
export async function fieldPositions(
  fields: readonly FieldOfFile[],
  { home, io = diskIo, read = readYaml }: FieldOptions,
): Promise<(Position | undefined)[]> {
  const found = new Map<FieldOfFile, Position | undefined>();
  for (const [file, ofFile] of Map.groupBy(fields, (one) => one.file)) {
    const lines = await linesOf(resolve(home, file), io);
    if (lines === undefined) continue;
    // A large document may have a thousand such fields.
    for (const [line, ofDocument] of Map.groupBy(ofFile, (one) => one.line)) {
      const document = documentAt(lines, line, read);
      for (const field of ofDocument) found.set(field, document && positionIn(document, field));
    }
  }
  return fields.map((field) => found.get(field));
}

async function linesOf(file: string, io: Pick<Io, "read">): Promise<string[] | undefined> {
  try {
    return decodeUtf8(await io.read(file, DEFAULT_YAML_LIMITS.fileBytes)).split("\n");
  } catch {
    // The position of the object is used.
    return undefined;
  }
}

/** The end of a document in a stream (YAML 1.2, section 9.2). */
const END = /^(---|\.\.\.)(\s|$)/;

/** The document whose first key is in a line, 1-based; undefined for an item of a list. */
function documentAt(
  lines: readonly string[],
  line: number,
  read: typeof readYaml,
): YamlDocument | undefined {
  const first = line - 1;
  // An item of a list begins with an indent or a dash; its document begins elsewhere.
  if (!/^[^\s-]/.test(lines[first] ?? "")) return undefined;
  const length = lines.slice(first).findIndex((text) => END.test(text));
  const part = lines.slice(first, length < 0 ? undefined : first + length);
  const [result] = read(part.join("\n"), DEFAULT_YAML_LIMITS);
  return result?.document;
}

function positionIn(document: YamlDocument, { line, path }: FieldOfFile): Position | undefined {
  const position = document.locate(pathSteps(path));
  return position && { line: position.line + line - 1, column: position.column };
}
