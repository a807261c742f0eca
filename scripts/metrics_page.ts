/**
 * The page `docs/metrics.md`: exported metrics, and known names of dashboards that the daemon does
 * not export, with reasons.
 *
 * @module
 */

/** A metric as a scraper reads it. */
export interface Family {
  readonly name: string;
  readonly kind: string;
  readonly help: string;
  /** Upper bounds of histograms, without infinity. */
  readonly buckets: readonly number[];
}

/** Metric names that are not exported, with the reason. */
export interface Absence {
  readonly reason: string;
  readonly names: readonly string[];
}

/** Names without a counterpart in this daemon. */
export const NONE: readonly Absence[] = [
  {
    reason:
      "a publication does not fail as a whole; computations that fail are `mesh_graph_faults`",
    names: ["pilot_xds_push_context_errors"],
  },
  {
    reason: "another language's runtime; of memory, what is the same here has its name",
    names: [
      "go_goroutines",
      "go_threads",
      "go_gc_duration_seconds",
      "go_memstats_stack_inuse_bytes",
    ],
  },
];

const HEAD = `# Metrics of the daemon

<!-- Compared with a running daemon by tests/wire/metrics_test.ts; UPDATE_GOLDENS=1 writes it anew. -->

\`pilot-discovery discovery\` answers \`/metrics\` on its monitoring listener, in the text format or in
OpenMetrics, as the scraper asks. Counters keep their names in both formats. The names follow the
conventions of the format, except names that dashboards of this field already use. Gauges about the
configuration are computed when they are scraped; changes of configuration do not pay for them.

## Exported

The \`xds_cache_*\` ones with \`PILOT_XDS_CACHE_STATS\`, the \`pilot_worker_queue_*\` ones, of the
writes of controllers, with \`MESH_ENABLE_CONTROLLER_QUEUE_METRICS\`.
`;

/** The whole page. */
export function metricsPage(families: readonly Family[]): string {
  const rows = [...families].sort((a, b) => (a.name < b.name ? -1 : 1)).map((one) => [
    `\`${one.name}\``,
    one.kind,
    one.help,
    one.buckets.join(", "),
  ]);
  return [
    HEAD,
    table(["Metric", "Kind", "Meaning", "Buckets"], rows),
    "\n## Without a counterpart\n",
    absences(NONE),
  ].join("\n");
}

function absences(list: readonly Absence[]): string {
  const rows = list.flatMap(({ reason, names }) => names.map((name) => [`\`${name}\``, reason]));
  return table(["Metric", "Why"], rows.sort(([a], [b]) => (a! < b! ? -1 : 1)));
}

/** A Markdown table whose rows are as short as their text; `deno.json` keeps it from being formatted. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `|${cells.map((cell) => cell === "" ? " " : ` ${cell} `).join("|")}|`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Parses metrics in the text format. */
export function familiesOf(text: string): Family[] {
  const helps = new Map<string, string>();
  const families = new Map<string, Family & { buckets: number[] }>();
  for (const line of text.split("\n")) {
    const [, word, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word === "HELP") helps.set(name, rest);
    if (word === "TYPE") {
      families.set(name, { name, kind: rest, help: helps.get(name) ?? "", buckets: [] });
    }
    const [, of = "", bound] = /^(\w+)_bucket\{.*?le="([^"]+)"/.exec(line) ?? [];
    const buckets = families.get(of)?.buckets;
    if (bound !== undefined && bound !== "+Inf" && !buckets?.includes(Number(bound))) {
      buckets?.push(Number(bound));
    }
  }
  return [...families.values()];
}
