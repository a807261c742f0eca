/**
 * `text` with control characters (line ends, terminal escapes, bidirectional overrides) written as
 * `\u{…}`, so that an untrusted name cannot forge lines or control a terminal.
 */
export function printable(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escapeOne);
}

function escapeOne(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  if (character === "\r") return "\\r";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
