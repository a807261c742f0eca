/**
 * Paths and values of `--set` and of overlays: `a.b[0].c`, `a.b.[name:x].c`, escaped dots, and values
 * with inferred types.
 *
 * @module
 */

/** A step of a path: a key, an index, or the element of a list with a key or a value. */
export type Step =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "element"; readonly key: string; readonly value: string };

/** A scalar whose type was inferred from its text; `text` is what was written. */
export interface InferredValue {
  readonly kind: "inferred";
  readonly text: string;
  readonly value: string | number | boolean | null;
}

/** The value of a setting. */
export type SetValue =
  | InferredValue
  | { readonly kind: "quoted"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly (Exclude<SetValue, { kind: "list" }>)[] };

/** A setting of the command line. */
export interface Setting {
  readonly text: string;
  readonly steps: readonly Step[];
  readonly value: SetValue;
}

/** The reason why a text is no path or no setting. */
export class PathFault extends Error {
  override readonly name = "PathFault";
  constructor(message: string, readonly remedy: string) {
    super(message);
  }
}

const FORM = "Write it as path=value, for example components.pilot.k8s.replicaCount=2.";

/** Takes a text such as `a.b[0].c=v` apart. @throws {PathFault} */
export function parseSetting(text: string): Setting {
  const end = unescapedEnd(text);
  if (end < 0) throw new PathFault("there is no `=`", FORM);
  return { text, steps: parsePath(text.slice(0, end)), value: parseValue(text.slice(end + 1)) };
}

/** The first `=` outside brackets that no backslash escapes. */
function unescapedEnd(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "=") return at;
    else if (text[at] === "[") {
      // Brackets contain anything but their end.
      const end = text.indexOf("]", at);
      if (end > 0) at = end;
    }
  }
  return -1;
}

/** Takes a path apart. @throws {PathFault} */
export function parsePath(text: string): readonly Step[] {
  if (text === "") throw new PathFault("the path is empty", FORM);
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === "[") {
      const end = text.indexOf("]", at);
      if (end < 0) throw new PathFault(`\`[\` without \`]\` in ${text}`, "Close the bracket.");
      steps.push(bracketStep(text.slice(at + 1, end), text));
      at = end + 1;
      if (at < text.length && text[at] !== "." && text[at] !== "[") {
        throw new PathFault(`a \`.\` is missing after \`]\` in ${text}`, "Write a.b[0].c.");
      }
    } else {
      const { key, end } = keyAt(text, at);
      steps.push({ kind: "key", key });
      at = end;
    }
    if (text[at] !== ".") continue;
    at++;
    if (at === text.length) throw new PathFault(`${text} ends with a dot`, "Remove the dot.");
  }
  return steps;
}

function keyAt(text: string, from: number): { readonly key: string; readonly end: number } {
  let key = "";
  let at = from;
  for (; at < text.length && text[at] !== "." && text[at] !== "["; at++) {
    if (text[at] === "\\" && at + 1 < text.length) at++;
    key += text[at];
  }
  if (key === "") {
    throw new PathFault(
      `${text} has an empty name`,
      "Remove one of two dots that follow each other.",
    );
  }
  return { key, end: at };
}

function bracketStep(inside: string, path: string): Step {
  if (/^\d+$/.test(inside)) return { kind: "index", index: Number(inside) };
  const colon = inside.indexOf(":");
  if (colon >= 0) {
    return { kind: "element", key: inside.slice(0, colon), value: inside.slice(colon + 1) };
  }
  throw new PathFault(
    `[${inside}] in ${path} is neither an index nor an element`,
    "Write an index such as [0], or an element such as [name:x].",
  );
}

/** Reads a value; its type is inferred unless it is quoted. @throws {PathFault} */
export function parseValue(text: string): SetValue {
  if (!text.startsWith("{")) return scalarOf(text);
  if (!text.endsWith("}")) {
    throw new PathFault("`{` without `}` in the value", "Write a list as {a,b}.");
  }
  const inside = text.slice(1, -1);
  const items = inside.trim() === "" ? [] : listItems(inside).map(scalarOf);
  const map = items.find((item) =>
    item.kind === "inferred" && /^("[^"]*"|[\w-]+)\s*:\s/.test(item.text)
  );
  if (map !== undefined) {
    throw new PathFault(
      "the value looks like a map, and {…} is a list",
      "Set the fields of a map one by one: a.b=1, a.c=2.",
    );
  }
  return { kind: "list", items };
}

/** Items between commas; commas in quotes and after a backslash belong to the item. */
function listItems(text: string): string[] {
  const items = [""];
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === "\\" && text[at + 1] === ",") {
      items[items.length - 1] += ",";
      at++;
      continue;
    }
    if (char === quote) quote = undefined;
    else if (quote === undefined && (char === '"' || char === "'") && items.at(-1)!.trim() === "") {
      quote = char;
    } else if (char === "," && quote === undefined) {
      items.push("");
      continue;
    }
    items[items.length - 1] += char;
  }
  return items.map((item) => item.trim());
}

const INTEGER = /^-?(0|[1-9][0-9]*)$/;
const FLOAT = /^-?(0|[1-9][0-9]*)\.[0-9]+([eE][+-]?[0-9]+)?$/;

function scalarOf(text: string): Exclude<SetValue, { kind: "list" }> {
  const quoted = /^"([\s\S]*)"$/.exec(text) ?? /^'([\s\S]*)'$/.exec(text);
  if (quoted !== null) return { kind: "quoted", text: quoted[1]! };
  return { kind: "inferred", text, value: inferred(text) };
}

function inferred(text: string): InferredValue["value"] {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  if (INTEGER.test(text)) {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : text;
  }
  return FLOAT.test(text) ? Number(text) : text;
}

/** A path as it is written. */
export function pathText(steps: readonly Step[]): string {
  return steps.map((step, at) => {
    if (step.kind === "index") return `[${step.index}]`;
    const dot = at === 0 ? "" : ".";
    if (step.kind === "element") return `${dot}[${step.key}:${step.value}]`;
    return dot + step.key.replace(/[.\\[=]/g, (char) => `\\${char}`);
  }).join("");
}
