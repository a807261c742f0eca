/**
 * Fields by their names in documents, and problems with those names.
 *
 * @module
 */
import type { DescField, DescMessage } from "../../../kit/proto/mod.ts";
import { camelCase, nearest, type Path } from "../../../kit/text/mod.ts";
import type { Report } from "../problem.ts";

/** The field of a message with a JSON name or a proto name. */
export function fieldNamed(schema: DescMessage, name: string): DescField | undefined {
  return schema.fields.find((field) => field.jsonName === name || field.name === name);
}

/** Records a field that a message does not have, and suggests the nearest name it has. */
export function unknownField(
  report: Report,
  path: Path,
  name: string,
  fields: Iterable<{ readonly jsonName: string }>,
): void {
  const names = [...new Set([...fields].map((field) => field.jsonName))];
  report.unknownField(path, `unknown field "${name}"`, suggestion(name, names));
}

/** A longer list of names is not shown. */
const MAX_NAMES = 12;

function suggestion(name: string, names: readonly string[]): string {
  const meant = nearest(camelCase(name), names);
  if (meant !== undefined) return `Did you mean "${meant}"?`;
  if (names.length === 0) return "Remove it; no field is allowed here.";
  return names.length > MAX_NAMES
    ? "Remove it; no field has a name like this."
    : `Use one of: ${names.join(", ")}.`;
}

/** The fields of one message that were read so far: detects duplicates and conflicts. */
export class FieldsRead {
  readonly #report: Report;
  readonly #names = new Map<DescField, string>();
  readonly #groups = new Map<string, string>();

  constructor(report: Report) {
    this.#report = report;
  }

  /**
   * Adds a field under its name in the document. Returns false, and records a problem, if the field
   * was read under its other name, or another field of its oneof group was read.
   */
  add(path: Path, field: DescField, name: string): boolean {
    const first = this.#names.get(field);
    this.#names.set(field, name);
    if (first !== undefined) {
      const message = `"${first}" and "${name}" are the same field`;
      this.#report.failKey(path, "duplicate-field", message, "Keep one of the two.");
      return false;
    }
    if (field.oneof === undefined) return true;
    const other = this.#groups.get(field.oneof.name);
    this.#groups.set(field.oneof.name, other ?? field.jsonName);
    if (other === undefined) return true;
    const message = `"${other}" and "${field.jsonName}" exclude each other`;
    this.#report.failKey(path, "exclusive-fields", message, "Keep one of the two.");
    return false;
  }
}
