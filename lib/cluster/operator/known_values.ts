/**
 * The values that charts know: names and types, from `values.yaml` and `values.schema.json`.
 *
 * @module
 */
import type { Chart } from "../charts/mod.ts";
import { DEFAULT_VALUES } from "../inject/mod.ts";
import type { ComponentKind } from "./components.ts";
import { isEmpty, isTree, memberOf, type Tree } from "./tree.ts";

/** The knowledge about the value at one path. */
export interface Known {
  /** True: everything below is accepted. */
  readonly isFree: boolean;
  readonly names: readonly string[];
  readonly child: (name: string) => Known | undefined;
  readonly item: () => Known | undefined;
  /** The types that are expected in words, if the value has none of them. */
  readonly refusal: (value: unknown) => string | undefined;
  /** True: a text is expected, so that `1.10` is not a number. */
  readonly isText: boolean;
}

const ANYTHING: Known = {
  isFree: true,
  names: [],
  child: () => ANYTHING,
  item: () => ANYTHING,
  refusal: () => undefined,
  isText: false,
};

/** Values with names of one's own. */
export function knownMap(children: ReadonlyMap<string, Known>): Known {
  return {
    isFree: false,
    names: [...children.keys()],
    child: (name) => children.get(name),
    item: () => undefined,
    refusal: (value) => isTree(value) || value === null ? undefined : "a map",
    isText: false,
  };
}

/** The knowledge of any of several. */
export function knownByAny(all: readonly Known[]): Known {
  const [one, second] = all;
  if (one !== undefined && second === undefined) return one;
  return {
    isFree: all.some(({ isFree }) => isFree),
    names: [...new Set(all.flatMap(({ names }) => names))],
    child: (name) => {
      const found = all.flatMap((known) => known.child(name) ?? []);
      return found.length === 0 ? undefined : knownByAny(found);
    },
    item: () => {
      const found = all.flatMap((known) => known.item() ?? []);
      return found.length === 0 ? undefined : knownByAny(found);
    },
    refusal: (value) => {
      const refusals = all.map((known) => known.refusal(value));
      if (refusals.includes(undefined)) return undefined;
      return [...new Set(refusals)].join(" or ");
    },
    isText: all.every(({ isText }) => isText),
  };
}

/**
 * The values of the chart of a component. The control plane passes those of injected proxies on, which
 * the chart does not list.
 */
export function knownOf(chart: Chart, { component }: Pick<ComponentKind, "component">): Known {
  const own = chartKnown(chart);
  return component === "Pilot" ? knownByAny([own, INJECTED]) : own;
}

function chartKnown(chart: Chart): Known {
  const text = chart.files.get("values.schema.json");
  const root: unknown = text === undefined ? undefined : JSON.parse(text);
  return nodeKnown(chart.values, isTree(root) ? root : undefined, isTree(root) ? root : {});
}

const INJECTED: Known = nodeKnown({ global: DEFAULT_VALUES.global }, undefined, {});

/** One node: the default of `values.yaml` beside its schema, of which either may be absent. */
function nodeKnown(preset: unknown, schema: Tree | undefined, root: Tree): Known {
  const schemas = schema === undefined ? [] : variants(schema, root);
  const properties = schemas.map(({ properties }) => isTree(properties) ? properties : {});
  const names = [
    ...new Set([...properties.flatMap(Object.keys), ...isTree(preset) ? Object.keys(preset) : []]),
  ];
  const isClosed = schemas.some((one) => one.additionalProperties === false);
  const isFree = names.length === 0 ? !isClosed : isOpen(schemas, preset);
  const additional = schemas.map((one) => one.additionalProperties).find(isTree);
  const items = schemas.map(({ items }) => items).find(isTree);
  return {
    isFree: isFree && additional === undefined,
    names,
    child: (name) => {
      const own = properties.map((one) => one[name]).find(isTree);
      if (own !== undefined || names.includes(name)) {
        return nodeKnown(memberOf(preset, name), own, root);
      }
      if (additional !== undefined) return nodeKnown(undefined, additional, root);
      return isFree ? ANYTHING : undefined;
    },
    item: () => items === undefined ? ANYTHING : nodeKnown(undefined, items, root),
    refusal: (value) =>
      schemas.length === 0 ? presetRefusal(preset, value) : schemaRefusal(schemas, value),
    isText: schemas.length === 0 ? typeof preset === "string" : typesOf(schemas).length > 0 &&
      typesOf(schemas).every((type) => type === "string" || type === "null"),
  };
}

/** Reports if a schema says that names beyond those it lists are accepted. */
function isOpen(schemas: readonly Tree[], preset: unknown): boolean {
  if (schemas.some((one) => one.additionalProperties === true)) return true;
  const isDescribed = schemas.some(({ properties }) => isTree(properties));
  return !isDescribed && isEmpty(preset);
}

/** A schema with the alternatives it names, references followed. */
function variants(schema: Tree, root: Tree, depth = 0): Tree[] {
  // References that lead in circles describe nothing.
  if (depth > 16) return [];
  const referred = typeof schema.$ref === "string" ? pointed(schema.$ref, root) : undefined;
  const others = ["anyOf", "oneOf", "allOf"].flatMap((name) => {
    const list = schema[name];
    return Array.isArray(list) ? list.filter(isTree) : [];
  });
  return [
    schema,
    ...[...referred === undefined ? [] : [referred], ...others].flatMap((one) =>
      variants(one, root, depth + 1)
    ),
  ];
}

function pointed(reference: string, root: Tree): Tree | undefined {
  if (!reference.startsWith("#")) return undefined;
  const steps = reference.slice(1).split("/").slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = steps.reduce<unknown>(memberOf, root);
  return isTree(found) ? found : undefined;
}

function typesOf(schemas: readonly Tree[]): string[] {
  return schemas.flatMap(({ type }) =>
    Array.isArray(type) ? type.map(String) : typeof type === "string" ? [type] : []
  );
}

function schemaRefusal(schemas: readonly Tree[], value: unknown): string | undefined {
  if (value === null) return undefined;
  const choices = schemas.flatMap((one) => Array.isArray(one.enum) ? [one.enum as unknown[]] : [])
    .flat();
  const types = typesOf(schemas);
  const hasType = types.length === 0 || types.some((type) => hasJsonType(value, type));
  if (!hasType) {
    return [...new Set(types.filter((type) => type !== "null"))].map(typeInWords).join(" or ");
  }
  // Alternatives without choices accept other values.
  const areChoicesAll = choices.length > 0 && types.length <= 1;
  if (!areChoicesAll || choices.includes(value)) return undefined;
  return `one of ${choices.map((one) => one === "" ? '""' : String(one)).join(", ")}`;
}

function hasJsonType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isTree(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return typeof value === "number" && Number.isInteger(value);
    case "null":
      return value === null;
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number";
    default:
      return typeof value === "string";
  }
}

function typeInWords(type: string): string {
  const words: Readonly<Record<string, string>> = {
    array: "a list",
    boolean: "true or false",
    integer: "a whole number",
    number: "a number",
    object: "a map",
    string: "a text",
  };
  return words[type] ?? type;
}

/** Without a schema the default tells the type; an empty one tells nothing. */
function presetRefusal(preset: unknown, value: unknown): string | undefined {
  if (value === null || isEmpty(preset) && !Array.isArray(preset) && !isTree(preset)) {
    return undefined;
  }
  if (Array.isArray(preset)) return Array.isArray(value) ? undefined : "a list";
  if (isTree(preset)) return isTree(value) ? undefined : "a map";
  if (typeof preset === "boolean") return typeof value === "boolean" ? undefined : "true or false";
  if (typeof preset === "number") {
    return typeof value === "object" || typeof value === "boolean" ? "a number" : undefined;
  }
  return typeof value === "object" ? "a text" : undefined;
}
