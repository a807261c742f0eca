/**
 * Parses templates of the language of Go's `text/template`.
 *
 * @module
 */
import type { Command, Definitions, Node, Operand, Pipe, TemplatePosition } from "./ast.ts";
import { TemplateFault, templateFault } from "./fault.ts";
import { type Piece, scan, type Token } from "./scan.ts";

/** Deepest nesting of blocks and of parentheses. */
const MAX_DEPTH = 100;

/**
 * Parses a template.
 *
 * @param template its name, for messages
 * @param functions names of the functions that it may call
 * @throws MeshError `template` with the line of the mistake
 */
export function parseTemplate(
  template: string,
  text: string,
  functions: ReadonlySet<string>,
): Definitions {
  return new Parser(template, scan(template, text), functions).parse();
}

interface Block {
  readonly nodes: Node[];
  /** The keyword that ended it: `end`, `else`, or the end of the text. */
  readonly end: "end" | "else" | "eof";
  /** The tokens after `else`, such as `if .X`. */
  readonly rest: Cursor | undefined;
}

class Parser {
  readonly #definitions = new Map<string, readonly Node[]>();
  readonly #template: string;
  readonly #pieces: readonly Piece[];
  readonly #functions: ReadonlySet<string>;
  #at = 0;
  #depth = 0;

  constructor(template: string, pieces: readonly Piece[], functions: ReadonlySet<string>) {
    this.#template = template;
    this.#pieces = pieces;
    this.#functions = functions;
  }

  parse(): Definitions {
    const { nodes, end } = this.#block();
    if (end !== "eof") throw this.#fault(this.#last(), `unexpected {{${end}}}`);
    this.#definitions.set("", nodes);
    return this.#definitions;
  }

  #block(): Block {
    const nodes: Node[] = [];
    while (this.#at < this.#pieces.length) {
      const piece = this.#pieces[this.#at++]!;
      if (piece.kind === "text") {
        nodes.push(piece);
        continue;
      }
      const cursor = new Cursor(piece.tokens, piece.at);
      const word = cursor.peek()?.kind === "word" ? cursor.peek()!.value : "";
      if (word === "end" || word === "else") {
        cursor.next();
        const rest = cursor.isDone() ? undefined : cursor;
        return { nodes, end: word, rest };
      }
      const node = this.#action(cursor, String(word));
      if (node !== undefined) nodes.push(node);
    }
    return { nodes, end: "eof", rest: undefined };
  }

  #action(cursor: Cursor, word: string): Node | undefined {
    switch (word) {
      case "if":
      case "with":
      case "range":
        cursor.next();
        return this.#branch(word, cursor);
      case "define":
      case "block":
        return this.#define(cursor, word);
      case "template": {
        cursor.next();
        const name = this.#name(cursor);
        const pipe = cursor.isDone() ? undefined : this.#pipe(cursor);
        return { kind: "template", name, pipe, at: cursor.at };
      }
      case "break":
      case "continue":
        return { kind: word };
      default: {
        if (cursor.isDone()) throw this.#fault(cursor.at, "this action is empty");
        return { kind: "action", pipe: this.#pipe(cursor) };
      }
    }
  }

  #branch(kind: "if" | "with" | "range", cursor: Cursor): Node {
    if (++this.#depth > MAX_DEPTH) throw this.#fault(cursor.at, "blocks are nested too deeply");
    const pipe = this.#pipe(cursor);
    const { nodes: body, end, rest } = this.#block();
    if (end === "eof") throw this.#fault(cursor.at, `{{${kind}}} has no {{end}}`);
    let otherwise: readonly Node[] = [];
    if (end === "else" && rest !== undefined) {
      const next = rest.next();
      if (next.value !== "if" && next.value !== "with" || kind === "range") {
        throw this.#fault(next, `unexpected ${next.value} after else`);
      }
      otherwise = [this.#branch(next.value as "if" | "with", rest)];
    } else if (end === "else") {
      const second = this.#block();
      if (second.end !== "end") throw this.#fault(cursor.at, `{{${kind}}} has no {{end}}`);
      otherwise = second.nodes;
    }
    this.#depth--;
    return { kind, pipe, body, otherwise };
  }

  #define(cursor: Cursor, word: "define" | "block"): Node | undefined {
    cursor.next();
    const name = this.#name(cursor);
    const pipe = word === "block" ? this.#pipe(cursor) : undefined;
    const { nodes, end, rest } = this.#block();
    if (end !== "end" || rest) throw this.#fault(cursor.at, `{{${word} "${name}"}} has no {{end}}`);
    this.#definitions.set(name, nodes);
    return word === "block" ? { kind: "template", name, pipe, at: cursor.at } : undefined;
  }

  #name(cursor: Cursor): string {
    const token = cursor.peek();
    if (token?.kind !== "string") throw this.#fault(cursor.at, "a quoted name is expected here");
    cursor.next();
    return String(token.value);
  }

  #pipe(cursor: Cursor, inParentheses = false): Pipe {
    const at = cursor.peek() ?? cursor.at;
    const { variables, declares } = this.#declaration(cursor);
    const commands: Command[] = [];
    do commands.push(this.#command(cursor)); while (cursor.takes("|"));
    if (inParentheses) {
      if (!cursor.takes(")")) throw this.#fault(at, "this parenthesis is not closed");
    } else if (!cursor.isDone()) {
      throw this.#fault(cursor.peek()!, `unexpected ${cursor.peek()!.value}`);
    }
    return { line: at.line, column: at.column, variables, declares, commands };
  }

  #declaration(cursor: Cursor): Pick<Pipe, "variables" | "declares"> {
    const none = { variables: [], declares: true };
    const [first, second, third, fourth] = cursor.ahead(4);
    if (first?.kind !== "variable") return none;
    const isAssignment = (token?: Token) => token?.value === ":=" || token?.value === "=";
    if (second?.kind === "symbol" && isAssignment(second)) {
      cursor.skip(2);
      return { variables: [String(first.value)], declares: second.value === ":=" };
    }
    if (second?.value === "," && third?.kind === "variable" && isAssignment(fourth)) {
      cursor.skip(4);
      const variables = [String(first.value), String(third.value)];
      return { variables, declares: fourth!.value === ":=" };
    }
    return none;
  }

  #command(cursor: Cursor): Command {
    const operands: Operand[] = [];
    for (;;) {
      const token = cursor.peek();
      if (token === undefined || token.value === "|" && token.kind === "symbol") break;
      if (token.value === ")" && token.kind === "symbol") break;
      operands.push(this.#operand(cursor));
    }
    if (operands.length === 0) throw this.#fault(cursor.peek() ?? cursor.at, "a value is missing");
    return operands;
  }

  #operand(cursor: Cursor): Operand {
    const token = cursor.next();
    const at = { line: token.line, column: token.column };
    const base = this.#base(token, cursor);
    const fields: string[] = token.kind === "field" ? [String(token.value)] : [];
    for (let next = cursor.peek(); next?.kind === "field" && !next.spaced; next = cursor.peek()) {
      fields.push(String(cursor.next().value));
    }
    return { ...base, ...at, fields };
  }

  #base(token: Token, cursor: Cursor) {
    const { kind, value } = token;
    if (kind === "field") return { kind: "dot" as const };
    if (kind === "variable") return { kind: "variable" as const, name: String(value) };
    if (kind === "string" || kind === "number") return { kind: "literal" as const, value };
    if (kind === "word") {
      const constant = CONSTANTS.get(String(value));
      if (constant !== undefined) return { kind: "literal" as const, value: constant.value };
      if (this.#functions.has(String(value))) {
        return { kind: "function" as const, name: String(value) };
      }
      throw new TemplateFault(this.#template, token, `the function ${value} is not known`, true);
    }
    if (value === ".") return { kind: "dot" as const };
    if (value === "(") {
      if (++this.#depth > MAX_DEPTH) throw this.#fault(token, "parentheses are nested too deeply");
      const pipe = this.#pipe(cursor, true);
      this.#depth--;
      return { kind: "pipe" as const, pipe };
    }
    throw this.#fault(token, `unexpected ${value}`);
  }

  #last(): TemplatePosition {
    const piece = this.#pieces[this.#at - 1];
    return piece?.kind === "action" ? piece.at : { line: 1, column: 1 };
  }

  #fault(at: TemplatePosition, what: string): TemplateFault {
    return templateFault(this.#template, at, what);
  }
}

const CONSTANTS: ReadonlyMap<string, { readonly value: boolean | null }> = new Map([
  ["true", { value: true }],
  ["false", { value: false }],
  ["nil", { value: null }],
]);

/** The tokens of one action, with the next one to read. */
class Cursor {
  readonly at: TemplatePosition;
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[], at: TemplatePosition) {
    this.#tokens = tokens;
    this.at = at;
  }

  peek(): Token | undefined {
    return this.#tokens[this.#next];
  }

  ahead(count: number): readonly Token[] {
    return this.#tokens.slice(this.#next, this.#next + count);
  }

  /** Only called where `peek` has a token. */
  next(): Token {
    return this.#tokens[this.#next++]!;
  }

  skip(count: number): void {
    this.#next += count;
  }

  takes(symbol: string): boolean {
    const token = this.peek();
    if (token?.kind !== "symbol" || token.value !== symbol) return false;
    this.#next++;
    return true;
  }

  isDone(): boolean {
    return this.#next >= this.#tokens.length;
  }
}
