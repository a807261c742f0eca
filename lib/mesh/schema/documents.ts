/**
 * Splits the text of a file into documents and reads their objects.
 *
 * @module
 */
import { SERVED_TYPES } from "../../kit/proto/mod.ts";
import {
  DEFAULT_YAML_LIMITS,
  readYamlInSteps,
  type YamlDocument,
  type YamlLimits,
} from "../../kit/text/mod.ts";
import { writtenKind } from "./kind.ts";
import { KINDS } from "./kinds.ts";
import { type MeshSettings, readMeshSettings } from "./mesh/mod.ts";
import { type ParsedObject, readObjectInSteps, type ReadOptions } from "./object.ts";
import {
  type Finding,
  formatPath,
  newReport,
  type ObjectIdentity,
  type SchemaProblem,
} from "./problem.ts";
import { isMap } from "./read/mod.ts";

/** The result of one document. */
export interface ParsedDocument {
  /** 1-based line of its first key, or of the syntax error. */
  readonly line: number;
  /** Kind, namespace and name, if they could be read, also of rejected documents. */
  readonly identity?: ObjectIdentity;
  /** True if its identity is unknown: it has a syntax error, or no kind or name. */
  readonly anonymous: boolean;
  /** Unset if the document is rejected; `problems` has the reasons. */
  readonly object?: ParsedObject;
  /**
   * Set instead of `object` if {@link DocumentOptions.settings} is true and the document has
   * settings.
   */
  readonly settings?: MeshSettings;
  readonly problems: readonly SchemaProblem[];
  readonly warnings: readonly SchemaProblem[];
}

/** One value of a text, as it was read. */
export interface SeenDocument {
  readonly value: unknown;
  readonly file: string;
  /** 1-based line of its first key. */
  readonly line: number;
  /** The readable part of a rejected object. */
  readonly draft?: ParsedObject;
}

export interface DocumentOptions extends ReadOptions {
  /** Called for each document that parses as YAML, of any kind. */
  readonly seen?: (document: SeenDocument) => void;
  /** True: documents with a mesh configuration or networks are accepted, by their kind. */
  readonly settings?: boolean;
}

/** The result of a whole file. */
export interface ParsedDocuments {
  readonly objects: readonly ParsedObject[];
  readonly problems: readonly SchemaProblem[];
  readonly warnings: readonly SchemaProblem[];
}

/**
 * Yields the documents of a text in order, so that the reader may yield between them. A document
 * with problems has no object and does not affect the others.
 */
export function* eachDocument(
  text: string,
  file: string,
  limits: YamlLimits = DEFAULT_YAML_LIMITS,
  options: DocumentOptions = {},
): Generator<ParsedDocument> {
  for (const piece of eachPiece(text, file, limits, options)) if (piece !== undefined) yield piece;
}

/**
 * Like {@link eachDocument}, with an additional `undefined` after each step of reading a document,
 * which takes some tens of milliseconds for a large one.
 */
export function* eachPiece(
  text: string,
  file: string,
  limits: YamlLimits = DEFAULT_YAML_LIMITS,
  options: DocumentOptions = {},
): Generator<ParsedDocument | void> {
  for (const result of readYamlInSteps(text, limits)) {
    yield undefined;
    if (result === undefined) continue;
    const { document, problem } = result;
    if (document !== undefined) {
      for (const one of itemsOf(document)) {
        if (one.value !== null) yield yield* readDocument(one, file, options);
      }
      continue;
    }
    const { line } = problem;
    yield { line, anonymous: true, problems: [{ file, path: "", ...problem }], warnings: [] };
  }
}

/**
 * Parses all documents of a text. Pure.
 *
 * @example
 * ```ts
 * import { parseConfigDocuments } from "./mod.ts";
 *
 * const { objects, problems } = parseConfigDocuments("kind: Sidecar", "sidecar.yaml");
 * for (const { file, path, message } of problems) console.log(`${file}: ${path}: ${message}`);
 * ```
 */
export function parseConfigDocuments(
  text: string,
  file: string,
  limits: YamlLimits = DEFAULT_YAML_LIMITS,
  options: DocumentOptions = {},
): ParsedDocuments {
  const documents = [...eachDocument(text, file, limits, options)];
  return {
    objects: documents.flatMap((one) => one.object ?? []),
    problems: documents.flatMap((one) => one.problems),
    warnings: documents.flatMap((one) => one.warnings),
  };
}

/** A document is one object, or a list of objects as the orchestrator's tools write it. */
function* itemsOf(document: YamlDocument): Generator<YamlDocument> {
  const { value } = document;
  const isList = isMap(value) && value.kind === "List" && value.apiVersion === "v1";
  if (!isList || !Array.isArray(value.items)) return yield document;
  for (const [index, item] of value.items.entries()) {
    yield {
      value: item,
      line: document.locate(["items", index], "key").line,
      locate: (path, target) => document.locate(["items", index, ...path], target),
    };
  }
}

function* readDocument(
  document: YamlDocument,
  file: string,
  options: DocumentOptions,
): Generator<void, ParsedDocument> {
  if (options.settings === true) {
    const found = readSettings(document, file);
    if (found !== undefined) return found;
  }
  const report = newReport("errors", SERVED_TYPES);
  const { value, line } = document;
  const { identity, object, draft } = yield* readObjectInSteps(value, line, report, options);
  options.seen?.({ value, file, line, draft });
  const locate = (finding: Finding) => withPosition(document, file, finding, identity);
  return {
    line: document.line,
    identity,
    anonymous: identity === undefined && mayBeOurs(document.value),
    object: report.errors.length === 0 ? object : undefined,
    problems: report.errors.map(locate),
    warnings: report.warnings.map(locate),
  };
}

/** Reads settings of the mesh; unknown fields are warnings, as in their own files. */
function readSettings(document: YamlDocument, file: string): ParsedDocument | undefined {
  const report = newReport("warnings");
  const settings = readMeshSettings(document.value, report);
  if (settings === undefined) return undefined;
  const locate = (finding: Finding) => withPosition(document, file, finding, undefined);
  return {
    line: document.line,
    anonymous: false,
    settings: report.errors.length === 0 ? settings : undefined,
    problems: report.errors.map(locate),
    warnings: report.warnings.map(locate),
  };
}

function withPosition(
  document: YamlDocument,
  file: string,
  { path, target, code, message, remedy }: Finding,
  object: ObjectIdentity | undefined,
): SchemaProblem {
  const at = { file, ...document.locate(path, target), path: formatPath(path) };
  return { ...at, code, message, remedy, object };
}

/** Reports if a document without identity looks like an object of a supported kind. */
function mayBeOurs(value: unknown): boolean {
  if (!isMap(value)) return !Array.isArray(value);
  if (typeof value.kind === "string") return KINDS.some((one) => writtenKind(one) === value.kind);
  return ["apiVersion", "metadata", "spec"].some((name) => name in value);
}
