/**
 * YAML as the orchestrator's tools read it (version 1.1, without its dates,
 * base-60 numbers and exotic collections), bounded, with positions.
 *
 * @module
 */
import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE, type ScalarStyleRule } from "js-yaml";
import { allSteps, MeshError } from "../base/mod.ts";
import { compose, composeInSteps, type Node } from "./compose.ts";
import { DEFAULT_YAML_LIMITS, type YamlLimits } from "./limits.ts";
import { locate, type Path, type Position } from "./locate.ts";
import { type DocumentText, splitDocuments } from "./split.ts";
import { YamlFault } from "./yaml_fault.ts";
import { refuseControl, toPlain } from "./plain.ts";

/** A parsed document. Maps are objects without a prototype; shared aliases are one object. */
export interface YamlDocument {
  readonly value: unknown;
  /** 1-based line of the first key or item. */
  readonly line: number;
  /**
   * The position of a path: of its deepest part that the document has. With `key`, the position of
   * the last name instead of its value. The first call parses the document again, so that valid
   * documents cost nothing.
   */
  locate(path: Path, target?: "key" | "value"): Position;
}

/** A document that could not be parsed. */
export interface YamlProblem {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly line: number;
  readonly column: number;
}

/** One document of a stream, or its problem. */
export type YamlResult =
  | { readonly document: YamlDocument; readonly problem?: undefined }
  | { readonly document?: undefined; readonly problem: YamlProblem };

/** The documents of a stream, one at a time; a broken one does not end the iteration. */
export function* readYaml(
  text: string,
  limits: YamlLimits = DEFAULT_YAML_LIMITS,
): Generator<YamlResult> {
  for (const part of splitDocuments(text)) yield allSteps(readDocument(part, limits));
}

/** Like {@linkcode readYaml}, with an additional `undefined` after each step of reading a document. */
export function* readYamlInSteps(
  text: string,
  limits: YamlLimits = DEFAULT_YAML_LIMITS,
): Generator<YamlResult | undefined> {
  for (const part of splitDocuments(text)) yield yield* readDocument(part, limits);
}

function* readDocument(part: DocumentText, limits: YamlLimits): Generator<undefined, YamlResult> {
  try {
    refuseOversize(part.text, limits);
    refuseControl(part.text);
    const tree = yield* composeInSteps(part.text, limits);
    yield undefined;
    const value = toPlain(tree, limits);
    const { line } = position(part, tree?.offset ?? 0);
    return { document: makeDocument(part, value, line, limits) };
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    const at = position(part, error.offset);
    const message = error.related === undefined
      ? error.message
      : `${error.message} (first at line ${position(part, error.related).line})`;
    return { problem: { code: error.code, message, remedy: error.remedy, ...at } };
  }
}

function makeDocument(
  part: DocumentText,
  value: unknown,
  line: number,
  limits: YamlLimits,
): YamlDocument {
  let tree: Node | undefined;
  let starts: number[] | undefined;
  return {
    value,
    line,
    locate(path, target = "value") {
      tree ??= compose(part.text, limits);
      starts ??= lineStarts(part.text);
      return position(part, locate(tree, path, target), starts);
    },
  };
}

/**
 * Characters after which a node may start, counted before parsing: parsing costs up to 7 µs for
 * each.
 */
function refuseOversize(text: string, limits: YamlLimits): void {
  if (text.length > limits.documentLength) {
    throw new YamlFault(
      "yaml-too-large",
      `the document has ${text.length} characters, more than ${limits.documentLength}`,
      "Split the document.",
      0,
    );
  }
  let nodes = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    // Line feed, comma, colon, dash, question mark, opening bracket and brace.
    const starts = char === 10 || char === 44 || char === 58 || char === 91 || char === 123 ||
      ((char === 45 || char === 63) && text.charCodeAt(at + 1) <= 32);
    if (starts && ++nodes > limits.nodes) {
      throw new YamlFault(
        "yaml-too-large",
        `the document has more than ${limits.nodes} nodes`,
        "Split the document.",
        at,
      );
    }
  }
}

/** Line and column in the file for an offset in a document's text. */
function position(
  part: DocumentText,
  offset: number,
  starts: readonly number[] = lineStarts(part.text),
): Position {
  const at = lineAt(starts, offset);
  return { line: part.line + at, column: offset - starts[at]! + 1 };
}

/** Offsets of the beginnings of lines. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The line of an offset, from 0: the last one that begins at it or before it. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  for (let high = starts.length; high - low > 1;) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * The value of a text with exactly one document.
 *
 * @throws {MeshError} with the codes of {@linkcode YamlProblem}, or `yaml-documents` when there are
 * several.
 */
export function parseYaml(text: string, limits: YamlLimits = DEFAULT_YAML_LIMITS): unknown {
  const results = [...readYaml(text, limits)];
  if (results.length > 1) {
    throw new MeshError("yaml-documents", `${results.length} YAML documents, but one is expected`, {
      remedy: "Keep one document.",
    });
  }
  const result = results[0];
  if (result === undefined) return undefined;
  if (result.document) return result.document.value;
  const { code, message, remedy, line, column } = result.problem;
  throw new MeshError(code, `line ${line}, column ${column}: ${message}`, { remedy });
}

/**
 * A plain value as YAML text, quoted so that version 1.1 and 1.2 readers agree. Ends with a line feed.
 *
 * @param quotes the quotes of texts that need some; default `single`
 */
export function toYaml(value: unknown, quotes: "single" | "double" = "single"): string {
  return dump(value, {
    noRefs: true,
    lineWidth: -1,
    quoteStyle: quotes,
    scalarStyleRules: [...Object.values(DEFAULT_SCALAR_STYLE_RULES), avoidEscapes],
  });
}

/** Single quotes for a text that contains double quotes and no single ones. */
const avoidEscapes: ScalarStyleRule = (layout) => {
  const { node: { value }, style, allowedStylesMask: allowed } = layout;
  if (style !== SCALAR_STYLE.DOUBLE_QUOTED || (allowed & 1 << SCALAR_STYLE.SINGLE_QUOTED) === 0) {
    return;
  }
  if (value.includes('"') && !value.includes("'")) layout.style = SCALAR_STYLE.SINGLE_QUOTED;
};
