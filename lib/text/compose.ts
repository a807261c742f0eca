/**
 * The border to the YAML library: text to syntax tree.
 *
 * @module
 */
import {
  Composer,
  type CST,
  Document,
  type DocumentOptions,
  Lexer,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  type Tags,
} from "yaml";

/** A syntax tree with the errors found on the way. */
export type Tree = Document.Parsed;

/** Types of version 1.1 that the orchestrator's tools do not read: they see strings or refuse them. */
const LEFT_OUT = new Set(["binary", "omap", "pairs", "set", "timestamp", "merge"]);

function keepTags(tags: Tags): Tags {
  return tags.filter((tag) => {
    if (typeof tag === "string") return !LEFT_OUT.has(tag);
    const name = tag.tag.slice(tag.tag.lastIndexOf(":") + 1);
    const base60 = "format" in tag && tag.format === "TIME";
    return !LEFT_OUT.has(name) && !base60;
  });
}

const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions = {
  version: "1.1",
  customTags: keepTags,
  // Merges and duplicate keys are judged where both lines are known.
  merge: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "silent",
};

/** The syntax tree of one document's text. Never throws for bad text: its `errors` tell. */
export function compose(text: string): Tree {
  const composer = new Composer(OPTIONS);
  for (const document of composer.compose(tokens(text), true, text.length)) {
    return document as Tree;
  }
  return new Document(null, OPTIONS) as Tree;
}

function* tokens(text: string): Generator<CST.Token> {
  const parser = new Parser();
  const lexemes = new Lexer().lex(text);
  for (const lexeme of /:[,\]}]/.test(text) ? joinTrailingColons(lexemes) : lexemes) {
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** The lexer's sign that a plain scalar's text follows. */
const SCALAR = "\x1f";

/**
 * In `[2001:db8::]` the last colon belongs to the scalar for the orchestrator's
 * tools, where newer YAML sees a key. Puts such a colon back: it follows a plain
 * scalar at once, and a flow indicator follows it, maybe after an empty scalar.
 */
function* joinTrailingColons(lexemes: Iterable<string>): Generator<string> {
  let held: string[] = [];
  for (const lexeme of lexemes) {
    held.push(lexeme);
    if (mayJoin(held)) continue;
    const joins = held.length > 3 && /^[,\]}]$/.test(lexeme);
    yield* joins ? [SCALAR, `${held[1]}:`, lexeme] : held;
    held = [];
  }
  yield* held;
}

/** Whether what was held may be the beginning of a scalar, its colon and an empty scalar. */
function mayJoin(held: readonly string[]): boolean {
  const [mark, , colon = ":", empty = SCALAR, nothing = ""] = held;
  return held.length < 6 && mark === SCALAR && colon === ":" && empty === SCALAR && nothing === "";
}
