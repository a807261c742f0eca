/**
 * The corpora `configdump` and `bugreport`: commands over config dumps, and the lines of logs.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { linesWithin } from "../../lib/insight/bug_report/mod.ts";
import { describeDomains } from "../../lib/insight/config_dump/mod.ts";
import { parseYaml } from "../../lib/kit/text/mod.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import { join } from "../paths.ts";
import type { Case, Corpus, ReadFile } from "./corpus.ts";

/** A command over a dump, or the domains of a route. */
interface DumpCase extends Case {
  readonly args?: readonly string[];
  readonly golden?: string;
  readonly output?: string;
  readonly mask?: readonly string[];
  readonly options?: {
    readonly domains?: readonly string[];
    readonly namespace?: string;
    readonly workload?: string;
  };
  readonly expected?: { readonly text: string };
}

/** Commands over config dumps: cells of tables, values of documents. */
export const CONFIG_DUMPS: Corpus<DumpCase> = {
  name: "configdump",
  judge: async (one, read, folder) => {
    const { options, expected, golden } = one;
    if (options?.domains !== undefined) {
      assert.equal(describeDomains(options.domains), expected?.text);
      return undefined;
    }
    const args = one.args ?? connectionsOf(options);
    assert.ok(
      args !== undefined && golden !== undefined,
      "the case names a command and its output",
    );
    const dump = join(folder, one.inputs[0] ?? "");
    await compareOutput(one, args.map((arg) => arg === "{dump}" ? dump : arg), read(golden));
    return undefined;
  },
};

/** The command for the connections of a workload of a node proxy. */
function connectionsOf({ workload, namespace }: DumpCase["options"] = {}): string[] | undefined {
  if (workload === undefined) return undefined;
  const within = namespace === undefined ? [] : ["--workload-namespace", namespace];
  return ["ztunnel-config", "connections", "--file", "{dump}", "--workload", workload, ...within];
}

async function compareOutput(
  { output, mask = [] }: DumpCase,
  argv: readonly string[],
  golden: string,
): Promise<void> {
  const [out, err, status] = await runInProcess(MESHCTL, argv);
  assert.deepEqual([status, err], [0, ""]);
  if (output === "yaml" || output === "json") {
    assert.deepEqual(comparable(out), comparable(golden));
    return;
  }
  const [actual, expected] = [out, golden].map((text) => cells(text, mask));
  assert.deepEqual(actual?.[0], expected?.[0]);
  const sorted = (rows: string[][] | undefined) => rows?.slice(1).map(String).sort();
  assert.deepEqual(sorted(actual), sorted(expected));
}

/** Cells of a table; a column with a masked heading is left out. */
function cells(text: string, mask: readonly string[]): string[][] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [head = ""] = lines;
  const names = head.trim().split(/ {2,}/);
  const masked = mask.map((name) => names.indexOf(name)).filter((at) => at >= 0);
  return lines.map((line, row) =>
    row === 0
      ? line.trim().split(/\s+/)
      : line.trim().split(/ {2,}/).filter((_, at) => !masked.includes(at))
        .map((cell) => cell.replace(/^0+(?=[0-9a-f]{8})/, "")).flatMap((cell) => cell.split(" "))
  );
}

/** The value without defaults of protobuf, which JSON may have or leave out. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, withoutDefaults(inner)]);
  return Object.fromEntries(
    entries.filter(([, inner]) =>
      !(inner === "" || inner === false || inner === 0 ||
        Array.isArray(inner) && inner.length === 0)
    ),
  );
}

/** A document for comparison. The names of the cases were changed after they were sorted by name. */
function comparable(text: string): unknown {
  const value = withoutDefaults(parseYaml(text));
  if (!Array.isArray(value)) return value;
  return value.toSorted((a, b) => a.clusterName < b.clusterName ? -1 : 1);
}

/** A log with a range of times. */
interface LogCase extends Case {
  readonly golden: string;
  readonly options: { readonly startTime?: string; readonly endTime?: string };
}

/** The lines of logs within a range of times. */
export const BUG_REPORTS: Corpus<LogCase> = {
  name: "bugreport",
  judge: ({ inputs: [input = ""], golden, options }, read: ReadFile) => {
    const { startTime: start = "", endTime: end = "" } = options;
    assert.equal(linesWithin(read(input), { start, end }).trimEnd(), read(golden).trimEnd());
    return undefined;
  },
};
