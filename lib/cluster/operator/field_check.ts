/**
 * Checks the fields of a MeshOperator against their table.
 *
 * @module
 */
import type { Path } from "../../kit/text/mod.ts";
import type { FieldType } from "./field_type.ts";
import { type Report, unknownName } from "./problems.ts";
import { isTree, typeName } from "./tree.ts";

/** Reports unknown fields, wrong types, values that are no choice, and missing fields. */
export function checkField(
  value: unknown,
  type: FieldType,
  path: Path,
  report: Report["problem"],
): void {
  if (value === null) return;
  switch (type.kind) {
    case "any":
      return;
    case "bool":
    case "count":
    case "count or text":
    case "text":
      return checkScalar(value, type, path, report);
    case "map":
      return void (isTree(value) || wrongType(value, path, { wanted: "a map", report }));
    case "texts":
      return checkTexts(value, path, report);
    case "list":
      if (!Array.isArray(value)) return wrongType(value, path, { wanted: "a list", report });
      return value.forEach((one, at) => checkField(one, type.item, [...path, at], report));
    case "fields":
      return checkFields(value, type, path, report);
  }
}

/** A place for a problem, and what should be there. */
interface Wanted {
  readonly wanted: string;
  readonly report: Report["problem"];
  readonly remedy?: string;
}

/** Reports a value of a wrong type. */
export function wrongType(value: unknown, path: Path, { wanted, report, remedy }: Wanted): void {
  report({
    path,
    code: "wrong-type",
    message: `it is ${typeName(value)}, and ${wanted} is expected`,
    remedy: remedy ?? `Give ${wanted}.`,
  });
}

type Scalar = Extract<FieldType, { kind: "bool" | "count" | "count or text" | "text" }>;

function checkScalar(value: unknown, type: Scalar, path: Path, report: Report["problem"]): void {
  if (type.kind === "bool") {
    if (typeof value === "boolean") return;
    return wrongType(value, path, { wanted: "true or false", report });
  }
  if (type.kind === "text") return checkText(value, type, path, report);
  if (type.kind === "count or text" && typeof value === "string") return;
  if (typeof value === "number" && Number.isInteger(value)) return;
  const wanted = type.kind === "count" ? "a whole number" : "a whole number or a text such as 25%";
  wrongType(value, path, { wanted, report });
}

function checkText(
  value: unknown,
  { choices }: Extract<FieldType, { kind: "text" }>,
  path: Path,
  report: Report["problem"],
): void {
  if (typeof value !== "string") {
    const remedy = typeof value === "object" ? undefined : `Quote it: "${value}".`;
    return wrongType(value, path, { wanted: "a text", report, remedy });
  }
  if (choices === undefined || choices.includes(value)) return;
  const { remedy, suggestion } = unknownName([value], choices, { noun: "value", code: "" });
  report({ path, code: "wrong-value", message: `unknown value "${value}"`, remedy, suggestion });
}

function checkTexts(value: unknown, path: Path, report: Report["problem"]): void {
  if (!isTree(value)) return wrongType(value, path, { wanted: "a map of texts", report });
  for (const [name, one] of Object.entries(value)) {
    checkField(one, { kind: "text" }, [...path, name], report);
  }
}

function checkFields(
  value: unknown,
  { fields, required }: Extract<FieldType, { kind: "fields" }>,
  path: Path,
  report: Report["problem"],
): void {
  if (!isTree(value)) return wrongType(value, path, { wanted: "a map", report });
  for (const [name, one] of Object.entries(value)) {
    const at = [...path, name];
    if (Object.hasOwn(fields, name)) checkField(one, fields[name]!, at, report);
    else report(unknownName(at, Object.keys(fields), { noun: "field", code: "unknown-field" }));
  }
  for (const name of required ?? []) {
    if (value[name] !== undefined && value[name] !== null && value[name] !== "") continue;
    report({
      path,
      code: "missing-field",
      message: `the field "${name}" is missing`,
      remedy: `Set ${name}.`,
    });
  }
}
