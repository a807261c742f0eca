/**
 * Problems and warnings of documents, with their positions.
 *
 * @module
 */
import type { SERVED_TYPES } from "../../kit/proto/mod.ts";
import type { Path } from "../../kit/text/mod.ts";

/** A problem or a warning at one position of one document. */
export interface SchemaProblem {
  /** The name that was passed to the parser. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** For example `spec.http[0].route[1].weight`; empty for the document as a whole. */
  readonly path: string;
  /** Stable and kebab-case, for example `unknown-field`. */
  readonly code: string;
  /** One sentence without a full stop. */
  readonly message: string;
  /** The way to fix it; a full sentence. */
  readonly remedy: string;
  /** The object, as far as its identity could be read. */
  readonly object?: ObjectIdentity;
}

/** Kind, namespace and name of an object. */
export interface ObjectIdentity {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A problem before its position in a file is known. */
export interface Finding {
  readonly path: Path;
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  /** `key`: the name at the end of the path is wrong. `value`: its value is. */
  readonly target: "key" | "value";
}

/** Types by their names. */
export type KnownTypes = Pick<typeof SERVED_TYPES, "getMessage">;

/** Collects the findings of one document. Validation continues after each. */
export interface Report {
  readonly errors: Finding[];
  readonly warnings: Finding[];
  /** Types that fields of any type may have; without them there are none. */
  readonly types?: KnownTypes;
  /**
   * Records an error: the value at `path` is wrong.
   *
   * @param code stable and kebab-case
   * @param message one sentence without a full stop
   * @param remedy a full sentence
   */
  fail(path: Path, code: string, message: string, remedy: string): void;
  /** Records an error: the name at the end of `path` is wrong. */
  failKey(path: Path, code: string, message: string, remedy: string): void;
  /** Records a warning about the name at the end of `path`. */
  warn(path: Path, code: string, message: string, remedy: string): void;
  /** Records a warning about the value at `path`. */
  warnValue(path: Path, code: string, message: string, remedy: string): void;
  /** Records an unknown field, as error or warning according to the report. */
  unknownField(path: Path, message: string, remedy: string): void;
}

/** Findings of one list of a document; a longer list helps no reader, and each takes time. */
const MAX_FINDINGS = 500;

/** Adds a finding to a list, or counts it in the last one when the list is full. */
function record(list: Finding[], finding: Finding, counts: WeakMap<Finding[], number>): void {
  if (list.length < MAX_FINDINGS) return void list.push(finding);
  const more = (counts.get(list) ?? 0) + 1;
  counts.set(list, more);
  list[MAX_FINDINGS] = {
    path: [],
    code: "more-findings",
    message: `${more} more of this document are not listed`,
    remedy: "Repair those that are listed first.",
    target: "value",
  };
}

/**
 * Creates an empty report.
 *
 * @param unknownFields errors or warnings for unknown fields
 * @param types types of fields of any type. Programs that read no such fields do not load them.
 */
export function newReport(
  unknownFields: "errors" | "warnings" = "errors",
  types?: KnownTypes,
): Report {
  const errors: Finding[] = [];
  const warnings: Finding[] = [];
  const counts = new WeakMap<Finding[], number>();
  const add =
    (list: Finding[], target: Finding["target"]): Report["fail"] => (path, code, message, remedy) =>
      record(list, { path, code, message, remedy, target }, counts);
  const unknown = add(unknownFields === "errors" ? errors : warnings, "key");
  return {
    errors,
    warnings,
    types,
    fail: add(errors, "value"),
    failKey: add(errors, "key"),
    warn: add(warnings, "key"),
    warnValue: add(warnings, "value"),
    unknownField: (path, message, remedy) => unknown(path, "unknown-field", message, remedy),
  };
}

/** A path as people write it: `spec.http[0].match[1].headers["x-user"].exact`. */
export function formatPath(path: Path): string {
  let out = "";
  for (const step of path) {
    if (typeof step === "number") out += `[${step}]`;
    else if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(step)) out += `[${JSON.stringify(step)}]`;
    else out += out === "" ? step : `.${step}`;
  }
  return out;
}
