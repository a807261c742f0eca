/**
 * Puts a built-in template together. `parts.yaml` explains the form of the files.
 *
 * @module
 */

/** The beginning of a part. */
const PART = /^# part: ([\w-]+)\n/m;

/** A line that stands for a part, with its indentation. */
const INCLUDE = /^( *)# include: ([\w-]+)\n/gm;

/** Comments and empty lines. */
const ASIDE = /^ *(?:#.*)?\n/gm;

/** Part → text, as the file with all parts has it. */
export function partsOf(text: string): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  const [, ...pieces] = text.split(PART);
  for (let at = 0; at < pieces.length; at += 2) parts.set(pieces[at]!, pieces[at + 1]!);
  return parts;
}

/**
 * The text of a template with its parts, without comments and empty lines.
 *
 * @throws Error if the template includes a part that does not exist
 */
export function composed(text: string, parts: ReadonlyMap<string, string>): string {
  const whole = text.replace(INCLUDE, (_, indent: string, name: string) => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`parts.yaml has no part ${name}`);
    return composed(part, parts).replace(/^(?=.)/gm, indent);
  });
  return whole.replace(ASIDE, "");
}
