/**
 * Syntax of CEL expressions: checks that the proxy can parse them. Types and the meaning of names
 * are not checked.
 *
 * @module
 */

/** A token of an expression; `end` is the last one. */
interface Token {
  readonly kind: "word" | "literal" | "sign" | "end";
  readonly text: string;
  /** 0-based, in characters. */
  readonly at: number;
}

/** Longer expressions are rejected without parsing. */
const MAX_LENGTH = 16_384;
/** Maximum nesting, so that an expression cannot exhaust the stack. */
const MAX_DEPTH = 100;

const TOKEN = new RegExp(
  [
    String.raw`(?<space>\s+|//[^\n]*)`,
    String
      .raw`(?<literal>[bBrR]{0,2}(?:"""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')` +
    String.raw`|0x[0-9a-fA-F]+[uU]?|(?:\d+\.\d+|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?|\d+[uU]?)`,
    String.raw`(?<word>[_a-zA-Z][_a-zA-Z0-9]*)`,
    String.raw`(?<sign>&&|\|\||[=!<>]=|[-+*/%!<>?:.,()[\]{}])`,
  ].join("|"),
  "uy",
);

/** Returns the syntax error of an expression; `undefined` if it is valid. */
export function celFault(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  try {
    parseAll(tokens(text));
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

/** Functions and macros that the proxy supports in formats and filters. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...["all", "exists", "exists_one", "filter", "has", "map"],
  ...["bool", "bytes", "double", "duration", "int", "size", "timestamp", "type", "uint"],
  ...["contains", "endsWith", "matches", "startsWith", "extract", "capture", "captureN"],
  ...["getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getHours"],
  ...["getMilliseconds", "getMinutes", "getMonth", "getSeconds"],
]);

/**
 * Returns a function in a valid expression that the proxy does not support, so that it would reject
 * the whole configuration.
 */
export function unknownFunction(text: string): string | undefined {
  const found = tokens(text);
  return found.find(({ kind, text }, at) =>
    kind === "word" && found[at + 1]?.text === "(" && text !== "in" && !FUNCTIONS.has(text)
  )?.text;
}

function tokens(text: string): Token[] {
  const found: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) {
      throw new SyntaxError(`${JSON.stringify(text[at])} at character ${at + 1} begins nothing`);
    }
    for (const kind of ["word", "literal", "sign"] as const) {
      const word = groups[kind];
      if (word !== undefined) found.push({ kind, text: word, at });
    }
  }
  found.push({ kind: "end", text: "", at: text.length });
  return found;
}

/** Binary operators, lowest precedence first. */
const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["<", "<=", ">", ">=", "==", "!=", "in"],
  ["+", "-"],
  ["*", "/", "%"],
];

function parseAll(words: readonly Token[]): void {
  let next = 0;
  let depth = 0;
  const peek = (): Token => words[next] ?? { kind: "end", text: "", at: 0 };
  const is = (text: string): boolean => peek().kind !== "literal" && peek().text === text;
  const accept = (text: string): boolean => is(text) && next++ >= 0;
  const refuse = (wanted: string): never => {
    const { kind, text, at } = peek();
    const found = kind === "end" ? "the end" : `${JSON.stringify(text)} at character ${at + 1}`;
    throw new SyntaxError(`expected ${wanted}, found ${found}`);
  };
  const expect = (text: string): void => {
    if (!accept(text)) refuse(`"${text}"`);
  };
  const name = (): void => {
    if (peek().kind !== "word") refuse("a name");
    next++;
  };
  const list = (close: string, item: () => void): void => {
    while (!accept(close)) {
      item();
      if (!accept(",") && !is(close)) refuse(`"," or "${close}"`);
    }
  };
  const expression = (): void => {
    if (++depth > MAX_DEPTH) throw new SyntaxError(`it is nested more than ${MAX_DEPTH} deep`);
    binary(0);
    if (accept("?")) {
      binary(0);
      expect(":");
      expression();
    }
    depth--;
  };
  const binary = (level: number): void => {
    const operators = LEVELS[level];
    if (operators === undefined) return unary();
    binary(level + 1);
    while (operators.some(accept)) binary(level + 1);
  };
  const unary = (): void => {
    while (accept("!") || accept("-"));
    primary();
    for (;;) {
      if (accept(".")) {
        name();
        if (accept("(")) list(")", expression);
      } else if (accept("[")) {
        expression();
        expect("]");
      } else if (accept("{")) list("}", entry);
      else return;
    }
  };
  const entry = (): void => {
    expression();
    expect(":");
    expression();
  };
  const primary = (): void => {
    if (accept("(")) {
      expression();
      expect(")");
    } else if (accept("[")) list("]", expression);
    else if (accept("{")) list("}", entry);
    else if (peek().kind === "literal") next++;
    else {
      accept(".");
      if (is("in")) refuse("an operand");
      if (peek().kind !== "word") refuse("an operand");
      next++;
      if (accept("(")) list(")", expression);
    }
  };
  expression();
  if (peek().kind !== "end") refuse("an operator");
}
