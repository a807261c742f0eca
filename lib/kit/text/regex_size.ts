/**
 * The size of a compiled expression, estimated from its text: engines expand counted repetitions,
 * so a short text can become a large program.
 *
 * @module
 */

/** Measurements of an expression. */
export interface RegexSize {
  /** Approximate number of instructions. */
  readonly instructions: number;
  /** The largest product of nested counts; RE2 rejects more than 1000. */
  readonly repeats: number;
  /** The expression with small counts. */
  readonly outline: string;
}

/** One level of brackets: its last item, and everything before it. */
interface Level {
  sum: number;
  last: number;
  /** Nested counts of the level and of its last item. */
  repeats: number;
  lastRepeats: number;
}

/** An escape of several characters, a quotation, a class, a counted repetition, or one character. */
const TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\{(\d+)(,?)(\d*)\}|[^]/g;

/** Measures an expression, also an invalid one. */
export function regexSize(source: string): RegexSize {
  // An expression without counts has at most two instructions for each character.
  if (!source.includes("{")) {
    return { instructions: 2 * source.length, repeats: 1, outline: source };
  }
  const levels: Level[] = [newLevel()];
  let outline = "";
  for (const [token, low, comma, high] of source.matchAll(TOKEN)) {
    const level = levels.at(-1)!;
    outline += low === undefined ? token : comma === "" ? "{1}" : "{0,1}";
    if (token === "(") {
      levels.push(newLevel());
    } else if (token === ")" && levels.length > 1) {
      const { sum, last, repeats, lastRepeats } = levels.pop()!;
      add(levels.at(-1)!, sum + last + 2, Math.max(repeats, lastRepeats));
    } else if (low !== undefined) {
      const count = Math.max(Number(low), Number(high ?? 0), 1);
      level.last *= count + (comma === "" ? 0 : 1);
      level.lastRepeats *= count;
    } else if (token === "*" || token === "+" || token === "?") {
      level.last += 1;
    } else {
      add(level, token.startsWith("\\Q") ? token.length : 1, 1);
    }
  }
  let instructions = 0;
  let repeats = 1;
  for (const level of levels) {
    instructions += level.sum + level.last;
    repeats = Math.max(repeats, level.repeats, level.lastRepeats);
  }
  return { instructions, repeats, outline };
}

function newLevel(): Level {
  return { sum: 0, last: 0, repeats: 1, lastRepeats: 1 };
}

function add(level: Level, size: number, repeats: number): void {
  level.sum += level.last;
  level.repeats = Math.max(level.repeats, level.lastRepeats);
  level.last = size;
  level.lastRepeats = repeats;
}
