/**
 * Labels and annotations of the agent's pod, from files that the orchestrator mounts.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";

/** Labels or annotations, by key. */
export type Pairs = Readonly<Record<string, string>>;

/**
 * Parses the form that the orchestrator mounts: one `key="value"` per line, the value quoted and
 * escaped like a JSON string.
 *
 * @param file used only in the error
 * @throws MeshError `pod-file` with the invalid line
 */
export function parsePairs(text: string, file: string): Pairs {
  const pairs: Record<string, string> = {};
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const cut = line.indexOf("=");
    const value = cut < 1 ? undefined : unquote(line.slice(cut + 1).trim());
    if (value === undefined) {
      throw new MeshError(
        "pod-file",
        `${file}, line ${index + 1}, is not of the form key="value"`,
        {
          remedy: 'Write one key="value" a line, or remove the file.',
        },
      );
    }
    pairs[line.slice(0, cut).trim()] = value;
  }
  return pairs;
}

/** Reads such a file; a missing file is empty. */
export async function readPairs(file: string): Promise<Pairs> {
  try {
    return parsePairs(await Deno.readTextFile(file), file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw error;
  }
}

/**
 * Quoted values may have escapes that JSON lacks (`\a`, `\x07`, `\U0001f600`); they are
 * converted first.
 */
function unquote(text: string): string | undefined {
  const json = text.replace(
    /\\(?:x([0-9a-f]{2})|U000([0-9a-f]{5})|([av'])|(.))/gi,
    (all: string, ...groups) => {
      const [byte, long, plain, rest] = groups as (string | undefined)[];
      if (rest !== undefined) return all;
      if (byte !== undefined) return `\\u00${byte}`;
      if (long !== undefined) return String.fromCodePoint(parseInt(long, 16));
      return plain === "a" ? "\\u0007" : plain === "v" ? "\\u000b" : plain!;
    },
  );
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
