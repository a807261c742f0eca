/**
 * Long texts, tables and JSON values, collapsed without scripts.
 *
 * @module
 */
import { type ComponentChildren, h, table, type TableOptions } from "../../../kit/web/mod.ts";

/** A text longer than this is collapsed. */
const TEXT = 220;
/** Characters of a collapsed text that are shown. */
const BEGINNING = 160;

/** Shows a text; a long one as its beginning, and whole when it is opened. */
export function longText(text: string, tone: "bad" | "plain" = "plain"): ComponentChildren {
  const attributes = tone === "bad" ? { class: "said bad" } : { class: "said" };
  if (text.length <= TEXT) return h("span", attributes, text);
  return h("details", attributes, [
    h("summary", null, `${text.slice(0, BEGINNING)}…`),
    h("div", null, text),
  ]);
}

/** Shown entries of a long list in a cell. */
const ENTRIES = 3;

/** Shows entries below each other; those of a long list are collapsed. */
export function longList(entries: readonly ComponentChildren[]): ComponentChildren {
  const lines = entries.map((one) => h("div", null, one));
  const more = lines.length - ENTRIES;
  if (more < 2) return lines;
  return [
    ...lines.slice(0, ENTRIES),
    h("details", { class: "said" }, [h("summary", null, `${more} more`), ...lines.slice(ENTRIES)]),
  ];
}

/** Shown rows of a long table, and rows that are opened with it. */
const ROWS = 12;
const MORE_ROWS = 300;

/** A table whose further rows are collapsed. */
export function longTable(options: TableOptions): ComponentChildren {
  const { rows, caption } = options;
  if (rows.length <= ROWS + 3) return table(options);
  const more = rows.slice(ROWS, MORE_ROWS);
  const left = rows.length - ROWS - more.length;
  return [
    table({ ...options, rows: rows.slice(0, ROWS) }),
    h("details", null, [
      h("summary", null, `${rows.length - ROWS} more rows`),
      table({ ...options, caption: [caption, ", continued"], rows: more }),
      left > 0 ? h("p", { class: "mute" }, `${left} more are in the JSON.`) : null,
    ]),
  ];
}

/** A value with more lines than this is a tree of collapsed parts. */
const WHOLE = 60;
/** A part with more lines than this is collapsed. */
const PART = 8;

/** Shows a JSON value; a long one as a tree whose larger parts are collapsed. */
export function jsonTree(value: unknown, label: string): ComponentChildren {
  const region = { tabIndex: 0, role: "region", "aria-label": label };
  if (linesOf(value) <= WHOLE) return h("pre", region, JSON.stringify(value, undefined, 2));
  return h("div", { class: "tree", ...region }, entries(value));
}

function entries(value: unknown): ComponentChildren {
  return Object.entries(value as object).map(([key, part]) => {
    const shown = Array.isArray(value) ? `[${key}]` : `"${key}"`;
    const lines = linesOf(part);
    if (lines <= PART) return h("pre", null, `${shown}: ${JSON.stringify(part, undefined, 2)}`);
    return h("details", null, [
      h("summary", null, [
        `${shown} ${nameOf(part)}`,
        h("span", { class: "mute" }, ` ${Array.isArray(part) ? `${part.length} items, ` : ""}`),
        h("span", { class: "mute" }, `${lines} lines`),
      ]),
      lines <= WHOLE
        ? h("pre", null, JSON.stringify(part, undefined, 2))
        : h("div", null, entries(part)),
    ]);
  });
}

/** Returns the name of an object in a list, so that it is found while it is collapsed. */
function nameOf(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "";
  const { name, address } = value as Readonly<Record<string, unknown>>;
  return typeof name === "string" ? name : typeof address === "string" ? address : "";
}

/** Number of lines of a value, indented. */
function linesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const parts = Object.values(value);
  return parts.length === 0 ? 1 : parts.reduce<number>((sum, part) => sum + linesOf(part), 2);
}
