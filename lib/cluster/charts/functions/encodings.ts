/**
 * Functions of charts for JSON and YAML. Keys are sorted, as Go's are.
 *
 * @module
 */
import { messageOf } from "../../../kit/base/mod.ts";
import {
  isMap,
  plainOf,
  type TemplateFunction,
  textOf,
  ValueFault,
} from "../../../kit/template/mod.ts";
import { parseYaml, toYaml } from "../../../kit/text/mod.ts";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const ENCODINGS: Readonly<Record<string, TemplateFunction>> = {
  toYaml: yamlOf,
  toYamlPretty: yamlOf,
  fromYaml: (text) => mapFrom(() => parseYaml(textOf(text)) ?? {}),
  fromYamlArray: (text) => listFrom(() => parseYaml(textOf(text)) ?? []),
  toJson: (value) => escaped(JSON.stringify(sorted(value))),
  toPrettyJson: (value) => escaped(JSON.stringify(sorted(value), null, 2)),
  toRawJson: (value) => JSON.stringify(sorted(value)),
  fromJson: (text) => mapFrom(() => JSON.parse(textOf(text))),
  fromJsonArray: (text) => listFrom(() => JSON.parse(textOf(text))),
  b64dec: (text) => {
    try {
      const bytes = Uint8Array.from(atob(textOf(text)), (one) => one.charCodeAt(0));
      return new TextDecoder().decode(bytes);
    } catch {
      throw new ValueFault("b64dec needs a text in base 64");
    }
  },
  b32enc: (text) => {
    const bits = [...new TextEncoder().encode(textOf(text))]
      .map((byte) => byte.toString(2).padStart(8, "0")).join("");
    const letters = bits.replace(/.{1,5}/g, (five) => BASE32[parseInt(five.padEnd(5, "0"), 2)]!);
    return letters.padEnd(Math.ceil(letters.length / 8) * 8, "=");
  },
  b32dec: (text) => {
    const bits = textOf(text).replaceAll("=", "").split("")
      .map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
    const bytes = (bits.match(/[01]{8}/g) ?? []).map((byte) => parseInt(byte, 2));
    return new TextDecoder().decode(Uint8Array.from(bytes));
  },
};

function yamlOf(value: unknown): string {
  return toYaml(sorted(value)).trimEnd();
}

/** The JSON value with sorted keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  // Each level is made plain once: plainOf goes into all levels below.
  const plain = isMap(value) ? value : plainOf(value) ?? null;
  if (!isMap(plain)) return plain;
  return Object.fromEntries(
    Object.keys(plain).sort().map((name) => [name, sorted(plain[name])]),
  );
}

/** Go escapes what HTML would read. */
function escaped(text: string): string {
  return text.replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A map; a mistake is in its key `Error`, which templates may look at. */
function mapFrom(read: () => unknown): unknown {
  try {
    const value = read();
    return isMap(value) ? value : { Error: "the text is not a map" };
  } catch (error) {
    return { Error: messageOf(error) };
  }
}

function listFrom(read: () => unknown): unknown {
  try {
    const value = read();
    return Array.isArray(value) ? value : ["the text is not a list"];
  } catch (error) {
    return [messageOf(error)];
  }
}
