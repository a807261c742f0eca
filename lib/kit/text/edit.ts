/**
 * Other scalars in a YAML text, whose comments, order and layout stay as they are.
 *
 * @module
 */
import { compose, type Node, type ScalarNode, type ScalarSpan } from "./compose.ts";
import { DEFAULT_YAML_LIMITS, type YamlLimits } from "./limits.ts";
import type { Path } from "./locate.ts";
import { toPlain } from "./plain.ts";
import { type DocumentText, splitDocuments } from "./split.ts";
import { YamlFault } from "./yaml_fault.ts";

/** A name or a value of a document. Values of aliases are those of their anchors. */
export interface YamlScalar {
  /** The path of the value; that of a name ends with the name. */
  readonly path: Path;
  readonly role: "key" | "value";
  readonly text: string;
  /** 1-based line in the file. Text of a block begins on the next line. */
  readonly line: number;
  /** True for a text over several lines that are lines of the file, too. */
  readonly isBlock: boolean;
}

/** A document that is edited. */
export interface EditableDocument {
  readonly value: unknown;
  /** 1-based line of its text's first line. */
  readonly line: number;
  readonly scalars: readonly YamlScalar[];
}

/** A text after its edits, and the documents that are not YAML and stay as they are. */
export interface EditedYaml {
  readonly text: string;
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

/** A replacement of characters. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Placed = YamlScalar & { readonly span: ScalarSpan };

/**
 * Replaces scalars of a text.
 *
 * @param edit gives the new texts of the scalars that change
 */
export function editYaml(
  text: string,
  edit: (document: EditableDocument) => ReadonlyMap<YamlScalar, string>,
  limits: YamlLimits = DEFAULT_YAML_LIMITS,
): EditedYaml {
  const starts = lineStarts(text);
  const edits: Edit[] = [];
  const problems: { line: number; message: string }[] = [];
  for (const part of splitDocuments(text)) {
    try {
      const tree = compose(part.text, limits, true);
      if (tree === undefined) continue;
      const scalars = [...scalarsOf(tree, [], part)];
      const changed = edit({ value: toPlain(tree, limits), line: part.line, scalars });
      for (const scalar of scalars) {
        const now = changed.get(scalar);
        if (now === undefined || now === scalar.text) continue;
        edits.push(inFile(written(part.text, scalar, now), part, text, starts));
      }
    } catch (error) {
      if (!(error instanceof YamlFault)) throw error;
      const line = part.line + countBreaks(part.text, error.offset);
      problems.push({ line, message: `${error.message}. ${error.remedy}` });
    }
  }
  return { text: applied(text, edits), problems };
}

function* scalarsOf(node: Node, path: Path, part: DocumentText): Generator<Placed> {
  if (node.kind === "scalar") {
    if (node.span !== undefined) yield placed(node, path, "value", part);
  } else if (node.kind === "seq") {
    for (const [index, item] of node.items.entries()) {
      yield* scalarsOf(item, [...path, index], part);
    }
  } else if (node.kind === "map") {
    for (const { key, value } of node.pairs) {
      const within = [...path, key.kind === "scalar" ? key.text : ""];
      if (key.kind === "scalar" && key.span !== undefined) {
        yield placed(key, within, "key", part);
      }
      yield* scalarsOf(value, within, part);
    }
  }
}

function placed(
  node: ScalarNode,
  path: Path,
  role: YamlScalar["role"],
  part: DocumentText,
): Placed {
  const span = node.span!;
  const isBlock = span.style === "literal";
  const start = span.style === "literal" || span.style === "folded"
    ? headerStart(part.text, span.start)
    : span.start;
  const line = part.line + countBreaks(part.text, start);
  return { path, role, text: node.text, line, isBlock, span };
}

/** A scalar with another text, as characters of its document. */
function written(text: string, { span, text: old, path }: Placed, now: string): Edit {
  const { start, end, style } = span;
  const raw = text.slice(start, end);
  switch (style) {
    case "plain":
      return raw === old && (isPlain(now) || hasShape(now, old))
        ? { start, end, text: now }
        : { start, end, text: JSON.stringify(now) };
    case "single":
      return { start, end, text: now.replaceAll("'", "''") };
    case "double":
      return raw === old && !/[\\"\n]/.test(now)
        ? { start, end, text: now }
        : { start, end, text: JSON.stringify(now).slice(1, -1) };
    case "literal": {
      const block = reindented(raw, old, now);
      if (block !== undefined) return { start, end, text: block };
    }
  }
  // Blocks are values of maps or items of lists: a quoted text with a line feed replaces them.
  const header = headerStart(text, start);
  const tail = end >= text.length && !raw.endsWith("\n") ? "" : "\n";
  if (header === start) throw new Error(`a block without a header at ${path.join(".")}`);
  return { start: header, end, text: `${JSON.stringify(now)}${tail}` };
}

/** Words that are read as booleans or null. */
const TYPED = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

/** True for a text that needs no quotes: a word of names, addresses and paths. */
function isPlain(text: string): boolean {
  return /^[A-Za-z/*.][^\s#:,[\]{}"'`]*(?:[ :,][^\s#:,[\]{}"'`]+)*$/.test(text) &&
    !TYPED.test(text) && !/: |, /.test(text);
}

/** True for a text that differs in letters and digits alone, and is no word with a type. */
function hasShape(text: string, old: string): boolean {
  const signs = (word: string) => word.replace(/[A-Za-z0-9]+/g, "a");
  return /[g-z]/i.test(text) && !TYPED.test(text) && signs(text) === signs(old);
}

/** The lines of a block with other content, if they are as many as before. */
function reindented(raw: string, old: string, now: string): string | undefined {
  const [from, to] = [old.split("\n"), now.split("\n")];
  const lines = raw.split("\n");
  if (from.length !== to.length || from.length > lines.length) return undefined;
  const changed: string[] = [];
  for (const [index, line] of lines.entries()) {
    const before = from[index];
    if (before === undefined || before === "") changed.push(line);
    else if (!line.replace(/\r$/, "").endsWith(before)) return undefined;
    else changed.push(line.slice(0, line.lastIndexOf(before)) + to[index]);
  }
  return changed.join("\n");
}

/** Start of the header (`|-`, `>`) of the block whose lines start at an offset. */
function headerStart(text: string, start: number): number {
  const before = text.slice(0, start);
  return /[|>][-+0-9]*[ \t]*(?:#.*)?\r?\n$/.exec(before)?.index ?? start;
}

/** An edit of a document's text as one of the file's, in which directives and marks stand, too. */
function inFile(edit: Edit, part: DocumentText, text: string, starts: readonly number[]): Edit {
  const at = (offset: number): number => {
    const line = part.line - 1 + countBreaks(part.text, offset);
    const column = offset - (part.text.lastIndexOf("\n", offset - 1) + 1);
    // The first line of a text begins behind the marker that ends the document before it.
    const lead = line === part.line - 1 ? firstColumn(part, text, starts) : 0;
    return starts[line]! + lead + column;
  };
  const placed = { start: at(edit.start), end: at(edit.end), text: edit.text };
  if (text.slice(placed.start, placed.end) !== part.text.slice(edit.start, edit.end)) {
    throw new YamlFault(
      "yaml-edit",
      "the document cannot be edited in place",
      "Remove marks of byte order inside the file.",
      edit.start,
    );
  }
  return placed;
}

function firstColumn(part: DocumentText, text: string, starts: readonly number[]): number {
  const first = part.text.split("\n", 1)[0]!;
  const start = starts[part.line - 1]!;
  const end = text.indexOf("\n", start);
  return Math.max(0, text.slice(start, end < 0 ? text.length : end).length - first.length);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function countBreaks(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function applied(text: string, edits: readonly Edit[]): string {
  let result = "";
  let end = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    result += text.slice(end, edit.start) + edit.text;
    end = edit.end;
  }
  return result + text.slice(end);
}
