/**
 * Indents the lines inside brackets and quotes. YAML 1.2 requires deeper indentation than
 * that of the parent's key; the orchestrator's tools accept any:
 *
 * ```yaml
 * spec: {
 *   port: 80
 * }
 * ```
 *
 * @module
 */

/** A text with other indentation, and the way back. */
export interface IndentedText {
  readonly text: string;
  /** The offset in the text as written, for an offset in {@link text}. */
  readonly original: (offset: number) => number;
}

/** A line of the text that gets other indentation. */
interface Line {
  /** Offset of its first character. */
  readonly start: number;
  /** Length of its spaces and tabs. */
  readonly lead: number;
  /** Number of spaces that replace them. */
  readonly indent: number;
}

/**
 * Gives every line that begins inside brackets or quotes an indentation that YAML 1.2 accepts;
 * `undefined` when there is no such line, or when the text would become longer than `maxLength`.
 */
export function indentFlowLines(text: string, maxLength: number): IndentedText | undefined {
  const lines = new Scanner(text).scan();
  const growth = lines.reduce((sum, { lead, indent }) => sum + indent - lead, 0);
  if (lines.length === 0 || text.length + growth > maxLength) return undefined;
  let indented = "";
  let end = 0;
  /** Start of each indented line's content: in the new text, and as written. */
  const contents: (readonly [offset: number, original: number])[] = [];
  for (const { start, lead, indent } of lines) {
    indented += text.slice(end, start) + " ".repeat(indent);
    end = start + lead;
    contents.push([indented.length, end]);
  }
  return {
    text: indented + text.slice(end),
    original(offset) {
      const last = contents[countUpTo(contents, offset) - 1];
      return last === undefined ? offset : Math.min(offset - last[0] + last[1], text.length);
    },
  };
}

/** Number of entries, ascending, that begin at an offset or before it. */
function countUpTo(
  entries: readonly (readonly [offset: number, unknown])[],
  offset: number,
): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle]![0] <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

const LINE_FEED = 10;
const SPACES = /[ \t]*/y;
/** The header of a block scalar. */
const BLOCK = /[|>][-+0-9]*[ \t]*(?:#.*)?\r?$/my;
/** Tag, anchor: a node may follow. */
const PROPERTY = /[!&][^\s,[\]{}]*/y;
/** A dash or question mark before a node. */
const INDICATOR = /[-?](?=[ \t\r\n]|$)/y;

/** Finds the lines inside brackets and quotes. */
class Scanner {
  readonly #text: string;
  readonly #lines: Line[] = [];
  #at = 0;
  /** Indentation of the parent of the node that may start here. */
  #parent = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): Line[] {
    while (this.#at < this.#text.length) this.#scanLine();
    return this.#lines;
  }

  /** One line of block context, with the lines of the brackets, quotes or block that start in it. */
  #scanLine(): void {
    const start = this.#at;
    this.#parent = 0;
    // A node may start at the line's start, and after each dash, colon, tag and anchor.
    for (let mayStart = true;;) {
      this.#skip(SPACES);
      const char = this.#text[this.#at];
      if (char === undefined) return;
      if (char === "\n") return void this.#at++;
      if (char === "#" && (this.#at === start || /[ \t]/.test(this.#text[this.#at - 1]!))) {
        return this.#skipLine();
      }
      if (!mayStart) {
        mayStart = this.#skipWord();
        continue;
      }
      if (this.#skip(INDICATOR)) {
        this.#parent = this.#at - 1 - start;
      } else if (this.#skip(BLOCK)) {
        return this.#skipBlock();
      } else if (!this.#skip(PROPERTY)) {
        this.#scanNode(this.#at - start);
        mayStart = false;
      }
    }
  }

  /** A node in block context at a column: brackets, quotes, or the start of a word. */
  #scanNode(column: number): void {
    const char = this.#text[this.#at]!;
    if (char === "[" || char === "{") this.#scanBrackets(column + 1);
    else if (char === '"' || char === "'") this.#scanQuotes(char, column + 1);
    // The node may be a key, the parent of what follows it.
    else this.#parent = column;
  }

  #scanBrackets(indent: number): void {
    for (let depth = 0; this.#at < this.#text.length;) {
      const char = this.#text[this.#at]!;
      const first = /[\s,:[{]/.test(this.#text[this.#at - 1] ?? " ");
      if ((char === '"' || char === "'") && first) {
        this.#scanQuotes(char, indent);
        continue;
      }
      if (char === "#" && /\s/.test(this.#text[this.#at - 1]!)) {
        while (this.#at < this.#text.length && this.#text[this.#at] !== "\n") this.#at++;
        continue;
      }
      this.#at++;
      if (char === "[" || char === "{") depth++;
      else if ((char === "]" || char === "}") && --depth === 0) return;
      else if (char === "\n") this.#startLine(indent);
    }
  }

  #scanQuotes(quote: string, indent: number): void {
    for (this.#at++; this.#at < this.#text.length;) {
      const char = this.#text[this.#at++];
      if (char === "\\" && quote === '"' && this.#text.charCodeAt(this.#at) !== LINE_FEED) {
        this.#at++;
      } else if (char === quote) {
        if (quote === '"' || this.#text[this.#at] !== quote) return;
        this.#at++;
      } else if (char === "\n") {
        this.#startLine(indent);
      }
    }
  }

  /** A line that begins inside brackets or quotes; a blank one stays. */
  #startLine(indent: number): void {
    const start = this.#at;
    this.#skip(SPACES);
    const char = this.#text[this.#at];
    if (char === undefined || char === "\n" || char === "\r") return;
    this.#lines.push({ start, lead: this.#at - start, indent });
  }

  /** The rest of a word; true when it is a key, so that a node may follow. */
  #skipWord(): boolean {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]!;
      if (char === "\n") return false;
      if (char === "#" && /[ \t]/.test(this.#text[this.#at - 1]!)) return false;
      this.#at++;
      if (char === ":" && /^[\s]?$/.test(this.#text[this.#at] ?? "")) return true;
    }
    return false;
  }

  /** The lines of a block scalar: blank ones, and those deeper than the parent. */
  #skipBlock(): void {
    this.#skipLine();
    while (this.#at < this.#text.length) {
      const start = this.#at;
      this.#skip(SPACES);
      const blank = /[\r\n]/.test(this.#text[this.#at] ?? "\n");
      if (!blank && this.#at - start <= this.#parent) {
        this.#at = start;
        return;
      }
      this.#skipLine();
    }
  }

  #skipLine(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end + 1;
  }

  /** Moves behind a match at the current offset; true when something matched. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const length = pattern.exec(this.#text)?.[0].length ?? 0;
    this.#at += length;
    return length > 0;
  }
}
