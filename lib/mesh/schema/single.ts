/**
 * Texts with one message: mesh configuration, networks.
 *
 * @module
 */
import { allSteps } from "../../kit/base/mod.ts";
import {
  DEFAULT_YAML_LIMITS,
  readYamlInSteps,
  type YamlDocument,
  type YamlLimits,
  type YamlResult,
} from "../../kit/text/mod.ts";
import { formatPath, newReport, type Report, type SchemaProblem } from "./problem.ts";

/** A message, or its problems. */
export interface ParsedMessage<T> {
  /** Unset if there are problems. */
  readonly value?: T;
  readonly problems: readonly SchemaProblem[];
  readonly warnings: readonly SchemaProblem[];
}

/**
 * Reads a text with at most one document. `read` gets its plain value, `{}` for an empty text.
 * Unknown fields are warnings here: a field of a later version must not invalidate the whole mesh
 * configuration.
 */
export function parseSingle<T>(
  text: string,
  file: string,
  read: (value: unknown, report: Report) => T,
  limits: YamlLimits = DEFAULT_YAML_LIMITS,
): ParsedMessage<T> {
  const readInSteps = function* (value: unknown, report: Report): Generator<void, T> {
    yield;
    return read(value, report);
  };
  return allSteps(parseSingleInSteps(text, file, readInSteps, limits));
}

/** {@linkcode parseSingle} in steps. */
export function* parseSingleInSteps<T>(
  text: string,
  file: string,
  read: (value: unknown, report: Report) => Generator<void, T>,
  limits: YamlLimits = DEFAULT_YAML_LIMITS,
): Generator<void, ParsedMessage<T>> {
  const results: YamlResult[] = [];
  for (const result of readYamlInSteps(text, limits)) {
    if (result !== undefined) results.push(result);
    yield;
  }
  const broken = results.flatMap(({ problem }) => problem ? [{ file, path: "", ...problem }] : []);
  if (broken.length > 0) return { problems: broken, warnings: [] };
  const [document, second] = results.map((result) => result.document);
  if (second !== undefined) return { problems: [severalDocuments(file, second)], warnings: [] };
  const report = newReport("warnings");
  const value = yield* read(document?.value ?? {}, report);
  const located = (finding: Report["errors"][number]): SchemaProblem => ({
    file,
    ...document?.locate(finding.path, finding.target) ?? { line: 1, column: 1 },
    path: formatPath(finding.path),
    code: finding.code,
    message: finding.message,
    remedy: finding.remedy,
  });
  return {
    value: report.errors.length === 0 ? value : undefined,
    problems: report.errors.map(located),
    warnings: report.warnings.map(located),
  };
}

function severalDocuments(file: string, second: YamlDocument): SchemaProblem {
  return {
    file,
    line: second.line,
    column: 1,
    path: "",
    code: "yaml-documents",
    message: "a second document begins here, but the file must have one document",
    remedy: "Keep one document.",
  };
}
