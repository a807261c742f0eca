import { printable } from "../base/mod.ts";

/** Spaces between two columns. */
const GAP = 5;

/**
 * Rows as aligned columns. Control characters in cells are escaped, so that a name cannot move the
 * cursor of a terminal. No column is dropped or cut, so that scripts can rely on their order.
 */
export function tableText(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const cells = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_, column) =>
    Math.max(0, ...cells.map((row) => widthOf(row[column] ?? "")))
  );
  return cells.map((row) =>
    `${
      row.map((cell, column) =>
        column === row.length - 1
          ? cell
          : cell + " ".repeat((widths[column] ?? 0) - widthOf(cell) + GAP)
      ).join("").trimEnd()
    }\n`
  ).join("");
}

/** Columns that a text takes; characters of two columns are not known. */
function widthOf(text: string): number {
  return [...text].length;
}

/** The text, of any number of lines, in which only line ends and tabs are control characters. */
export function neutralText(text: string): string {
  return text.split(/(\n|\t)/).map((part, at) => at % 2 === 1 ? part : printable(part)).join("");
}
