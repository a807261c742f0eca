/**
 * Comments of Mesh's protos, which are the sentences of the reference.
 *
 * @module
 */

/** Comments by full name: `package.Message`, `package.Message.field_name`, `package.Enum.VALUE`. */
export type Comments = ReadonlyMap<string, string>;

const OPENING = /^(message|enum|oneof|extend|service)\s+([\w.]+)\s*\{/;
const VALUE = /^([A-Z][A-Za-z0-9_]*)\s*=\s*-?\d+/;
const FIELD = /^(?:repeated\s+|optional\s+)?(?:map<[^>]+>|[\w.]+)\s+(\w+)\s*=\s*\d+/;

/** Reads the comments before the declarations of proto files. */
export function commentsOf(texts: Iterable<string>): Comments {
  const comments = new Map<string, string>();
  const fields = new Set<string>();
  for (const text of texts) readFile(text, comments, fields);
  // Documents have the JSON names of fields.
  const inYaml = (text: string): string =>
    text.replaceAll(
      /`(\w+)`/g,
      (quoted, name) => fields.has(name) ? `\`${jsonName(name)}\`` : quoted,
    );
  return new Map([...comments].map(([name, text]) => [name, inYaml(text)]));
}

function jsonName(field: string): string {
  return field.replaceAll(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
}

function readFile(text: string, comments: Map<string, string>, fields: Set<string>): void {
  const scope = [/^package\s+([\w.]+);/m.exec(text)?.[1] ?? ""];
  /** True for each open brace that adds a name to the scope. */
  const braces: boolean[] = [];
  let pending: string[] = [];
  for (const line of text.split("\n").map((raw) => raw.trim())) {
    if (line.startsWith("//")) {
      pending.push(line.replace(/^\/\/ ?/, ""));
      continue;
    }
    const [, keyword, name] = OPENING.exec(line) ?? [];
    const field = FIELD.exec(line)?.[1];
    const declared = name ?? VALUE.exec(line)?.[1] ?? field;
    if (field !== undefined) fields.add(field);
    if (declared !== undefined && pending.length > 0) {
      comments.set(
        [...scope, declared].join("."),
        pending.join(" ").replaceAll(/\s+/g, " ").trim(),
      );
    }
    if (line !== "" || declared !== undefined) pending = [];
    // A oneof is not part of the names of its fields.
    const isNamed = keyword !== undefined && keyword !== "oneof";
    for (const brace of line.match(/[{}]/g) ?? []) {
      if (brace === "{") {
        braces.push(isNamed);
        if (isNamed) scope.push(name!);
      } else if (braces.pop() === true) scope.pop();
    }
  }
}
