/**
 * Fields by the names that documents write, and what is said of names that do not fit.
 *
 * @module
 */
import type { DescField, DescMessage } from "../proto/mod.ts";
import { camelCase, nearest, type Path } from "../text/mod.ts";
import { fail, type Report } from "./problem.ts";

/** Fields by the names they may be written with. */
export type FieldNames = ReadonlyMap<string, DescField>;

const namesOf = new WeakMap<DescMessage, FieldNames>();

/** The fields of a message by JSON name and by proto name. */
export function fieldNames(schema: DescMessage): FieldNames {
  const known = namesOf.get(schema);
  if (known !== undefined) return known;
  const names = new Map<string, DescField>();
  for (const field of schema.fields) names.set(field.name, field).set(field.jsonName, field);
  namesOf.set(schema, names);
  return names;
}

/** Notes a field that a message does not have, with the nearest one it has. */
export function unknownField(
  report: Report,
  path: Path,
  name: string,
  fields: Iterable<{ readonly jsonName: string }>,
): void {
  const names = [...new Set([...fields].map((field) => field.jsonName))];
  report[report.unknownFields].push({
    path,
    code: "unknown-field",
    message: `unknown field "${name}"`,
    remedy: insteadOf(name, names),
    target: "key",
  });
}

/** More names than this help nobody. */
const MAX_NAMES = 12;

function insteadOf(name: string, names: readonly string[]): string {
  const meant = nearest(camelCase(name), names);
  if (meant !== undefined) return `Did you mean "${meant}"?`;
  if (names.length === 0) return "Remove it; no field is allowed here.";
  return names.length > MAX_NAMES
    ? "Remove it; no field has a name like this."
    : `Use one of: ${names.join(", ")}.`;
}

/** Refuses a field that is written under both of its names; returns whether it is. */
export function refuseRepeated(
  report: Report,
  path: Path,
  seen: Map<DescField, string>,
  field: DescField,
  name: string,
): boolean {
  const first = seen.get(field);
  seen.set(field, name);
  if (first === undefined) return false;
  const message = `"${first}" and "${name}" are the same field`;
  fail(report, path, "duplicate-field", message, "Keep one of the two.", "key");
  return true;
}

/** Refuses a second member of a group of which one may be set; returns whether it is one. */
export function refuseSecond(
  report: Report,
  path: Path,
  groups: Map<string, string>,
  group: string,
  name: string,
): boolean {
  const first = groups.get(group);
  groups.set(group, first ?? name);
  if (first === undefined) return false;
  const message = `"${first}" and "${name}" exclude each other`;
  fail(report, path, "exclusive-fields", message, "Keep one of the two.", "key");
  return true;
}
