/**
 * Corpora of accepted and rejected documents: `validation` and `samples`.
 *
 * @module
 */
import {
  hintWorkloads,
  parseConfigDocuments,
  type ParsedDocuments,
} from "../../lib/mesh/schema/mod.ts";
import { messagesAbout } from "./analyzers.ts";
import type { Case, Corpus, ReadFile } from "./corpus.ts";

interface DocumentCase extends Case {
  readonly expected: { readonly valid: boolean; readonly error?: string | null };
  readonly options: {
    /** True: only the orchestrator's schema can detect the mistake, so any result is accepted. */
    readonly schemaOnly?: boolean;
    /** False: the files have no objects of the mesh. */
    readonly crds?: boolean;
  };
}

/** One resource in a file; a rejection must name the expected field. */
export const VALIDATION: Corpus<DocumentCase> = { name: "validation", judge: judgeDocuments };

/**
 * Manifests as users write them. All must be accepted, and analysis finds no error in those of the
 * orchestrator. Objects of the mesh refer to objects in other files, which analysis reports.
 */
export const SAMPLES: Corpus<DocumentCase> = {
  name: "samples",
  judge: (one, read) => judgeDocuments(one, read) ?? analysisError(one, read),
};

/** The first error that analysis finds; `undefined` without one. */
function analysisError({ inputs, options }: DocumentCase, read: ReadFile): string | undefined {
  if (options.crds !== false) return undefined;
  const error = messagesAbout(inputs, read).find(({ level }) => level === "Error");
  return error === undefined ? undefined : `${error.code}: ${error.message}`;
}

function judgeDocuments({ inputs, expected, options }: DocumentCase, read: ReadFile) {
  for (const file of inputs) {
    const { problems } = parsed(read(file), file);
    const [first] = problems;
    if (expected.valid && first !== undefined) {
      return `refused ${first.path || "the document"}: ${first.message}`;
    }
    if (expected.valid || options.schemaOnly === true) continue;
    if (first === undefined) return `accepted, where this is expected: ${expected.error}`;
    const path = fieldPath(expected.error ?? "");
    if (path === undefined || problems.some((one) => isWithin(one.path, path))) continue;
    return `refused ${problems.map((one) => one.path).join(", ")}, where ${path} is expected`;
  }
  return undefined;
}

/** Reads documents like `meshctl validate`. */
function parsed(text: string, file: string): ParsedDocuments {
  const foreign = hintWorkloads(new Set(["mesh-system"]));
  return parseConfigDocuments(text, file, undefined, { foreign });
}

/** The field at the beginning of an expected message, if there is one. */
function fieldPath(error: string): string | undefined {
  return /^spec(?:\.[A-Za-z0-9_]+|\[\d+\])*/.exec(error)?.[0];
}

/**
 * Reports if one path is a prefix of the other: a missing field is reported at its message or at
 * itself. /
 */
function isWithin(path: string, expected: string): boolean {
  return path.startsWith(expected) || expected.startsWith(path);
}
