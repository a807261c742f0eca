/**
 * Values of templates: JSON values, structures with named fields, lists and maps.
 *
 * @module
 */
import { ValueFault } from "./value_fault.ts";

/**
 * A structure: its fields are found by the names that Go programs give them, so `.Spec.DNSPolicy` is
 * `spec.dnsPolicy`. A field that is not set is `undefined`.
 */
export class Structure {
  readonly value: Readonly<Record<string, unknown>>;
  /** The JSON that `protoToJSON` gives; default: all fields. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  readonly #fields: ReadonlyMap<string, string>;

  constructor(
    value: Readonly<Record<string, unknown>>,
    json?: Readonly<Record<string, unknown>>,
  ) {
    this.value = value;
    this.json = json;
    this.#fields = new Map(Object.keys(value).map((name) => [plain(name), name]));
  }

  /** The value of a field, or of a method such as `GetValue` and `GetTracing`. */
  field(name: string): unknown {
    const key = this.#fields.get(plain(name)) ??
      (/^Get[A-Z]/.test(name) ? this.#fields.get(plain(name.slice(3))) : undefined);
    return key === undefined ? undefined : asStructure(this.value[key]);
  }
}

/** A map with methods, such as `.Files` of charts. */
export class Methods {
  readonly methods: Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;
  readonly entries: Readonly<Record<string, unknown>>;

  constructor(
    methods: Readonly<Record<string, (...given: readonly unknown[]) => unknown>>,
    entries: Readonly<Record<string, unknown>> = {},
  ) {
    this.methods = methods;
    this.entries = entries;
  }
}

/** Maps of objects of the orchestrator and of proxies, which are no structures. */
const MAPS: ReadonlySet<string> = new Set([
  "labels",
  "annotations",
  "nodeSelector",
  "matchLabels",
  "limits",
  "requests",
  "proxyMetadata",
  "runtimeValues",
  "overhead",
  "infrastructureLabels",
  "infrastructureAnnotations",
  "values",
]);

/** Wraps objects within an object of the orchestrator or a message; maps of texts stay plain. */
export function structureOf(
  value: Readonly<Record<string, unknown>>,
  json?: Readonly<Record<string, unknown>>,
): Structure {
  return new Structure(
    Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        MAPS.has(name) ? new Dictionary(one) : one,
      ]),
    ),
    json,
  );
}

/** Marks a map whose keys are data. */
class Dictionary {
  readonly entries: Readonly<Record<string, unknown>>;
  constructor(value: unknown) {
    this.entries = isMap(value) ? value : {};
  }
}

function asStructure(value: unknown): unknown {
  if (value instanceof Dictionary) return value.entries;
  if (Array.isArray(value)) return value.map(asStructure);
  return isMap(value) ? structureOf(value) : value;
}

function plain(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/** True for a map: a plain object. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A field of a value. `null` and missing values have none, and give `undefined`. */
export function fieldOf(value: unknown, name: string): unknown {
  if (value === undefined || value === null) return undefined;
  if (value instanceof Structure) return value.field(name);
  if (value instanceof Methods) {
    return Object.hasOwn(value.methods, name) ? value.methods[name] : fieldOf(value.entries, name);
  }
  if (isMap(value)) return Object.hasOwn(value, name) ? value[name] : undefined;
  // Enums and wrappers of scalars are scalars here.
  if (name === "String" || name === "GetValue" || name === "Value") return value;
  throw new ValueFault(`${kindOf(value)} has no field ${name}`);
}

/** False for what Go calls empty: false, 0, "", nothing, empty lists and maps. */
export function isTrue(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (isMap(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** The text of a value in the output. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return `[${value.map(textOf).join(" ")}]`;
  const map = value instanceof Structure ? value.value : value;
  if (!isMap(map)) return String(value);
  const entries = Object.entries(map).sort(([a], [b]) => a < b ? -1 : 1);
  return `map[${entries.map(([name, one]) => `${name}:${textOf(one)}`).join(" ")}]`;
}

/** The plain value within structures, for JSON and YAML. */
export function plainOf(value: unknown): unknown {
  if (value instanceof Structure) return plainOf(value.value);
  if (value instanceof Dictionary) return value.entries;
  if (Array.isArray(value)) return value.map(plainOf);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plainOf(one)]));
}

/** The type of a value, in messages. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  return isMap(value) || value instanceof Structure ? "a map" : `a ${typeof value}`;
}
