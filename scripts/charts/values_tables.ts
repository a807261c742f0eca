/**
 * Tables of the charts' values, for the page about them: paths and defaults from `values.yaml`, with the
 * comments there.
 *
 * @module
 */
import { chartFrom, type JsonObject } from "../../lib/cluster/charts/mod.ts";
import { isMap } from "../../lib/kit/template/mod.ts";

/** A line of `values.yaml` with a key. */
const KEY = /^( *)([\w-]+):/;

/** The comments above keys, by path. */
function commentsOf(text: string): ReadonlyMap<string, string> {
  const comments = new Map<string, string>();
  const path: string[] = [];
  let comment: string[] = [];
  for (const line of text.split("\n")) {
    const said = /^ *# (.*)$/.exec(line)?.[1];
    const [, indent, key] = KEY.exec(line) ?? [];
    if (said !== undefined) comment.push(said);
    else if (key === undefined) comment = [];
    else {
      path.length = indent!.length / 2;
      path.push(key);
      if (comment.length > 0) comments.set(path.join("."), comment.join(" "));
      comment = [];
    }
  }
  return comments;
}

/** The table of a chart's values. Maps with a comment of their own are rows, too. */
export function valuesTable(name: string, values: string): string {
  const files = new Map([
    ["Chart.yaml", `name: ${name}\nversion: 0.0.0\n`],
    ["values.yaml", values],
  ]);
  const comments = commentsOf(values);
  const rows: string[] = [];
  const visit = (fields: JsonObject, below: string) => {
    for (const [key, value] of Object.entries(fields)) {
      const path = below === "" ? key : `${below}.${key}`;
      const isFull = isMap(value) && Object.keys(value).length > 0;
      const comment = comments.get(path) ?? "";
      if (!isFull || comment !== "") {
        const shown = isFull ? "" : `\`${JSON.stringify(value)}\``;
        rows.push(`| \`${path}\` | ${Array.isArray(value) && isFull ? "" : shown} | ${comment} |`);
      }
      if (isFull) visit(value as JsonObject, path);
    }
  };
  visit(chartFrom(name, files).values, "");
  return ["| Value | Default | Meaning |", "| --- | --- | --- |", ...rows, ""].join("\n");
}

/** The page with its tables renewed: they stand after `<!-- values: CHART -->`, up to the next blank line. */
export function withTables(page: string, tables: ReadonlyMap<string, string>): string {
  return page.replace(
    /(<!-- values: (\w+) -->\n\n)(?:\|.*\n)*/g,
    (whole, head: string, name: string) => {
      const table = tables.get(name);
      return table === undefined ? whole : `${head}${table}`;
    },
  );
}
