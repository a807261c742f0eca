import { type Io, neutralText, readInput, tableText } from "../../lib/cli/mod.ts";
import { renderChanges } from "../../lib/diff/mod.ts";
import type { QuestionFields } from "../../lib/explain/mod.ts";
import { outcomeChanges, verdictLine } from "../../lib/offline/mod.ts";
import { type DaemonPages, readPage } from "./daemon_pages.ts";

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
  daemon: DaemonPages,
  { limit, output }: { readonly limit: number; readonly output: string },
  io: Io,
): Promise<number> {
  const text = await readPage(daemon, "history", [["limit", `${limit}`]]);
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
  daemon: DaemonPages,
  { proxy, since, until, output }: {
    readonly proxy: string;
    readonly since: number;
    readonly until: number;
    readonly output: string;
  },
  io: Io,
): Promise<number> {
  const text = await readPage(daemon, "history", [
    ["proxyID", proxy],
    ["from", `${since}`],
    ["to", `${until}`],
  ]);
  if (output === "json") {
    io.out(`${text.trimEnd()}\n`);
    return 0;
  }
  const { changes } = JSON.parse(text) as {
    readonly changes: readonly {
      readonly short: string;
      readonly name: string;
      readonly change: string;
      readonly fields: Parameters<typeof renderChanges>[0];
    }[];
  };
  const lines = changes.map(({ short, name, change, fields }) =>
    `${short} ${name} ${change}\n${change === "changed" ? renderChanges(fields, "    ") : ""}`
  );
  io.out(neutralText(lines.join("") || "no resource of the proxy differs\n"));
  return 0;
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
  const changes = outcomeChanges(await readInput(file, io), question);
  if (output === "json") {
    io.out(`${JSON.stringify(changes, null, 2)}\n`);
    return 0;
  }
  const lines = changes.map(({ revision, at, edits, after }) => {
    const verdict = after === undefined ? "the workload does not exist" : verdictLine(after);
    const by = edits.map((edit) => `    edited: ${edit}\n`).join("");
    return `revision ${revision}, ${new Date(at).toISOString()}: ${verdict}\n${by}`;
  });
  io.out(neutralText(lines.join("")));
  return 0;
}
