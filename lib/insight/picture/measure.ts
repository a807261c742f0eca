/**
 * Width of texts. Pictures use a monospaced font, whose characters are known to be at most this
 * wide in all common systems.
 *
 * @module
 */

/** Width of a character as a part of the font's size. */
const ADVANCE = 0.61;

/** Size of labels of nodes, and of all other texts, in pixels. */
export const LABEL = 12;
export const SMALL = 11;

/** Returns the width of a text in pixels. Characters outside of ASCII count twice. */
export function widthOf(text: string, size: number): number {
  let characters = 0;
  for (const one of text) characters += one <= "~" || one === "·" || one === "…" ? 1 : 2;
  return characters * ADVANCE * size;
}

/** Shortens a text in its middle: names begin and end with what tells them apart. */
export function fitted(text: string, size: number, width: number): string {
  if (widthOf(text, size) <= width) return text;
  const all = [...text];
  for (let kept = all.length - 1; kept > 0; kept--) {
    const head = Math.ceil(kept / 2);
    const short = `${all.slice(0, head).join("")}…${
      all.slice(all.length - (kept - head)).join("")
    }`;
    if (widthOf(short, size) <= width) return short;
  }
  return "…";
}
