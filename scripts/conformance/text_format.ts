/**
 * Messages in the text format of protobuf, as JSON: the form in which the corpus `bootstrap` has
 * proxy configurations.
 *
 * @module
 */
import type { JsonObject, JsonValue } from "../../lib/kit/proto/mod.ts";

const TOKEN = /\s*(?:#[^\n]*\n\s*)*("(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*|-?[\d.]+|[{}[\]:,;<>])/y;

/**
 * Reads a message. Names of fields are in camel case then; a message of `seconds` and `nanos` is the
 * text of a duration; a field that comes several times is a list.
 *
 * @throws Error for text of another form
 */
export function fromTextFormat(text: string): JsonObject {
  const tokens = tokensOf(text);
  const message = messageOf(tokens, undefined);
  if (tokens.length > 0) throw new Error(`unexpected ${tokens[0]}`);
  return message;
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    if (match[1] !== undefined) tokens.push(match[1]);
  }
  return tokens;
}

function messageOf(tokens: string[], end: string | undefined): JsonObject {
  const message: Record<string, JsonValue> = {};
  while (tokens.length > 0 && tokens[0] !== end) {
    const name = (tokens.shift() ?? "").replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
    if (tokens[0] === ":") tokens.shift();
    put(message, name, valueOf(tokens));
    if (tokens[0] === "," || tokens[0] === ";") tokens.shift();
  }
  if (end !== undefined && tokens.shift() !== end) throw new Error(`${end} is missing`);
  return message;
}

/** Entries of maps are messages of a key and a value. */
function put(message: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (Array.isArray(value) && value.some((one) => typeof one === "object")) {
    for (const one of value) put(message, name, one);
    return;
  }
  const before = message[name];
  const entry = value as { readonly key?: string; readonly value?: JsonValue };
  if (typeof value === "object" && typeof entry?.key === "string") {
    message[name] = { ...before as JsonObject, [entry.key]: entry.value ?? "" };
  } else if (before === undefined) message[name] = value;
  else message[name] = [...Array.isArray(before) ? before : [before], value];
}

function valueOf(tokens: string[]): JsonValue {
  const token = tokens.shift() ?? "";
  if (token === "{" || token === "<") {
    return durationOr(messageOf(tokens, token === "{" ? "}" : ">"));
  }
  if (token === "[") {
    const list: JsonValue[] = [];
    while (tokens.length > 0 && tokens[0] !== "]") {
      list.push(valueOf(tokens));
      if (tokens[0] === ",") tokens.shift();
    }
    tokens.shift();
    return list;
  }
  if (token.startsWith('"')) return JSON.parse(token);
  if (token === "true" || token === "false") return token === "true";
  return /^-?[\d.]+$/.test(token) ? Number(token) : token;
}

function durationOr(message: JsonObject): JsonValue {
  const keys = Object.keys(message);
  const isDuration = keys.length > 0 && keys.every((key) => key === "seconds" || key === "nanos");
  if (!isDuration) return message;
  return `${Number(message.seconds ?? 0) + Number(message.nanos ?? 0) / 1e9}s`;
}
