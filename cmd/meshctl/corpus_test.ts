/**
 * Commands over config dumps, compared with cases of other implementations. The cases are not part
 * of the project: `MESH_CORPORA` names their directory.
 */
import assert from "node:assert/strict";
import { runProgram } from "../../lib/cli/mod.ts";
import { describeDomains } from "../../lib/config_dump/mod.ts";
import { parseYaml } from "../../lib/text/mod.ts";
import { MESHCTL } from "./program.ts";

interface Case {
  readonly name: string;
  readonly inputs?: readonly string[];
  readonly args?: readonly string[];
  readonly golden?: string;
  readonly output?: string;
  readonly mask?: readonly string[];
  readonly options?: { readonly domains?: readonly string[] };
  readonly expected?: { readonly text: string };
}

const DIRECTORY = `${Deno.env.get("MESH_CORPORA") ?? "../shared/corpora"}/configdump`;
const TEXT = await Deno.readTextFile(`${DIRECTORY}/cases.json`).catch(() => undefined);

/** Runs a command; standard output, standard error and exit status. */
async function ran(argv: readonly string[]): Promise<[out: string, err: string, status: number]> {
  let out = "";
  let err = "";
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  const { signal } = new AbortController();
  const status = await runProgram(MESHCTL, argv, { io, signal });
  return [out, err, status];
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

/** Commands of the corpus that are not implemented. */
const UNSUPPORTED = ["ztunnel-config"];

async function runCase(dir: string, one: Case): Promise<void> {
  if (one.options?.domains !== undefined) {
    assert.equal(describeDomains(one.options.domains), one.expected?.text);
    return;
  }
  const dump = `${dir}/${one.inputs?.[0]}`;
  const argv = (one.args ?? []).map((arg) => arg === "{dump}" ? dump : arg);
  const [out, err, status] = await ran(argv);
  assert.deepEqual([status, err], [0, ""]);
  const golden = await Deno.readTextFile(`${dir}/${one.golden}`);
  if (one.output === "yaml" || one.output === "json") {
    assert.deepEqual(comparable(out), comparable(golden));
  } else {
    const [actual, expected] = [out, golden].map((text) => cells(text, one.mask ?? []));
    assert.deepEqual(actual?.[0], expected?.[0]);
    const sorted = (rows: string[][] | undefined) => rows?.slice(1).map(String).sort();
    assert.deepEqual(sorted(actual), sorted(expected));
  }
}

if (TEXT === undefined) {
  Deno.test({
    name: "cases of config dumps [MESH_CORPORA has no corpora]",
    ignore: true,
    fn: () => {},
  });
} else {
  const { cases } = JSON.parse(TEXT);
  for (const one of cases as Case[]) {
    const isUnsupported = one.name.startsWith("node proxy") ||
      UNSUPPORTED.includes(one.args?.[0] ?? "");
    Deno.test({
      name: `config dump: ${one.name}${isUnsupported ? " [not implemented]" : ""}`,
      ignore: isUnsupported,
      fn: () => runCase(DIRECTORY, one),
    });
  }
}
