import { type Io, neutralText, readInput, tableText } from "../../kit/cli/mod.ts";
import type { FieldChange } from "../diff/mod.ts";
import type { QuestionFields } from "../explain/mod.ts";
import { type Verdict, verdictLine } from "../verdict/mod.ts";
import type { ReadPage } from "../daemon_client/mod.ts";
import { questionParameters } from "./asked.ts";

/** A publication as `/debug/history` has it. */
interface Publication {
  readonly revision: number;
  readonly at: number;
  readonly edits: readonly { readonly table: string; readonly key: string }[];
  readonly edited: number;
  readonly changed: number;
}

/** Edits of a line. */
const SHOWN = 3;

/** Lists the latest publications, the newest first. */
export async function latestRevisions(
  read: ReadPage,
  { limit, output }: { readonly limit: number; readonly output: string },
  io: Io,
): Promise<number> {
  const text = await read("history", [["limit", `${limit}`]]);
  if (output === "json") {
    io.out(`${text.trimEnd()}\n`);
    return 0;
  }
  const rows = (JSON.parse(text) as Publication[]).map(
    ({ revision, at, edits, edited, changed }) => {
      const names = edits.slice(0, SHOWN).map(({ table, key }) => `${table} ${key}`);
      const more = edited > names.length ? [`and ${edited - names.length} more`] : [];
      return [
        `${revision}`,
        new Date(at).toISOString(),
        `${changed}`,
        [...names, ...more].join(", ") || "-",
      ];
    },
  );
  io.out(tableText(["REVISION", "TIME", "RESOURCES", "EDITED"], rows));
  return 0;
}

/** Shows the resources of a proxy that differ between two revisions. */
export async function comparedRevisions(
  read: ReadPage,
  { proxy, since, until, output }: {
    readonly proxy: string;
    readonly since: number;
    readonly until: number;
    readonly output: string;
  },
  io: Io,
): Promise<number> {
  const text = await read("history", [
    ["proxyID", proxy],
    ["from", `${since}`],
    ["to", `${until}`],
  ]);
  if (output === "json") {
    io.out(`${text.trimEnd()}\n`);
    return 0;
  }
  const { renderChanges } = await import("../diff/mod.ts");
  const { changes } = JSON.parse(text) as {
    readonly changes: readonly {
      readonly short: string;
      readonly name: string;
      readonly change: string;
      readonly fields: readonly FieldChange[];
    }[];
  };
  const lines = changes.map(({ short, name, change, fields }) =>
    `${short} ${name} ${change}\n${change === "changed" ? renderChanges(fields, "    ") : ""}`
  );
  io.out(neutralText(lines.join("") || "no resource of the proxy differs\n"));
  return 0;
}

/** A revision after which a request had another outcome. */
interface Turn {
  readonly revision: number;
  readonly at: number;
  readonly edits: readonly string[];
  /** `undefined`: the workload did not exist. */
  readonly verdict: Verdict | undefined;
}

/** Lists the revisions of a recording at which a request got another outcome. */
export async function outcomesOfLog(
  { file, question, output }: {
    readonly file: string;
    readonly question: QuestionFields;
    readonly output: string;
  },
  io: Io,
): Promise<number> {
  const { outcomeChanges } = await import("../offline/mod.ts");
  const changes = outcomeChanges(await readInput(file, io), question);
  io.out(
    output === "json"
      ? `${JSON.stringify(changes, null, 2)}\n`
      : turnsText(changes.map(({ after, ...rest }) => ({ ...rest, verdict: after }))),
  );
  return 0;
}

/** Lists the latest publications of a daemon that gave a request another outcome. */
export async function outcomesOfDaemon(
  read: ReadPage,
  { question, output }: { readonly question: QuestionFields; readonly output: string },
  io: Io,
): Promise<number> {
  const text = await read("request/history", questionParameters(question));
  io.out(output === "json" ? `${text.trimEnd()}\n` : turnsText(JSON.parse(text) as Turn[]));
  return 0;
}

function turnsText(turns: readonly Turn[]): string {
  const lines = turns.map(({ revision, at, edits, verdict }) => {
    const outcome = verdict === undefined ? "the workload does not exist" : verdictLine(verdict);
    const by = edits.map((edit) => `    edited: ${edit}\n`).join("");
    return `revision ${revision}, ${new Date(at).toISOString()}: ${outcome}\n${by}`;
  });
  return neutralText(lines.join("") || "the history of the daemon has no publication\n");
}
