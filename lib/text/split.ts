/**
 * Cuts a YAML stream into its documents before any parsing, so that one that
 * is broken does not take the others with it.
 *
 * @module
 */

/** The text of one document and where it begins. */
export interface DocumentText {
  readonly text: string;
  /** 1-based line in the file of the text's first line. */
  readonly line: number;
}

/** A marker at the start of a line: YAML allows no content there, not even in block scalars. */
const MARKER = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;

/**
 * The documents of a stream, in order; those without content (only blanks,
 * comments and directives) are left out.
 */
export function splitDocuments(text: string): DocumentText[] {
  const documents: DocumentText[] = [];
  let start = 0;
  let line = 1;
  const cut = (end: number) => {
    const part = text.slice(start, end);
    if (hasContent(part)) documents.push({ text: withoutDirectives(part), line });
    line += countLines(part);
  };
  for (const match of text.matchAll(MARKER)) {
    if (match.index > start || match.index === 0) cut(match.index);
    const isEnd = match[0] === "...";
    start = match.index + (isEnd ? 3 : 0);
  }
  cut(text.length);
  return documents;
}

function hasContent(part: string): boolean {
  return /^(?!---[ \t]*(?:#.*)?\r?$)(?![%#])[ \t]*[^\s#]/m.test(part);
}

/** Directives are blanked, not cut out: line numbers stay, and the version is ours to choose. */
function withoutDirectives(part: string): string {
  return part.startsWith("%") || part.includes("\n%")
    ? part.replace(/^(?:[ \t]*(?:#.*)?\n)*(?:%.*(?:\n|$))+/, (lead) => lead.replace(/^%.*$/gm, ""))
    : part;
}

function countLines(part: string): number {
  let count = 0;
  for (let at = part.indexOf("\n"); at >= 0; at = part.indexOf("\n", at + 1)) count++;
  return count;
}
