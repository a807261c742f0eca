/**
 * The page `docs/environment.md`, generated from the table of variables.
 *
 * @module
 */
import { boundsOf, choicesOf, type EnvDescription } from "../lib/kit/env/mod.ts";

const HEAD = `# Environment variables

<!-- Made by \`deno task docs\` from the declarations in the code; do not edit. -->

An invalid value ends the program at its start, with a message that names the variable, the value and
the accepted form; that also holds for variables without effect. An empty variable counts as not set,
unless it is a string. Switches are \`true\` or \`false\`, durations are written like \`100ms\` or
\`1h30m\`. For the agent, \`proxyMetadata\` of the proxy configuration gives the values of variables that
are not set.

_Used by_ names the programs that a variable is meant for. The programs of a mesh share an environment,
so other programs may accept and check a variable without using it; _also accepted by_ names them. A
program warns at its start about variables that are meant for it, are set and have no effect.
`;

/** Files with declarations; `scripts/environment_test.ts` checks it. */
const CONVENTION =
  `_Declared in_ has the file that declares a variable: \`variables.ts\` of the room or
program that uses it. Pure rooms read no environment; their variables are declared in
\`lib/mesh/environment/<room>\`, next to the property of the settings that the room is given. _Used in_ has
files in which the value takes effect, found by the names of the variable and of that property; it is
empty if only the declaring file and the file that starts the room use it.`;

/** Short names for the columns; every program of the mesh has one. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "install-cni": "cni",
  "meshctl": "meshctl",
  "pilot-agent": "agent",
  "pilot-discovery": "daemon",
};

/** Variable → files, relative to the root. */
type Files = ReadonlyMap<string, readonly string[]>;

/** The whole page. */
export function environmentPage(
  rows: readonly EnvDescription[],
  files: Files,
  uses: Files = new Map(),
): string {
  const effective = rows.filter(({ state }) => state.kind === "effective");
  const parts = [
    HEAD,
    `## Effective variables\n\n${CONVENTION}\n\n${table(effective, files, uses)}`,
  ];
  const unsupported = section(rows, "unsupported", (reason) => `### Not implemented: ${reason}`);
  parts.push(`## Variables of features that are not implemented\n\n${unsupported}`);
  const ineffective = section(rows, "ineffective", (reason) => `### ${capital(reason)}`);
  parts.push(`## Variables without effect in this runtime\n\n${ineffective}`);
  return parts.join("\n");
}

/** The table of each reason, in the order of the reasons. */
function section(
  rows: readonly EnvDescription[],
  kind: "unsupported" | "ineffective",
  title: (reason: string) => string,
): string {
  const groups = new Map<string, EnvDescription[]>();
  for (const row of rows) {
    if (row.state.kind !== kind) continue;
    const { reason } = row.state;
    groups.set(reason, [...groups.get(reason) ?? [], row]);
  }
  return [...groups].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([reason, group]) => `${title(reason)}\n\n${table(group)}`).join("\n");
}

function table(rows: readonly EnvDescription[], files?: Files, uses?: Files): string {
  const head = ["Variable", "Type", "Default", "Meaning", "Used by", "Also accepted by"];
  const columns = [files, uses].filter((column) => column !== undefined);
  if (columns.length > 0) head.push("Declared in", "Used in");
  const lines = [
    head,
    head.map(() => "---"),
    ...rows.map((row) => [...cells(row), ...columns.map((column) => filesOf(row, column))]),
  ];
  return lines.map((line) => `| ${line.join(" | ")} |\n`).join("");
}

function filesOf({ name }: EnvDescription, files: Files): string {
  return (files.get(name) ?? []).map((file) => `\`${file}\``).join(", ");
}

function cells(row: EnvDescription): string[] {
  const others = row.programs.filter((program) => !row.readers.includes(program));
  return [
    `\`${row.name}\``,
    typeOf(row),
    defaults(row),
    row.doc.replaceAll("|", "\\|").replaceAll("*", "\\*"),
    names(row.readers),
    names(others),
  ];
}

function typeOf({ type, range, choices }: EnvDescription): string {
  if (choices !== undefined) return `${type}: ${choicesOf(choices)}`;
  return range === undefined ? type : `${type} ${boundsOf(type, range)}`;
}

function defaults({ default: preset, defaultWhen: when }: EnvDescription): string {
  const plain = preset === undefined ? "" : `\`${preset}\``;
  return when === undefined ? plain : `${plain}; \`${when.default}\` with \`${when.variable}\``;
}

function names(programs: readonly string[]): string {
  return programs.map((program) => PROGRAMS[program] ?? program).join(", ");
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
