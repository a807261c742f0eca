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
    new Parser(tokens(text)).parseAll();
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

/** A recursive-descent parser; it checks the syntax and builds no tree. */
class Parser {
  readonly #words: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(words: readonly Token[]) {
    this.#words = words;
  }

  parseAll(): void {
    this.#expression();
    if (this.#peek().kind !== "end") this.#refuse("an operator");
  }

  #peek(): Token {
    return this.#words[this.#next] ?? { kind: "end", text: "", at: 0 };
  }

  #is(text: string): boolean {
    const { kind, text: found } = this.#peek();
    return kind !== "literal" && found === text;
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#next++;
    return true;
  }

  #refuse(wanted: string): never {
    const { kind, text, at } = this.#peek();
    const found = kind === "end" ? "the end" : `${JSON.stringify(text)} at character ${at + 1}`;
    throw new SyntaxError(`expected ${wanted}, found ${found}`);
  }

  #expect(text: string): void {
    if (!this.#accept(text)) this.#refuse(`"${text}"`);
  }

  #name(): void {
    if (this.#peek().kind !== "word") this.#refuse("a name");
    this.#next++;
  }

  /** Items until a closing bracket; a comma may follow the last. */
  #list(close: string, item: () => void): void {
    while (!this.#accept(close)) {
      item();
      if (!this.#accept(",") && !this.#is(close)) this.#refuse(`"," or "${close}"`);
    }
  }

  #expressions(close: string): void {
    this.#list(close, () => this.#expression());
  }

  #entries(): void {
    this.#list("}", () => {
      this.#expression();
      this.#expect(":");
      this.#expression();
    });
  }

  #expression(): void {
    if (++this.#depth > MAX_DEPTH) {
      throw new SyntaxError(`it is nested more than ${MAX_DEPTH} deep`);
    }
    this.#binary(0);
    if (this.#accept("?")) {
      this.#binary(0);
      this.#expect(":");
      this.#expression();
    }
    this.#depth--;
  }

  #binary(level: number): void {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    this.#binary(level + 1);
    while (operators.some((operator) => this.#accept(operator))) this.#binary(level + 1);
  }

  #unary(): void {
    while (this.#accept("!") || this.#accept("-"));
    this.#primary();
    for (;;) {
      if (this.#accept(".")) {
        this.#name();
        if (this.#accept("(")) this.#expressions(")");
      } else if (this.#accept("[")) {
        this.#expression();
        this.#expect("]");
      } else if (this.#accept("{")) this.#entries();
      else return;
    }
  }

  #primary(): void {
    if (this.#accept("(")) {
      this.#expression();
      this.#expect(")");
    } else if (this.#accept("[")) this.#expressions("]");
    else if (this.#accept("{")) this.#entries();
    else if (this.#peek().kind === "literal") this.#next++;
    else {
      this.#accept(".");
      if (this.#is("in") || this.#peek().kind !== "word") this.#refuse("an operand");
      this.#next++;
      if (this.#accept("(")) this.#expressions(")");
    }
  }
}
