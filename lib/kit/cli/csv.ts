/**
 * Splits one line at commas. A field in double quotes may contain commas, and `""` for a quote. An
 * empty line has no fields. Undefined for an unterminated quote.
 */
export function splitCsv(line: string): string[] | undefined {
  if (line === "") return [];
  const fields: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^,"][^,]*|))(,|$)/y;
  while (true) {
    const match = field.exec(line);
    if (match === null) return undefined;
    const [, quoted, bare = "", end] = match;
    fields.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === "") return fields;
  }
}
