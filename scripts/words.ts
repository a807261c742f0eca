/**
 * `deno task words`: fails when a retired word is used in an identifier, a comment, a text or a
 * file name, when a doc comment or the name of a test begins like a question, or when a sentence has
 * inverted word order.
 * `docs/glossary.md` has the terms.
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
    // The name of a header of a cloud platform.
    still: ["lib/node/agent/platform/"],
  },
  {
    forms: ["labelled"],
    use: "source labels",
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
  },
  {
    forms: ["inert"],
    use: "ineffective",
  },
  {
    forms: ["unmet"],
    use: "unresolved",
  },
  {
    forms: ["twin", "twins"],
    use: "derived layer",
  },
  {
    forms: ["newcomer", "newcomers"],
    use: "new client",
  },
  {
    forms: ["crowd", "crowds"],
    use: "reconnecting clients",
  },
  {
    forms: ["rehearse", "rehearsal", "rehearsals", "rehearsed"],
    use: "what-if",
    // The name of a command.
    still: [
      "cmd/meshctl/commands/precheck.ts",
      "cmd/meshctl/commands/served.ts",
      "cmd/meshctl/flag_exemptions.ts",
      "cmd/meshctl/offline_test.ts",
      "docs/explain.md",
      "docs/from-istio.md",
      "docs/meshctl.md",
      "tests/orch/meshctl_test.ts",
      "tests/wire/meshctl_daemon_test.ts",
    ],
  },
  {
    forms: ["mend", "mends", "mended"],
    use: "repair",
  },
  {
    forms: ["given address", "given addresses"],
    use: "auto-allocated address",
  },
  {
    forms: ["pulse"],
    use: "scan schedule",
  },
  {
    forms: ["wholes"],
    use: "parent resources",
  },
  {
    forms: ["tally", "tallies"],
    use: "checksum or count",
  },
  {
    forms: ["signals of", "signal set"],
    use: "telemetry",
  },
  {
    forms: ["dearest"],
    use: "most expensive",
  },
  {
    forms: ["seldom"],
    use: "rarely",
  },
  {
    forms: ["lest"],
    use: "so that … not",
  },
  {
    forms: ["in vain"],
    use: "without success, or the fault",
  },
  {
    forms: ["thereby", "hence", "thereof", "whence"],
    use: "a sentence of its own",
  },
  {
    forms: ["told apart"],
    use: "distinguished",
  },
  {
    forms: ["is told", "are told", "was told", "were told"],
    use: "notified, sent or recorded",
    only: [
      "lib/mesh/envoy/",
      "lib/mesh/translate/",
      "lib/mesh/schema/",
      "lib/mesh/xds/",
      "lib/insight/debug/",
    ],
  },
];

/**
 * First words of a doc comment that is a fragment instead of a sentence or a noun phrase.
 * `What-if` is a term.
 */
const FRAGMENT = /^\s*(?:\/\*\*|\*) (What|Where|Whether|Whom?|Whose|Which|How|Of)(?= )/;

/**
 * The beginning of a name of a test, step or case that is a fragment, also behind a prefix such as
 * `sotw: `. The name of a test states the behaviour.
 */
const TEST_NAME =
  /(?:(?:\bDeno\.test|\.step)\(\s*(?:with\w+\(\s*)?|\bname: *)["`](?:[^:"`]*: )?(what|where|whether|whom?|whose|of)(?= )/gi;

/**
 * The beginning of a sentence with inverted word order, in a comment or on a page: `Of the members,
 * one …`, `What of …`, `So does …`, `Nor is …`.
 */
const INVERSION =
  /(?:^\s*(?:\*|\/\/|\/\*\*|[-|] )?\s*|[.:;] )(What of|Of|(?:So|Nor|Neither) (?:do|does|did|is|are|was|were|has|have|can|will|may|must)|Whoever|Whosoever) /g;

/** Folders that are checked. */
const FOLDERS = ["lib", "cmd", "docs", "scripts", "tests"];

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

/**
 * The doc comments of a TypeScript file that begin with a question word or with `Of`. `form` is
 * that word.
 */
export function fragments(path: string, text: string): Misuse[] {
  if (!path.endsWith(".ts")) return [];
  const result: Misuse[] = [];
  let previous = "";
  text.split("\n").forEach((content, at) => {
    const begins = content.trimStart().startsWith("/**") || previous.trim() === "/**";
    const form = begins ? FRAGMENT.exec(content)?.[1] : undefined;
    const use = "a sentence or a noun phrase";
    if (form !== undefined) result.push({ path, line: at + 1, form: `/** ${form}`, use });
    previous = content;
  });
  return result;
}

/**
 * The names of tests, steps and cases in a TypeScript file that begin with a question word or with
 * `of`. `form` is that word.
 */
export function testNames(path: string, text: string): Misuse[] {
  if (!path.endsWith(".ts")) return [];
  return [...text.matchAll(TEST_NAME)].map((match) => {
    const line = text.slice(0, match.index + match[0].length).split("\n").length;
    return { path, line, form: match[1]!, use: "a plain statement of behaviour as a test name" };
  });
}

/**
 * Sentences with inverted word order in the comments of a TypeScript file or on a page. `form` is
 * their beginning. `Of` in the middle of a wrapped title is none: only a capital begins a sentence.
 */
export function inversions(path: string, text: string): Misuse[] {
  const isPage = path.endsWith(".md");
  if (!isPage && !path.endsWith(".ts")) return [];
  const use = "subject, verb, object";
  return text.split("\n").flatMap((content, at) => {
    if (!isPage && !/^\s*(?:\/\*\*|\*|\/\/)/.test(content)) return [];
    return [...content.matchAll(INVERSION)].map((match) => ({
      path,
      line: at + 1,
      form: match[1]!,
      use,
    }));
  });
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
    const text = await Deno.readTextFile(join(root, path));
    const found = [
      ...misuses(path, text),
      ...fragments(path, text),
      ...testNames(path, text),
      ...inversions(path, text),
    ];
    for (const { line, form, use } of found) {
      console.error(`${path}:${line}: "${form}" is retired; use ${use}`);
      count++;
    }
  }
  if (count > 0) {
    console.error(`${count} retired words; docs/glossary.md has the terms`);
    Deno.exit(1);
  }
}
