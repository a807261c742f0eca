/**
 * The type of an unquoted word in YAML 1.1, as the orchestrator's tools read it: dates, base-60
 * numbers and binary data are strings.
 *
 * @module
 */
import type { ScalarNode } from "./compose.ts";
import { YamlFault } from "./yaml_fault.ts";

/** Scalar types of https://yaml.org/type/. */
const NULL = /^(?:~|[Nn]ull|NULL)?$/;
const TRUE = /^(?:[Yy](?:es)?|YES|[Tt]rue|TRUE|[Oo]n|ON)$/;
const FALSE = /^(?:[Nn]o?|NO|[Ff]alse|FALSE|[Oo]ff|OFF)$/;
const INTEGER = /^[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]+|0|[1-9][0-9_]*)$/;
const DECIMAL = /^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?$/;
const INFINITE = /^([-+]?)\.(?:inf|Inf|INF)$/;
const NAN = /^\.(?:nan|NaN|NAN)$/;

/** Words with another first character are strings. */
const MAY_BE_MORE = /^(?:[-+.0-9~]|[yYnNtTfFoO]|$)/;

/** The value of a word. Integers beyond 2^53 keep their digits as bigint. */
export function plainValue(text: string): unknown {
  if (!MAY_BE_MORE.test(text)) return text;
  if (NULL.test(text)) return null;
  if (TRUE.test(text)) return true;
  if (FALSE.test(text)) return false;
  if (INTEGER.test(text)) return integer(text);
  if (DECIMAL.test(text)) return Number(text.replaceAll("_", ""));
  const infinite = INFINITE.exec(text);
  if (infinite !== null) return infinite[1] === "-" ? -Infinity : Infinity;
  return NAN.test(text) ? NaN : text;
}

function integer(text: string): number | bigint | string {
  const digits = text.replaceAll("_", "").replace(/^[-+]/, "");
  const form = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
  // A prefix alone, as in `0x_`, is a word.
  if (/^0[bx]$/.test(form)) return text;
  const size = BigInt(form);
  const value = text.startsWith("-") ? -size : size;
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
    ? Number(value)
    : value;
}

/** Conversions of the core schema's tags. */
const SCALAR_TAGS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["null", (value) => value === null],
  ["bool", (value) => typeof value === "boolean"],
  ["int", (value) => typeof value === "bigint" || Number.isInteger(value)],
  ["float", (value) => typeof value === "number"],
]);

/** The value of a scalar with its tag. @throws {YamlFault} for an unknown or unsuitable tag. */
export function scalarValue(node: ScalarNode): unknown {
  const { text, plain } = node;
  if (node.tag === undefined) return plain ? plainValue(text) : text;
  const tag = shortTag(node.tag);
  if (tag === "str" || tag === "!") return text;
  const fits = SCALAR_TAGS.get(tag);
  const value = plainValue(text);
  if (fits?.(value) === true) return value;
  throw badTag(node.tag, node.offset);
}

/** Checks the tag of a collection. @throws {YamlFault} for a tag of another type. */
export function checkTag(tag: string | undefined, expected: "map" | "seq", offset: number): void {
  if (tag === undefined || tag === "!" || shortTag(tag) === expected) return;
  throw badTag(tag, offset);
}

function badTag(tag: string, offset: number): YamlFault {
  return new YamlFault("yaml-tag", `the tag ${tag} does not fit here`, "Remove the tag.", offset);
}

function shortTag(tag: string): string {
  return tag.replace(/^!<tag:yaml\.org,2002:(.*)>$/, "$1").replace(/^!!/, "");
}
