/**
 * Checks values against a chart's `values.schema.json`.
 *
 * @module
 */
import { isMap } from "../../kit/template/mod.ts";
import { compileRegex, nearest } from "../../kit/text/mod.ts";
import { chartFault } from "./fault.ts";
import { isEqual } from "./functions/values.ts";
import type { Chart, JsonObject } from "./types.ts";

/** Most mistakes that one error names. */
const MAX_MISTAKES = 20;

/**
 * Checks the values of a chart.
 *
 * @throws MeshError `chart` that names each value
 */
export function checkValues(chart: Chart, values: JsonObject): void {
  const text = chart.files.get("values.schema.json");
  if (text === undefined) return;
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch {
    throw chartFault(`chart ${chart.name}: values.schema.json is not JSON`, "Correct the file.");
  }
  const mistakes = new Validator(chart.name, schema).mistakes(values);
  if (mistakes.length === 0) return;
  const shown = mistakes.slice(0, MAX_MISTAKES);
  const rest = mistakes.length - shown.length;
  throw chartFault(
    `chart ${chart.name}: ${shown.join("; ")}${rest > 0 ? `; and ${rest} others` : ""}`,
    `Correct the values; charts/${chart.name}/values.yaml has all of them.`,
  );
}

/** Keywords that check nothing. */
const NOTES: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default"],
  ...["examples", "deprecated", "readOnly", "writeOnly", "format", "then", "else"],
]);

type Schema = JsonObject | boolean;
type Check = (given: unknown, value: unknown, at: Place) => string[];

/** A value with its path, and the schema around a keyword. */
interface Place {
  readonly path: string;
  readonly schema: JsonObject;
}

/** Checks by the keywords of JSON Schema that values of charts use. */
class Validator {
  readonly #chart: string;
  readonly #root: Schema;
  readonly #checks: Readonly<Record<string, Check>>;

  constructor(chart: string, root: unknown) {
    this.#chart = chart;
    this.#root = root as Schema;
    this.#checks = { ...SCALARS, ...this.#ofStructures(), ...this.#ofAlternatives() };
  }

  mistakes(value: unknown): string[] {
    return this.#under(this.#root, value, "");
  }

  #under(schema: unknown, value: unknown, path: string): string[] {
    if (schema === true) return [];
    if (schema === false) return [`${name(path)} must not be set`];
    if (!isMap(schema)) throw this.#wrong(`${name(path)} has a schema that is no map`);
    return Object.entries(schema).flatMap(([keyword, given]) => {
      const check = this.#checks[keyword];
      if (check !== undefined) return check(given, value, { path, schema });
      if (NOTES.has(keyword)) return [];
      throw this.#wrong(`the keyword ${keyword} of JSON Schema is not supported`);
    });
  }

  #ofStructures(): Readonly<Record<string, Check>> {
    return {
      properties: (given, value, { path }) =>
        pairs(given).flatMap(([key, schema]) =>
          isMap(value) && Object.hasOwn(value, key)
            ? this.#under(schema, value[key], joined(path, key))
            : []
        ),
      patternProperties: (given, value, { path }) =>
        pairs(given).flatMap(([pattern, schema]) =>
          pairs(value).filter(([key]) => matches(pattern, key))
            .flatMap(([key, one]) => this.#under(schema, one, joined(path, key)))
        ),
      additionalProperties: (given, value, { path, schema }) => {
        const known = pairs(schema.properties).map(([key]) => key);
        const patterns = pairs(schema.patternProperties).map(([pattern]) => pattern);
        return pairs(value).filter(([key]) =>
          !known.includes(key) && !patterns.some((pattern) => matches(pattern, key))
        ).flatMap(([key, one]) =>
          given === false ? [unknown(joined(path, key), key, known)] : this.#under(
            given,
            one,
            joined(path, key),
          )
        );
      },
      propertyNames: (given, value, { path }) =>
        pairs(value).flatMap(([key]) => this.#under(given, key, `the name ${joined(path, key)}`)),
      items: (given, value, { path }) =>
        Array.isArray(value)
          ? value.flatMap((one, at) =>
            this.#under(Array.isArray(given) ? given[at] ?? true : given, one, `${path}[${at}]`)
          )
          : [],
    };
  }

  #ofAlternatives(): Readonly<Record<string, Check>> {
    return {
      $ref: (given, value, { path }) => this.#under(this.#referred(String(given)), value, path),
      allOf: (given, value, { path }) =>
        listed(given).flatMap((one) => this.#under(one, value, path)),
      anyOf: (given, value, { path }) => {
        const ways = listed(given).map((one) => this.#under(one, value, path));
        return ways.some((way) => way.length === 0) ? [] : nearestWay(ways);
      },
      oneOf: (given, value, { path }) => {
        const ways = listed(given).map((one) => this.#under(one, value, path));
        const fitting = ways.filter((way) => way.length === 0).length;
        if (fitting === 1) return [];
        return fitting === 0 ? nearestWay(ways) : [`${name(path)} fits ${fitting} alternatives`];
      },
      not: (given, value, { path }) =>
        this.#under(given, value, path).length > 0
          ? []
          : [`${name(path)} must not be ${JSON.stringify(value)}`],
      if: (given, value, { path, schema }) => {
        const holds = this.#under(given, value, path).length === 0;
        return this.#under((holds ? schema.then : schema.else) ?? true, value, path);
      },
    };
  }

  #referred(reference: string): unknown {
    let found: unknown = this.#root;
    const [start, ...parts] = reference.split("/");
    for (const part of parts) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      found = isMap(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }
    if (start === "#" && found !== undefined) return found;
    throw this.#wrong(`the reference ${reference} leads nowhere`);
  }

  #wrong(what: string) {
    return chartFault(`chart ${this.#chart}: values.schema.json: ${what}`, "Correct the file.");
  }
}

/** Checks of single values. */
const SCALARS: Readonly<Record<string, Check>> = {
  type: (given, value, { path }) => {
    const types = (Array.isArray(given) ? given : [given]).map(String);
    const isInteger = types.includes("integer") && Number.isInteger(value);
    if (isInteger || types.includes(typeOf(value))) return [];
    return [`${name(path)} must be ${types.join(" or ")}, not ${typeOf(value)}${shown(value)}`];
  },
  enum: (given, value, { path }) => {
    if (listed(given).some((one) => isEqual(one, value))) return [];
    const near = typeof value === "string" ? nearest(value, listed(given).map(String)) : undefined;
    return [
      `${name(path)} must be one of ${listed(given).map((one) => JSON.stringify(one)).join(", ")}` +
      `, not ${JSON.stringify(value)}${near === undefined ? "" : `; did you mean ${near}?`}`,
    ];
  },
  const: (given, value, { path }) =>
    isEqual(given, value) ? [] : [`${name(path)} must be ${JSON.stringify(given)}`],
  required: (given, value, { path }) =>
    isMap(value)
      ? listed(given).filter((key) => !Object.hasOwn(value, String(key)))
        .map((key) => `${joined(path, String(key))} is needed`)
      : [],
  pattern: (given, value, { path }) =>
    typeof value !== "string" || matches(String(given), value)
      ? []
      : [`${name(path)} is ${JSON.stringify(value)}, which does not match ${given}`],
  minimum: bound("at least", (value, limit) => value >= limit),
  maximum: bound("at most", (value, limit) => value <= limit),
  exclusiveMinimum: bound("above", (value, limit) => value > limit),
  exclusiveMaximum: bound("below", (value, limit) => value < limit),
  multipleOf: bound("a multiple of", (value, limit) => value % limit === 0),
  minLength: sized("string", "at least", (size, limit) => size >= limit),
  maxLength: sized("string", "at most", (size, limit) => size <= limit),
  minItems: sized("array", "at least", (size, limit) => size >= limit),
  maxItems: sized("array", "at most", (size, limit) => size <= limit),
  minProperties: sized("object", "at least", (size, limit) => size >= limit),
  maxProperties: sized("object", "at most", (size, limit) => size <= limit),
  uniqueItems: (given, value, { path }) =>
    given === true && Array.isArray(value) &&
      value.some((one, at) => value.slice(at + 1).some((other) => isEqual(one, other)))
      ? [`${name(path)} has an entry twice`]
      : [],
};

function bound(words: string, holds: (value: number, limit: number) => boolean): Check {
  return (given, value, { path }) =>
    typeof value !== "number" || holds(value, Number(given))
      ? []
      : [`${name(path)} must be ${words} ${given}, not ${value}`];
}

function sized(
  type: "string" | "array" | "object",
  words: string,
  holds: (size: number, limit: number) => boolean,
): Check {
  return (given, value, { path }) => {
    if (typeOf(value) !== type) return [];
    const size = type === "object" ? pairs(value).length : (value as string | unknown[]).length;
    return holds(size, Number(given)) ? [] : [`${name(path)} must have ${words} ${given} entries`];
  };
}

/** The mistakes of the alternative that fits best: it goes deeper, or has fewer mistakes. */
function nearestWay(ways: readonly string[][]): string[] {
  const isType = (way: readonly string[]) => way.length === 1 && / must be .*, not /.test(way[0]!);
  if (ways.every(isType)) {
    return [
      ways.map((way, at) => at === 0 ? way[0]! : way[0]!.replace(/^\S+ must be/, "must be"))
        .join(", or "),
    ];
  }
  return ways.toSorted((a, b) => Number(isType(a)) - Number(isType(b)) || a.length - b.length)[0]!;
}

function unknown(path: string, key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return `${path} is not a value of this chart${
    near === undefined ? "" : `; did you mean ${near}?`
  }`;
}

function matches(pattern: string, text: string): boolean {
  const regex = compileRegex(pattern);
  if (typeof regex === "string") {
    throw chartFault(`values.schema.json: the pattern ${pattern}: ${regex}`, "Correct the file.");
  }
  return regex.matchesPart(text);
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function shown(value: unknown): string {
  return typeof value === "object" ? "" : ` ${JSON.stringify(value)}`;
}

function pairs(value: unknown): [string, unknown][] {
  return isMap(value) ? Object.entries(value) : [];
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function joined(path: string, key: string): string {
  const plain = /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
  return path === "" ? plain : `${path}.${plain}`;
}

function name(path: string): string {
  return path === "" ? "the values" : path;
}
