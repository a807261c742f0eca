/**
 * What is wrong with a document, and where.
 *
 * @module
 */
import type { Path } from "../text/mod.ts";

/** A fault or a warning of one place in one document. */
export interface SchemaProblem {
  /** As it was given to the parser. */
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
  /** What to do; a full sentence. */
  readonly remedy: string;
  /** The object, as far as its identity could be read. */
  readonly object?: ObjectIdentity;
}

/** What an object is called. */
export interface ObjectIdentity {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A problem before it has a place in a file. */
export interface Finding {
  readonly path: Path;
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  /** Whether the name at the end of the path is at fault, not its value. */
  readonly target: "key" | "value";
}

/** Collects findings; validation goes on after each. */
export interface Report {
  readonly errors: Finding[];
  readonly warnings: Finding[];
  /** What fields that are not known are. */
  readonly unknownFields: "errors" | "warnings";
}

/** An empty report. */
export function newReport(unknownFields: Report["unknownFields"] = "errors"): Report {
  return { errors: [], warnings: [], unknownFields };
}

/** Notes an error at a path. */
export function fail(
  report: Report,
  path: Path,
  code: string,
  message: string,
  remedy: string,
  target: "key" | "value" = "value",
): void {
  report.errors.push({ path, code, message, remedy, target });
}

/** Notes a warning at a path. */
export function warn(
  report: Report,
  path: Path,
  code: string,
  message: string,
  remedy: string,
  target: "key" | "value" = "key",
): void {
  report.warnings.push({ path, code, message, remedy, target });
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
