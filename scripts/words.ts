/**
 * `deno task words`: fails when a retired word is used in an identifier, a comment, a text or a
 * file name. `docs/glossary.md` has the term to use instead.
 *
 * To retire a word, add a row to {@link RETIRED}; `still` lists the folders or files that have not
 * been changed yet. Remove a path from `still` when it is clean.
 *
 * @module
 */
import { fromFileUrl, join, walkFiles } from "./paths.ts";

/** A word that the project does not use. */
export interface Retired {
  /** All its forms, lower case; a form of two words is a phrase. */
  readonly forms: readonly string[];
  /** The term to use. */
  readonly use: string;
  /** Folders or files that the rule covers; all when absent. */
  readonly only?: readonly string[];
  /** Folders or files that may still have the word. */
  readonly still?: readonly string[];
}

/** A retired word in a file. */
export interface Misuse {
  readonly path: string;
  /** 1-based; 0 for the file's name. */
  readonly line: number;
  readonly form: string;
  readonly use: string;
}

/** The retired words. */
export const RETIRED: readonly Retired[] = [
  {
    forms: ["hall"],
    use: "server context",
  },
  {
    forms: ["seat", "seats", "seated"],
    use: "proxy binding",
    still: ["lib/translate/"],
  },
  {
    forms: ["sit", "sits", "sitting"],
    use: "bind",
  },
  {
    forms: ["breath", "breather"],
    use: "yielding",
  },
  {
    forms: ["haste"],
    use: "priority",
  },
  {
    forms: ["parcel", "parcels"],
    use: "pending response",
  },
  {
    forms: ["doomed"],
    use: "pending removal",
  },
  {
    forms: ["keeper"],
    use: "snapshot store",
  },
  {
    forms: ["farewell"],
    use: "GOAWAY",
  },
  {
    forms: ["flavour", "flavours", "flavor"],
    use: "variant",
    still: ["lib/translate/", "scripts/lint/"],
  },
  {
    forms: ["labelled"],
    use: "source labels",
    still: ["lib/translate/", "scripts/lint/", "tests/e2e/"],
  },
  {
    forms: ["looker", "lookers", "onlooker", "onlookers"],
    use: "subscriber",
  },
  {
    forms: ["husk", "husks"],
    use: "empty bucket",
  },
  {
    forms: ["set aside", "sets aside"],
    use: "rejected",
  },
  {
    forms: ["held back", "holds back"],
    use: "quarantined",
    still: ["lib/debug/", "tests/e2e/"],
  },
  {
    forms: ["inert"],
    use: "ineffective",
    still: ["tests/e2e/"],
  },
  {
    forms: ["unmet"],
    use: "unresolved",
    still: ["lib/monitor/", "lib/translate/"],
  },
  {
    forms: ["twin", "twins"],
    use: "derived layer",
    still: ["lib/translate/"],
  },
  {
    forms: ["newcomer", "newcomers"],
    use: "new client",
    still: ["tests/e2e/"],
  },
  {
    forms: ["crowd", "crowds"],
    use: "reconnecting clients",
  },
  {
    forms: ["rehearse", "rehearsal", "rehearsals", "rehearsed"],
    use: "what-if",
    still: ["docs/changing.md", "lib/debug/", "lib/whatif/", "scripts/lint/", "tests/e2e/"],
  },
  {
    forms: ["mend", "mends", "mended"],
    use: "repair",
    still: ["lib/debug/", "lib/translate/"],
  },
  {
    forms: ["given address", "given addresses"],
    use: "auto-allocated address",
    still: ["docs/changing.md", "lib/derive/", "lib/translate/", "tests/e2e/", "tests/wire/"],
  },
  {
    forms: ["pulse"],
    use: "scan schedule",
  },
  {
    forms: ["wholes"],
    use: "parent resources",
    still: ["lib/derive/", "lib/schema/"],
  },
  {
    forms: ["tally", "tallies"],
    use: "checksum or count",
    still: [
      "tests/attacks/",
      "tests/e2e/",
    ],
  },
];

/** Folders that are checked. */
const FOLDERS = ["lib", "cmd", "docs", "scripts", "tests", "bench"];

/** Other checked files. */
const FILES = ["README.md", "main.ts"];

/** Generated code, test data, and the files that list the words. */
const SKIPPED = /(^|\/)(gen|testdata)\/|^scripts\/words(_test)?\.ts$/;

/** Files with text that people wrote. */
const TEXT = /\.(ts|md|json|sh|yaml|txt)$/;

/**
 * The words of a text in lower case: runs of letters, split where an identifier changes case.
 * `buildHTTPFilter` gives `build`, `http`, `filter`.
 */
export function wordsOf(text: string): string[] {
  return (text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase());
}

/** The retired words in a file, its name included. `path`: relative to the root, with `/`. */
export function misuses(
  path: string,
  text: string,
  retired: readonly Retired[] = RETIRED,
): Misuse[] {
  const forms = new Map<string, Retired>();
  for (const row of retired) {
    if (row.only && !row.only.some((prefix) => path.startsWith(prefix))) continue;
    if (row.still?.some((prefix) => path.startsWith(prefix))) continue;
    for (const form of row.forms) forms.set(form, row);
  }
  const result: Misuse[] = [];
  [path, ...text.split("\n")].forEach((content, line) => {
    const words = wordsOf(content);
    words.forEach((word, at) => {
      for (const form of [word, `${word} ${words[at + 1] ?? ""}`]) {
        const row = forms.get(form);
        if (row) result.push({ path, line, form, use: row.use });
      }
    });
  });
  return result;
}

/** All checked files below a root, sorted by path. */
async function checkedFiles(root: string): Promise<string[]> {
  const files = await Promise.all(FOLDERS.map((folder) => walkFiles(join(root, folder), "")));
  const paths = files.flat().map((path) => path.slice(root.length).replaceAll("\\", "/"));
  return [...FILES, ...paths].filter((path) => TEXT.test(path) && !SKIPPED.test(path)).sort();
}

if (import.meta.main) {
  const root = fromFileUrl(new URL("..", import.meta.url));
  let count = 0;
  for (const path of await checkedFiles(root)) {
    for (const { line, form, use } of misuses(path, await Deno.readTextFile(join(root, path)))) {
      console.error(`${path}:${line}: "${form}" is a retired word; use "${use}"`);
      count++;
    }
  }
  if (count > 0) {
    console.error(`${count} retired words; docs/glossary.md has the terms`);
    Deno.exit(1);
  }
}
