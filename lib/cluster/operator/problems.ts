/**
 * Problems of MeshOperator documents: what is wrong, where it was written, what to do.
 *
 * @module
 */
import type { Path } from "../../kit/text/mod.ts";
import { nearest } from "../../kit/text/mod.ts";

/** The place where a value was written. */
export interface Origin {
  /** The name of a file, `profile NAME`, or the text of a setting such as `--set hub=x`. */
  readonly file: string;
  /** 1-based; absent for settings of the command line. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
}

/** A problem, or a warning. */
export interface Problem {
  /** Stable and kebab-case, for example `unknown-field`. */
  readonly code: string;
  /** For example `spec.components.pilot.k8s.env[0].value`; empty for a document as a whole. */
  readonly path: string;
  /** One sentence without a full stop. */
  readonly message: string;
  /** The way to correct it; a full sentence. */
  readonly remedy: string;
  /** The name that was probably meant. */
  readonly suggestion?: string;
  readonly origin: Origin;
}

/** A problem before its place is known. */
export interface Finding {
  readonly path: Path;
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly suggestion?: string;
  /** `key`: the name at the end of the path is wrong. `value`: its value is. */
  readonly target?: "key" | "value";
  /** A place that is known, instead of the one of the path. */
  readonly origin?: Origin;
}

/** Takes findings. */
export interface Report {
  /** A problem that `--force` passes over. */
  readonly problem: (finding: Finding) => void;
  readonly warning: (finding: Finding) => void;
  /** A problem with which nothing can be planned. */
  readonly fatal: (finding: Finding) => void;
}

/** A problem as one line: place, path, message. */
export function problemText({ origin, path, message }: Problem): string {
  const { file, line, column } = origin;
  const place = line === undefined
    ? file
    : `${file}:${line}${column === undefined ? "" : `:${column}`}`;
  return [place, path, message].filter((part) => part !== "").join(": ");
}

/** Longest list of names that a remedy shows. */
const MOST_NAMES = 16;

/** The finding about a name that does not exist, with the name that was probably meant. */
export function unknownName(
  path: Path,
  known: Iterable<string>,
  what: { readonly noun: string; readonly code: string },
): Finding {
  const name = String(path.at(-1));
  const names = [...new Set(known)].sort();
  const suggestion = nearest(name, names);
  return {
    path,
    code: what.code,
    message: `unknown ${what.noun} "${name}"`,
    remedy: suggestion !== undefined
      ? `Did you mean "${suggestion}"?`
      : names.length === 0
      ? "Remove it."
      : names.length <= MOST_NAMES
      ? `The names are ${names.join(", ")}.`
      : `Remove it, or use one of the ${names.length} known names, such as ${
        names.slice(0, MOST_NAMES).join(", ")
      }.`,
    suggestion,
    target: "key",
  };
}
