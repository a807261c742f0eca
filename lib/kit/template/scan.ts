/**
 * Splits the text of a template into text and actions, and actions into tokens.
 *
 * @module
 */
import type { TemplatePosition } from "./ast.ts";
import { templateFault } from "./fault.ts";

/** A token of an action. */
export interface Token extends TemplatePosition {
  readonly kind: "word" | "field" | "variable" | "string" | "number" | "symbol";
  /** The value of a string or number; else the characters. */
  readonly value: string | number;
  /** True if a blank or the beginning of the action stands before it. */
  readonly spaced: boolean;
}

/** A piece of a template: literal text, or the tokens of an action. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "action"; readonly tokens: readonly Token[]; readonly at: TemplatePosition };

const TOKEN =
  /(?<space>\s+)|(?<raw>`[^`]*`)|(?<string>"(?:[^"\\\n]|\\.)*")|(?<char>'(?:[^'\\\n]|\\.)')|(?<number>[+-]?(?:0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?))|(?<field>\.[A-Za-z_]\w*)|(?<variable>\$\w*)|(?<word>[A-Za-z_]\w*)|(?<symbol>:=|[|().,=])/y;

/**
 * Cuts a template into pieces.
 *
 * @throws MeshError `template` for an action that does not end, or characters of no token
 */
export function scan(template: string, text: string): Piece[] {
  const position = positions(text);
  const pieces: Piece[] = [];
  let at = 0;
  let trimNext = false;
  const pushText = (end: number, trimEnd: boolean) => {
    let part = text.slice(at, end);
    if (trimNext) part = part.trimStart();
    if (trimEnd) part = part.trimEnd();
    if (part !== "") pieces.push({ kind: "text", text: part });
  };
  for (;;) {
    const open = text.indexOf("{{", at);
    if (open < 0) {
      pushText(text.length, false);
      return pieces;
    }
    const trimBefore = /^-\s/.test(text.slice(open + 2, open + 4));
    pushText(open, trimBefore);
    const start = open + 2 + (trimBefore ? 1 : 0);
    const comment = /^\s*\/\*/.test(text.slice(start, start + 80));
    const end = comment ? endOfComment(text, start) : endOfAction(text, start);
    if (end < 0) {
      throw templateFault(template, position(open), "this action has no closing }}");
    }
    trimNext = text[end - 1] === "-" && /\s/.test(text[end - 2] ?? "");
    if (!comment) {
      const stop = trimNext ? end - 1 : end;
      const tokens = tokensOf(template, text, { start, stop, position });
      pieces.push({ kind: "action", tokens, at: position(open) });
    }
    at = end + 2;
  }
}

function endOfComment(text: string, start: number): number {
  const close = text.indexOf("*/", start);
  return close < 0 ? -1 : text.indexOf("}}", close);
}

/** The index of the `}}` that ends an action; those in quotes do not count. */
function endOfAction(text: string, start: number): number {
  const next = /`[^`]*`|"(?:[^"\\\n]|\\.)*"|\}\}/y;
  for (let at = start; at < text.length; at++) {
    next.lastIndex = at;
    const found = next.exec(text)?.[0];
    if (found === "}}") return at;
    if (found !== undefined) at += found.length - 1;
  }
  return -1;
}

type Locate = (offset: number) => TemplatePosition;

function tokensOf(
  template: string,
  text: string,
  { start, stop, position }: {
    readonly start: number;
    readonly stop: number;
    readonly position: Locate;
  },
): Token[] {
  const tokens: Token[] = [];
  let spaced = true;
  for (let at = start; at < stop;) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null || at + found[0].length > stop) {
      throw templateFault(
        template,
        position(at),
        `unexpected ${JSON.stringify(text[at])} in an action`,
      );
    }
    const groups = found.groups!;
    if (groups.space === undefined) {
      tokens.push({ ...tokenOf(groups, found[0]), ...position(at), spaced });
      spaced = false;
    } else spaced = true;
    at += found[0].length;
  }
  return tokens;
}

function tokenOf(
  groups: Record<string, string | undefined>,
  text: string,
): Pick<Token, "kind" | "value"> {
  if (groups.raw !== undefined) return { kind: "string", value: text.slice(1, -1) };
  if (groups.string !== undefined) return { kind: "string", value: unquoted(text) };
  if (groups.char !== undefined) {
    return { kind: "number", value: unquoted(`"${text.slice(1, -1)}"`).codePointAt(0)! };
  }
  if (groups.number !== undefined) {
    return { kind: "number", value: Number(text.replaceAll("_", "")) };
  }
  if (groups.field !== undefined) return { kind: "field", value: text.slice(1) };
  if (groups.variable !== undefined) return { kind: "variable", value: text };
  return { kind: groups.word === undefined ? "symbol" : "word", value: text };
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
};

function unquoted(text: string): string {
  return text.slice(1, -1).replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))/g,
    (_, byte: string | undefined, unit: string | undefined, one: string) =>
      byte ?? unit ? String.fromCodePoint(parseInt((byte ?? unit)!, 16)) : ESCAPES[one] ?? one,
  );
}

/** Offsets to positions, by the beginnings of lines. */
function positions(text: string): Locate {
  const starts = [0];
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - starts[low]! + 1 };
  };
}
