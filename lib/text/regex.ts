/**
 * Regular expressions in the syntax of RE2, which is what Envoy runs: linear
 * time, no look-around, no back-references.
 *
 * @module
 */
import { RE2JS, RE2JSException } from "re2js";
import { regexSize } from "./regex_size.ts";

/** A compiled expression. */
export interface Regex {
  readonly source: string;
  /** Whether it matches the whole of a text, as routes do. */
  matchesAll(text: string): boolean;
  /** Whether it matches somewhere in a text. */
  matchesPart(text: string): boolean;
}

/** Compiles an expression. Returns what is wrong with it as a string when RE2 would refuse it. */
export function compileRegex(source: string): Regex | string {
  try {
    const compiled = RE2JS.compile(source);
    return {
      source,
      matchesAll: (text) => compiled.testExact(text),
      matchesPart: (text) => compiled.test(text),
    };
  } catch (error) {
    if (error instanceof RE2JSException) return error.message;
    throw error;
  }
}

/** Characters of an expression at most; what the field's validation takes. */
export const MAX_REGEX_LENGTH = 1024;

/** Instructions of a program at most: the bound that proxies are started with (`re2.max_program_size.error_level`). */
export const MAX_REGEX_PROGRAM = 32_768;

/** RE2 refuses larger counts, and nested ones with a larger product. */
const MAX_REPEATS = 1000;

/** Beyond this, an expression is checked by its outline: writing its counts out takes milliseconds. */
const LARGE = 500;

/** Verdicts on the expressions checked last: the same ones come again with every edit. */
const verdicts = new Map<string, string | undefined>();
/** Two rules of a thousand matches with four expressions each; 8 MiB when all are as long as may be. */
const MAX_VERDICTS = 8_192;

/** What is wrong with an expression; `undefined` when RE2 takes it. Takes no longer for an expression that was made to. */
export function regexFault(source: string): string | undefined {
  if (source.length > MAX_REGEX_LENGTH) {
    return `it has ${source.length} characters, more than ${MAX_REGEX_LENGTH}`;
  }
  if (verdicts.has(source)) return verdicts.get(source);
  const verdict = judge(source);
  if (verdicts.size >= MAX_VERDICTS) verdicts.clear();
  verdicts.set(source, verdict);
  return verdict;
}

function judge(source: string): string | undefined {
  const { instructions, repeats, outline } = regexSize(source);
  const text = instructions > LARGE ? outline : source;
  const result = isOfGoodShape(text) ? undefined : compileRegex(text);
  if (typeof result === "string") return result;
  if (repeats > MAX_REPEATS) return `counts above ${MAX_REPEATS}, or nested beyond it`;
  if (instructions <= MAX_REGEX_PROGRAM) return undefined;
  return `written out, it has about ${instructions} steps, more than ${MAX_REGEX_PROGRAM}`;
}

/** Shapes of expressions that RE2 takes: those of a large configuration differ in their words alone. */
const goodShapes = new Set<string>();

/** Whether an expression is right because one of the same shape is. `false` says nothing. */
function isOfGoodShape(source: string): boolean {
  const shape = shapeOf(source);
  if (goodShapes.has(shape)) return true;
  if (typeof compileRegex(shape) === "string") return false;
  if (goodShapes.size >= MAX_VERDICTS) goodShapes.clear();
  goodShapes.add(shape);
  return true;
}

/** What may mean more than its characters, and, last, words that do not. */
const PARTS =
  /\\Q[^]*?(?:\\E|$)|\\x(?:\{[^}]*\}|..)|\\[pP](?:\{[^}]*\}|[^])|\\[0-7]{1,3}|\\[^]|\[\^?\]?(?:\\[^]|\[:[^\]]*:\]|[^\]])*\]|\{[^}]*\}|\(\?[^):]*[):]?|[\w/-]+/g;
const WORD = /^[\w/-]/;

/** An expression with every word of it replaced by one letter. */
function shapeOf(source: string): string {
  return source.replace(PARTS, (part) => (WORD.test(part) ? "a" : part));
}
