/**
 * Functions of charts for texts, paths and addresses.
 *
 * @module
 */
import { posix } from "node:path";
import {
  isMap,
  STANDARD_FUNCTIONS,
  type TemplateFunction,
  textOf,
  ValueFault,
} from "../../../kit/template/mod.ts";
import { isNothing } from "./values.ts";

/** Longest text that `indent` may make, in characters. */
const MAX_LENGTH = 8 << 20;

const printf = STANDARD_FUNCTIONS.get("printf")!;
const trimAll = STANDARD_FUNCTIONS.get("trimAll")!;

export const TEXTS: Readonly<Record<string, TemplateFunction>> = {
  print: (...given) =>
    given.map((one, at) => {
      const gap = at > 0 && typeof one !== "string" && typeof given[at - 1] !== "string";
      return (gap ? " " : "") + goText(one);
    }).join(""),
  println: (...given) => `${given.map(goText).join(" ")}\n`,
  printf: (format, ...given) => printf(format, ...given.map((one) => one ?? "<nil>")),
  toString: goText,
  squote: (...given) =>
    given.filter((one) => !isNothing(one)).map((one) => `'${textOf(one)}'`).join(" "),
  cat: (...given) => given.filter((one) => !isNothing(one)).map(textOf).join(" "),
  indent: (width, text) => indented(Number(width), textOf(text)),
  nindent: (width, text) => `\n${indented(Number(width), textOf(text))}`,
  trimall: trimAll,
  untitle: (text) => textOf(text).replace(/(^|\s)(\S)/g, (_, gap, one) => gap + one.toLowerCase()),
  swapcase: (text) =>
    textOf(text).replace(
      /./gu,
      (one) => one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase(),
    ),
  snakecase: (text) => wordsOf(textOf(text)).join("_"),
  kebabcase: (text) => wordsOf(textOf(text)).join("-"),
  camelcase: (text) =>
    wordsOf(textOf(text)).map((word) => word[0]!.toUpperCase() + word.slice(1)).join(""),
  initials: (text) => textOf(text).split(/\s+/).map((word) => word[0] ?? "").join(""),
  plural: (one, many, count) => Number(count) === 1 ? one : many,
  abbrev: (width, text) => {
    const [most, whole] = [Number(width), textOf(text)];
    return most < 4 || whole.length <= most ? whole : `${whole.slice(0, most - 3)}...`;
  },
  wrap: (width, text) => wrapped(Number(width), "\n", textOf(text)),
  wrapWith: (width, separator, text) => wrapped(Number(width), textOf(separator), textOf(text)),
  splitn: (separator, count, text) => {
    const [by, most] = [textOf(separator), Number(count)];
    const parts = textOf(text).split(by);
    const kept = [...parts.slice(0, most - 1), parts.slice(most - 1).join(by)];
    return Object.fromEntries(
      (parts.length < most ? parts : kept).map((one, at) => [`_${at}`, one]),
    );
  },
  base: (path) => textOf(path) === "" ? "." : posix.basename(textOf(path)) || "/",
  dir: (path) => posix.dirname(textOf(path)),
  clean: (path) => {
    const clean = posix.normalize(textOf(path));
    return clean.length > 1 ? clean.replace(/\/$/, "") : clean;
  },
  ext: (path) => /\.[^./]*$/.exec(textOf(path))?.[0] ?? "",
  isAbs: (path) => textOf(path).startsWith("/"),
  osBase: (path) => TEXTS.base!(path),
  osDir: (path) => TEXTS.dir!(path),
  osClean: (path) => TEXTS.clean!(path),
  osExt: (path) => TEXTS.ext!(path),
  osIsAbs: (path) => TEXTS.isAbs!(path),
  urlquery: (text) => encodeURIComponent(textOf(text)).replaceAll("%20", "+"),
  urlParse: (text) => {
    const url = URL.parse(textOf(text));
    if (url === null) throw new ValueFault(`${JSON.stringify(text)} is not a URL`);
    const { hostname, port, pathname, search, hash, protocol, username, password } = url;
    return {
      fragment: hash.slice(1),
      host: port === "" ? hostname : `${hostname}:${port}`,
      hostname,
      opaque: "",
      path: pathname,
      query: search.slice(1),
      scheme: protocol.slice(0, -1),
      userinfo: password === "" ? username : `${username}:${password}`,
    };
  },
  urlJoin: (parts) => {
    if (!isMap(parts)) throw new ValueFault("urlJoin needs a map, such as urlParse makes");
    const part = (name: string, before: string, after = "") =>
      isNothing(parts[name]) || parts[name] === "" ? "" : before + textOf(parts[name]) + after;
    return part("scheme", "", "://") + part("userinfo", "", "@") + part("host", "") +
      part("path", "") + part("query", "?") + part("fragment", "#");
  },
};

/** The text that Go prints for a value; an action prints nothing for nothing. */
function goText(value: unknown): string {
  return isNothing(value) ? "<nil>" : textOf(value);
}

function indented(width: number, text: string): string {
  const lines = text.split("\n");
  if (lines.length * width > MAX_LENGTH) throw new ValueFault("indent makes too long a text");
  const gap = " ".repeat(Math.max(0, width));
  return gap + lines.join(`\n${gap}`);
}

/** The words of a name in capitals, dashes, underscores or blanks, in small letters. */
function wordsOf(text: string): string[] {
  return (text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase());
}

function wrapped(width: number, separator: string, text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join(separator);
}
