/**
 * Positions in the text of a JSON document, for edits that leave all other bytes as they are.
 *
 * @module
 */

/** A value with its place in the text. */
export interface JsonSpan {
  readonly kind: "object" | "array" | "other";
  readonly start: number;
  /** Behind the last character. */
  readonly end: number;
  /** Members of an object, in the order of the text; a key may come twice. */
  readonly members: readonly JsonMember[];
  /** Items of an array. */
  readonly items: readonly JsonSpan[];
}

/** A member of an object: from `start`, where its key begins, to the end of the value. */
export interface JsonMember {
  readonly key: string;
  readonly start: number;
  readonly value: JsonSpan;
}

/** Deepest nesting that is read. */
const MAX_DEPTH = 64;

/**
 * Finds the places of all values.
 *
 * @param text a document that `JSON.parse` has taken
 * @throws RangeError for a document that is nested too deeply
 */
export function spansOf(text: string): JsonSpan {
  return new Scanner(text).value(skipSpace(text, 0), 0);
}

/** The last member of a name, which is the one that readers of JSON use. */
export function memberOf(span: JsonSpan, key: string): JsonMember | undefined {
  return span.members.findLast((member) => member.key === key);
}

/** The text without some of the items or members of a value, with the commas that belong to them. */
export function withoutParts(
  text: string,
  all: readonly { readonly start: number; readonly end: number }[],
  isRemoved: (at: number) => boolean,
): string {
  const kept = all.map((part, at) => ({ ...part, at })).filter(({ at }) => !isRemoved(at));
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined || kept.length === all.length) return text;
  const parts = kept.map(({ start, end, at }, index) => {
    if (index === 0) return text.slice(start, end);
    // What stands between a part and the one before it: the comma and white space.
    return text.slice(all[at - 1]!.end, start) + text.slice(start, end);
  });
  return text.slice(0, first.start) + parts.join("") + text.slice(last.end);
}

/** The white space before a place, if nothing else is before it on its line. */
export function indentAt(text: string, at: number): string | undefined {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return text.lastIndexOf("\n", at - 1) >= 0 && /^[ \t]*$/.test(line) ? line : undefined;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\r\n".includes(text[at]!)) at++;
  return at;
}

/** Reads a valid document; it checks nothing but the depth. */
class Scanner {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  value(start: number, depth: number): JsonSpan {
    if (depth > MAX_DEPTH) throw new RangeError(`it is nested more than ${MAX_DEPTH} deep`);
    switch (this.#text[start]) {
      case "{":
        return this.#object(start, depth);
      case "[":
        return this.#array(start, depth);
      case '"':
        return other(start, this.#stringEnd(start));
      default: {
        const rest = /[^\s,\]}]+/y;
        rest.lastIndex = start;
        rest.exec(this.#text);
        return other(start, Math.max(start + 1, rest.lastIndex));
      }
    }
  }

  #object(start: number, depth: number): JsonSpan {
    const members: JsonMember[] = [];
    let at = skipSpace(this.#text, start + 1);
    while (this.#text[at] === '"') {
      const keyEnd = this.#stringEnd(at);
      const key = String(JSON.parse(this.#text.slice(at, keyEnd)));
      const colon = skipSpace(this.#text, keyEnd);
      const value = this.value(skipSpace(this.#text, colon + 1), depth + 1);
      members.push({ key, start: at, value });
      at = this.#next(value.end);
    }
    return { kind: "object", start, end: at + 1, members, items: [] };
  }

  #array(start: number, depth: number): JsonSpan {
    const items: JsonSpan[] = [];
    let at = skipSpace(this.#text, start + 1);
    while (at < this.#text.length && this.#text[at] !== "]") {
      const item = this.value(at, depth + 1);
      items.push(item);
      at = this.#next(item.end);
    }
    return { kind: "array", start, end: at + 1, members: [], items };
  }

  /** The start of the next part, or of the closing bracket. */
  #next(end: number): number {
    const at = skipSpace(this.#text, end);
    return this.#text[at] === "," ? skipSpace(this.#text, at + 1) : at;
  }

  #stringEnd(start: number): number {
    let at = start + 1;
    while (this.#text[at] !== '"') at += this.#text[at] === "\\" ? 2 : 1;
    return at + 1;
  }
}

function other(start: number, end: number): JsonSpan {
  return { kind: "other", start, end, members: [], items: [] };
}
