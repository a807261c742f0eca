/**
 * Splits one line at commas; a field in double quotes may hold commas, and `""` for a quote.
 * Nothing gives no fields. Undefined when a quote is left open.
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
