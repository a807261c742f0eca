/**
 * `text` with control characters (line ends, terminal escapes, bidirectional overrides) written as
 * `\u{…}`, so that an untrusted name cannot forge lines or control a terminal.
 */
export function printable(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escapeOne);
}

/** True if the lines of `text` have no character that {@link printable} escapes. Tabs count as printable. */
export function isPrintable(text: string): boolean {
  return text.split(/[\t\n]/).every((line) => printable(line) === line);
}

function escapeOne(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  if (character === "\r") return "\\r";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
