/**
 * Functions of templates for texts.
 *
 * @module
 */
import { ValueFault } from "../value_fault.ts";
import { compileRegex } from "../../text/mod.ts";
import type { TemplateFunction } from "../execute.ts";
import { isTrue, textOf } from "../values.ts";
import { numberOf } from "./numbers.ts";

type Table = Readonly<Record<string, TemplateFunction>>;

/** Longest text that `repeat` and `indent` may make, in characters. */
const MAX_LENGTH = 1 << 20;

/** Functions for texts; the text itself is the last argument. */
export const TEXT_FUNCTIONS: Table = {
  print: (...given) => printed(given),
  println: (...given) => `${given.map(textOf).join(" ")}\n`,
  printf: (format, ...given) => formatted(textOf(format), given),
  toString: textOf,
  quote: (...given) =>
    given.filter((one) => one !== undefined && one !== null).map(quoted).join(" "),
  squote: (...given) => given.map((one) => `'${textOf(one)}'`).join(" "),
  upper: (text) => textOf(text).toUpperCase(),
  lower: (text) => textOf(text).toLowerCase(),
  toUpper: (text) => textOf(text).toUpperCase(),
  toLower: (text) => textOf(text).toLowerCase(),
  title: (text) => textOf(text).replace(/(^|\s)(\S)/g, (_, gap, one) => gap + one.toUpperCase()),
  trim: (text) => textOf(text).trim(),
  trimAll: (set, text) => trimmed(textOf(text), textOf(set)),
  trimSuffix: (suffix, text) => {
    const [end, whole] = [textOf(suffix), textOf(text)];
    return end !== "" && whole.endsWith(end) ? whole.slice(0, -end.length) : whole;
  },
  trimPrefix: (prefix, text) => {
    const [start, whole] = [textOf(prefix), textOf(text)];
    return whole.startsWith(start) ? whole.slice(start.length) : whole;
  },
  trunc: (length, text) => {
    const count = numberOf(length);
    return count < 0 ? textOf(text).slice(count) : textOf(text).slice(0, count);
  },
  substr: (start, end, text) => {
    const last = numberOf(end);
    return textOf(text).slice(Math.max(0, numberOf(start)), last < 0 ? undefined : last);
  },
  contains: (part, text) => textOf(text).includes(textOf(part)),
  hasPrefix: (prefix, text) => textOf(text).startsWith(textOf(prefix)),
  hasSuffix: (suffix, text) => textOf(text).endsWith(textOf(suffix)),
  replace: (from, to, text) => textOf(text).replaceAll(textOf(from), textOf(to)),
  repeat: (count, text) => {
    const [times, one] = [Math.max(0, numberOf(count)), textOf(text)];
    if (times * one.length > MAX_LENGTH) throw new ValueFault("repeat makes too long a text");
    return one.repeat(times);
  },
  nospace: (text) => textOf(text).replace(/\s/g, ""),
  cat: (...given) => given.map(textOf).join(" "),
  // Unlike nindent, it leaves the first line as it is: the action stands where that line begins.
  indent: (width, text) => indented(numberOf(width), textOf(text)).trimStart(),
  nindent: (width, text) => `\n${indented(numberOf(width), textOf(text))}`,
  join: (separator, list) =>
    (Array.isArray(list) ? list : isTrue(list) ? [list] : []).map(textOf).join(textOf(separator)),
  splitList: (separator, text) => textOf(text).split(textOf(separator)),
  split: (separator, text) =>
    Object.fromEntries(textOf(text).split(textOf(separator)).map((one, i) => [`_${i}`, one])),
  b64enc: (text) => btoa(String.fromCharCode(...new TextEncoder().encode(textOf(text)))),
  b64dec: (text) =>
    new TextDecoder().decode(Uint8Array.from(atob(textOf(text)), (one) => one.charCodeAt(0))),
  regexMatch: (pattern, text) => {
    const regex = compileRegex(textOf(pattern));
    if (typeof regex === "string") throw new ValueFault(regex);
    return regex.matchesPart(textOf(text));
  },
};

function printed(given: readonly unknown[]): string {
  return given.map(textOf).join("");
}

function quoted(value: unknown): string {
  return JSON.stringify(textOf(value));
}

function trimmed(text: string, set: string): string {
  let [start, end] = [0, text.length];
  while (start < end && set.includes(text[start]!)) start++;
  while (end > start && set.includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}

function indented(width: number, text: string): string {
  const lines = text.split("\n");
  if (lines.length * width > MAX_LENGTH) throw new ValueFault("indent makes too long a text");
  const gap = " ".repeat(Math.max(0, width));
  return lines.map((line) => gap + line).join("\n");
}

const VERB = /%([-+#0 ]*)(\d*)(?:\.(\d+))?([a-zA-Z%])/g;

/** `printf` with the verbs `%s`, `%v`, `%d`, `%q`, `%t`, `%f`, `%x`, `%c` and `%%`. */
function formatted(format: string, given: readonly unknown[]): string {
  let next = 0;
  return format.replace(VERB, (all: string, ...groups: (string | undefined)[]) => {
    const [flags = "", width = "", digits, verb = ""] = groups;
    if (verb === "%") return "%";
    if (next >= given.length) throw new ValueFault(`printf has no value for ${all}`);
    const text = converted(verb, given[next++], digits);
    if (text === undefined) throw new ValueFault(`printf does not know ${all}`);
    const size = Math.min(Number(width || 0), MAX_LENGTH);
    if (flags.includes("-")) return text.padEnd(size);
    return text.padStart(size, flags.includes("0") && verb !== "s" ? "0" : " ");
  });
}

/** The text of a value by a verb of `printf`; `undefined` for an unknown verb. */
function converted(verb: string, value: unknown, digits?: string): string | undefined {
  if (verb === "s" || verb === "v" || verb === "t") return textOf(value);
  if (verb === "d") return String(Math.trunc(numberOf(value)));
  if (verb === "f") return numberOf(value).toFixed(digits === undefined ? 6 : Number(digits));
  if (verb === "x" || verb === "X") {
    const hex = Math.trunc(numberOf(value)).toString(16);
    return verb === "x" ? hex : hex.toUpperCase();
  }
  if (verb === "c") return String.fromCodePoint(Math.trunc(numberOf(value)));
  return verb === "q" ? quoted(value) : undefined;
}
