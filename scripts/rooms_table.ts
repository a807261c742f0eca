/**
 * The table of rooms in `docs/architecture.md`, made from the table that the
 * lint plugin enforces, so that page and rules cannot drift apart.
 *
 * @module
 */
import type { Room } from "./lint/rooms.ts";

const BEGIN = "<!-- rooms: `deno task rooms --write` -->";
const END = "<!-- end of rooms -->";

/**
 * Returns a page with its table of rooms written again; `undefined` if the page has no such table.
 */
export function withTable(page: string, rooms: readonly Room[]): string | undefined {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) return undefined;
  return `${page.slice(0, begin)}${BEGIN}\n\n${table(rooms)}\n${page.slice(end)}`;
}

/** The table in the form that `deno fmt` gives it. */
function table(rooms: readonly Room[]): string {
  const rows = [["Wing", "Room", "Purpose", "Pure", "Packages"]];
  for (const { wing, name, purpose, pure, packages = [] } of rooms) {
    const held = pure === "held" ? "yes" : "";
    rows.push([wing, `\`${name}\``, purpose, held, packages.map((one) => `\`${one}\``).join(", ")]);
  }
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |\n`;
  const rule = line(widths.map((width) => "-".repeat(width)));
  return line(rows[0]!) + rule + rows.slice(1).map(line).join("");
}
