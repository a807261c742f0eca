/**
 * Objects that several files or directories define.
 *
 * @module
 */
import { objectKey } from "../../model/mod.ts";
import { rowRef } from "../../graph/mod.ts";
import type { ObjectIdentity } from "../../schema/mod.ts";
import type { SourceProblem } from "./source_problem.ts";

/** `Kind/namespace/name`. */
export function idOf({ kind, namespace, name }: ObjectIdentity): string {
  return rowRef({ table: kind, key: objectKey({ namespace, name }) });
}

/** A line of a file. */
export interface Position {
  readonly file: string;
  readonly line: number;
}

/** The problem of an object that is not used because another file or directory defines it, too. */
export function duplicate(
  { kind, namespace, name }: ObjectIdentity,
  { file, line }: Position,
  used: Position,
): SourceProblem {
  const other = `${used.file}:${used.line}`;
  return {
    file,
    line,
    column: 1,
    path: "metadata.name",
    code: "duplicate-object",
    message: `${kind} ${namespace}/${name} is already defined at ${other}`,
    remedy: `Rename or remove it here (${file}:${line}) or at ${other}.`,
    object: { kind, namespace, name },
    lastGoodServes: false,
  };
}
