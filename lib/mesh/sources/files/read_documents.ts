/**
 * From the bytes of a file to its documents, or to the reason why the file cannot be used. The
 * daemon and the commands that check files read them by these functions.
 *
 * @module
 */
import { inTurns } from "../../../kit/async/mod.ts";
import { MeshError } from "../../../kit/base/mod.ts";
import {
  type DocumentOptions,
  eachPiece,
  type ParsedDocument,
  type SchemaProblem,
} from "../../schema/mod.ts";
import { decodeUtf8, type YamlLimits } from "../../../kit/text/mod.ts";
import { reason } from "./walk.ts";

/**
 * Parses the documents of a file in slices, so that other work is not delayed.
 *
 * @throws {MeshError} for text that is not UTF-8
 */
export async function readDocuments(
  bytes: Uint8Array,
  file: string,
  limits: YamlLimits,
  options: DocumentOptions = {},
): Promise<ParsedDocument[]> {
  return await inTurns(collected(eachPiece(decodeUtf8(bytes), file, limits, options)));
}

function* collected(pieces: ReturnType<typeof eachPiece>): Generator<void, ParsedDocument[]> {
  const documents: ParsedDocument[] = [];
  for (const document of pieces) {
    if (document !== undefined) documents.push(document);
    yield;
  }
  return documents;
}

/** The problem of a file that cannot be read or whose content is no text. */
export function unusableFile(file: string, error: unknown): SchemaProblem {
  return error instanceof MeshError
    ? fileProblem(file, error.code, error.message, error.remedy ?? "Correct the file.")
    : fileProblem(file, "file-unreadable", reason(error), "Make it readable.");
}

/** A problem of a file as a whole. */
export function fileProblem(
  file: string,
  code: string,
  message: string,
  remedy: string,
): SchemaProblem {
  return { file, line: 1, column: 1, path: "", code, message, remedy };
}
