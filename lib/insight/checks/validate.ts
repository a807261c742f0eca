import { jsonReport, type Message, messageOfProblem, textReport } from "../analyze/mod.ts";
import { MeshError } from "../../kit/base/mod.ts";
import { EXIT_FAILURE, type Io } from "../../kit/cli/mod.ts";
import { defaultMeshConfig } from "../../mesh/schema/mod.ts";
import { fileMessages } from "./file_messages.ts";

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

/**
 * Checks files as one set: what a daemon rejects is an error, all else that analysis finds a warning.
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
  const found = await fileMessages({
    files,
    namespace: namespace === "" ? undefined : namespace,
    meshNamespace,
    mesh: defaultMeshConfig(),
    // Files may be for machines, whose gateways have other labels and ports.
    assumeGateway: false,
  });
  const unreadable = found.unreadable.map((one) => messageOfProblem(one, true));
  const [rejected, others] = [true, false].map((isRejected) =>
    found.messages.filter((one) => one.rejected === isRejected)
  );
  const messages = [...[...unreadable, ...rejected!].sort(byPosition), ...others!];
  const report = options.output === "json"
    ? jsonReport(messages)
    : textReport(found.files, messages, found.unchecked);
  io.out(report.out);
  io.err(report.err);
  return report.rejected ? EXIT_FAILURE : 0;
}

function byPosition(a: Message, b: Message): number {
  return a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1;
}
