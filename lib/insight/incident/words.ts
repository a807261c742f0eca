/** The words of a command line as a POSIX shell splits them, or the reason why it cannot. */
export function shellWords(text: string): readonly string[] | string {
  const words: string[] = [];
  let word: string | undefined;
  const add = (part: string) => word = (word ?? "") + part;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === "\\") {
      const next = text[++at];
      if (next === undefined) return "it ends with a backslash: a part is missing";
      if (next !== "\n") add(next);
    } else if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return "a quote (') is not closed: a part is missing";
      add(text.slice(at + 1, end));
      at = end;
    } else if (char === '"') {
      const quoted = doubleQuoted(text, at + 1);
      if (quoted === undefined) return 'a quote (") is not closed: a part is missing';
      add(quoted.value);
      at = quoted.end;
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (/[|;&<>]/.test(char) && word === undefined) break;
    else add(char);
  }
  if (word !== undefined) words.push(word);
  return words;
}

function doubleQuoted(
  text: string,
  from: number,
): { readonly value: string; readonly end: number } | undefined {
  let value = "";
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') return { value, end: at };
    if (char === "\\" && /["\\$`\n]/.test(text[at + 1] ?? "")) {
      const next = text[++at]!;
      if (next !== "\n") value += next;
    } else value += char;
  }
  return undefined;
}
