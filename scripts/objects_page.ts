/**
 * Writes `docs/objects.md` from the table of objects; `--check` only checks it.
 *
 * @module
 */
import { INEFFECTIVE_KEYS } from "../lib/insight/analyze/mod.ts";
import { type ObjectRow, OBJECTS, type ObjectTable } from "./objects/rows.ts";
import { fromFileUrl } from "./paths.ts";

export const PAGE: string = fromFileUrl(new URL("../docs/objects.md", import.meta.url));

const HEAD = `# From the orchestrator to the proxy

<!-- Made by \`deno task docs\` from \`scripts/objects/rows.ts\`; do not edit. -->

The labels, annotations and fields of the orchestrator's objects that mean something to the mesh, and the
tests that show it. Other fields of these objects mean nothing to proxies. [Orchestrator](orchestrator.md)
says how objects are read, [injection](injection.md) how pods get their proxy. A test fails if the code
reads a label or an annotation that is not here, or if nothing reads one that is.

Heartbeats of Nodes and changes of a status that no row names change nothing: neither a computation nor a
byte to a proxy.
`;

/** Tests of the keys without effect. */
const WARNED = "lib/insight/analyze/cases/metadata.cases";

const PARTS = [["labels", "Label"], ["annotations", "Annotation"], ["fields", "Field"]] as const;

/** The rows of a kind, with those without effect. */
export function rowsOf(table: ObjectTable, part: (typeof PARTS)[number][0]): ObjectRow[] {
  if (part === "fields") return [...table.fields];
  const without = Object.entries(INEFFECTIVE_KEYS[part])
    .filter(([, { kinds }]) => kinds.includes(table.kind))
    .map(([name, { reason, value }]): ObjectRow => ({
      name,
      effect: `${value === undefined ? "" : `\`${value}\`: `}None: ${reason}. ` +
        "`meshctl analyze` warns of it (MSH0133).",
      test: WARNED,
    }));
  return [...table[part], ...without];
}

/** The page's text. */
export function objectsPage(): string {
  return [HEAD, ...OBJECTS.map(sectionOf)].join("\n");
}

function sectionOf(table: ObjectTable): string {
  const parts = PARTS.flatMap(([part, title]) => {
    const rows = rowsOf(table, part);
    if (rows.length === 0) return [];
    return [[
      `| ${title} | Effect | Test |`,
      "| --- | --- | --- |",
      ...rows.map(({ name, effect, test }) => `| \`${name}\` | ${effect} | \`${test}\` |`),
      "",
    ].join("\n")];
  });
  const title = table.kind === "any object" ? "Any object" : table.kind;
  return [`## ${title}\n`, ...parts].join("\n");
}

if (import.meta.main) {
  const wanted = objectsPage();
  const page = await Deno.readTextFile(PAGE).catch(() => "");
  if (!Deno.args.includes("--check")) await Deno.writeTextFile(PAGE, wanted);
  else if (page !== wanted) {
    console.error("docs/objects.md is out of date: run `deno task docs`");
    Deno.exit(1);
  }
}
