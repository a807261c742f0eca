/**
 * Regular expressions in the syntax of RE2, which Envoy uses: linear time, no look-around, no
 * back-references.
 *
 * @module
 */
import { RE2JS, RE2JSException } from "re2js";
import { regexSize } from "./regex_size.ts";

/** A compiled expression. */
export interface Regex {
  readonly source: string;
  /** Reports if it matches the whole of a text, as routes do. */
  matchesAll(text: string): boolean;
  /** Reports if it matches a part of a text. */
  matchesPart(text: string): boolean;
  /** The matches in a text from left to right, at most so many. */
  matches(text: string, most?: number): RegexMatch[];
}

/** A match within a text. */
export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /** The whole match, then its groups. */
  readonly groups: readonly string[];
  /** Groups with names. */
  readonly named: Readonly<Record<string, string>>;
}

/** Compiles an expression. Returns the mistake as a string if RE2 would reject it. */
export function compileRegex(source: string): Regex | string {
  try {
    const compiled = RE2JS.compile(source);
    return {
      source,
      matchesAll: (text) => compiled.testExact(text),
      matchesPart: (text) => compiled.test(text),
      matches: (text, most) => matchesOf(compiled, text, most),
    };
  } catch (error) {
    if (error instanceof RE2JSException) return error.message;
    throw error;
  }
}

function matchesOf(compiled: RE2JS, text: string, most: number = Infinity): RegexMatch[] {
  const found: RegexMatch[] = [];
  const matcher = compiled.matcher(text);
  while (found.length < most && matcher.find()) {
    const count = matcher.groupCount();
    const groups = Array.from({ length: count + 1 }, (_, at) => matcher.group(at) ?? "");
    const named = Object.fromEntries(
      Object.entries(compiled.namedGroups()).map(([name, at]) => [name, groups[at] ?? ""]),
    );
    found.push({ start: matcher.start(), end: matcher.end(), groups, named });
  }
  return found;
}

/** Maximum of characters of an expression, as in Envoy's validation of the fields. */
export const MAX_REGEX_LENGTH = 1024;

/**
 * Maximum of instructions of a program: the bound of the proxies' bootstrap
 * (`re2.max_program_size.error_level`).
 */
export const MAX_REGEX_PROGRAM = 32_768;

/** RE2 rejects larger counts, and nested ones with a larger product. */
const MAX_REPEATS = 1000;

/** Larger expressions are checked without their counts, whose expansion takes milliseconds. */
const LARGE = 500;

/** Cached results of recent expressions, which are checked again with every edit. */
const verdicts = new Map<string, string | undefined>();
/** Enough for two rules of a thousand matches with four expressions each; at most 8 MiB. */
const MAX_VERDICTS = 8_192;

/**
 * The mistake in an expression; `undefined` if RE2 accepts it. The time is bounded for hostile
 * expressions.
 */
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

/**
 * Shapes of valid expressions: the expressions of a large configuration usually differ only in
 * their words.
 */
const goodShapes = new Set<string>();

/** Reports if an expression is valid because its shape is. `false` means unknown. */
function isOfGoodShape(source: string): boolean {
  const shape = shapeOf(source);
  if (goodShapes.has(shape)) return true;
  if (typeof compileRegex(shape) === "string") return false;
  if (goodShapes.size >= MAX_VERDICTS) goodShapes.clear();
  goodShapes.add(shape);
  return true;
}

/** Special parts of expressions and, last, plain words. */
const PARTS =
  /\\Q[^]*?(?:\\E|$)|\\x(?:\{[^}]*\}|..)|\\[pP](?:\{[^}]*\}|[^])|\\[0-7]{1,3}|\\[^]|\[\^?\]?(?:\\[^]|\[:[^\]]*:\]|[^\]])*\]|\{\d*(?:,\d*)?\}|\(\?[^):]*[):]?|[\w/-]+/g;
const WORD = /^[\w/-]/;

/** The shape of an expression: every word is replaced by one letter. */
function shapeOf(source: string): string {
  return source.replace(PARTS, (part) => (WORD.test(part) ? "a" : part));
}
