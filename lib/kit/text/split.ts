/**
 * Splits a YAML stream into documents before parsing, so that a broken document does not affect the
 * others.
 *
 * @module
 */

/** The text of one document with its position. */
export interface DocumentText {
  readonly text: string;
  /** 1-based line in the file of the text's first line. */
  readonly line: number;
}

/**
 * A document marker at the start of a line, where YAML allows no content, even in block scalars.
 */
const MARKER = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;

/**
 * The documents of a stream, in order, without empty ones (spaces, comments and directives only).
 */
export function splitDocuments(text: string): DocumentText[] {
  const documents: DocumentText[] = [];
  let start = 0;
  let line = 1;
  const cut = (end: number) => {
    const part = withoutMark(text.slice(start, end));
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

/** Removes a byte order mark from the start of a document. */
function withoutMark(part: string): string {
  return part.includes("\ufeff") ? part.replace(/^((?:---[^\n]*\n)?)\ufeff/, "$1") : part;
}

function hasContent(part: string): boolean {
  return /^(?!---[ \t]*(?:#.*)?\r?$)(?![%#])[ \t]*[^\s#]/m.test(part);
}

/** Directives are replaced by spaces: line numbers stay, and the YAML version is fixed. */
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
