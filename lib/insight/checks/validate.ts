import {
  analyzeObjects,
  foreignCollector,
  jsonReport,
  messageOfProblem,
  textReport,
} from "../analyze/mod.ts";
import { MeshError } from "../../kit/base/mod.ts";
import { EXIT_FAILURE, type Io } from "../../kit/cli/mod.ts";
import { hintWorkloads } from "../../mesh/schema/mod.ts";
import { checkConfigFiles } from "../../mesh/sources/mod.ts";

/** Options of a validation. */
export interface ValidateOptions {
  /** Files, directories, `-` for standard input. */
  readonly files: readonly string[];
  /** Namespace of objects that name none; empty for `default`. */
  readonly namespace: string;
  /** Namespace of the mesh's own workloads, which get no hints. */
  readonly meshNamespace: string;
  /** The form of the report; default: text. */
  readonly output?: "" | "json";
}

/** Namespaces of the orchestrator, whose workloads get no hints. */
const SYSTEM_NAMESPACES = ["kube-system", "kube-public", "kube-node-lease"];

/** The DNS suffix of a mesh that does not set another one. */
const DOMAIN = "cluster.local";

/**
 * Checks files as one set: what a daemon rejects is an error, what it warns about a warning.
 * Returns the exit status.
 *
 * @throws {MeshError} when no file is named
 */
export async function validate(options: ValidateOptions, io: Io): Promise<number> {
  const { files, namespace, meshNamespace } = options;
  if (files.length === 0) {
    throw new MeshError("filename-missing", "you must specify resources by --filename", {
      remedy:
        "For example: meshctl validate -f routes.yaml, -f directory/ or -f - for standard input.",
    });
  }
  const own = namespace === "" ? undefined : namespace;
  const foreign = foreignCollector(DOMAIN, own);
  const hint = hintWorkloads(new Set([...SYSTEM_NAMESPACES, meshNamespace]));
  const checked = await checkConfigFiles(files, {
    namespace: own,
    foreign: (value, report) => {
      foreign.add(value);
      hint(value, report);
    },
  });
  const messages = [
    ...checked.problems.map((problem) => messageOfProblem(problem, true)),
    ...checked.warnings.map((warning) => messageOfProblem(warning, false)),
    ...analyzeObjects(checked.objects, foreign.facts(), {
      domain: DOMAIN,
      now: () => performance.now(),
    }).map((one) => ({ ...one, ...checked.locate(one.file, one.line, one.path) })),
  ];
  const report = options.output === "json"
    ? jsonReport(messages)
    : textReport(checked.files, messages);
  io.out(report.out);
  io.err(report.err);
  return report.rejected ? EXIT_FAILURE : 0;
}
