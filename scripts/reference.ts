/**
 * Writes `docs/reference/`: a page for each kind of document, from the protos and the table of
 * kinds; `--check` only checks them.
 *
 * @module
 */
import { UNSUPPORTED_KINDS } from "../lib/mesh/schema/mod.ts";
import { fromFileUrl, join, walkFiles } from "./paths.ts";
import { type Comments, commentsOf } from "./reference/comments.ts";
import { indexPage, subjectPage } from "./reference/page.ts";
import { subjects } from "./reference/subjects.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** The folder of the pages. */
export const FOLDER: string = join(ROOT, "docs/reference");

/** The file with the example of a page. */
export function exampleFile(title: string): string {
  return join(ROOT, "scripts/reference/examples", `${title}.yaml`);
}

/** The comments of Mesh's protos. */
export async function protoComments(): Promise<Comments> {
  const files = (await walkFiles(join(ROOT, "protos/mesh"), ".proto")).sort();
  return commentsOf(await Promise.all(files.map((file) => Deno.readTextFile(file))));
}

/** The pages by file name. */
export async function referencePages(): Promise<Map<string, string>> {
  const comments = await protoComments();
  const all = await subjects((title) => Deno.readTextFile(exampleFile(title)));
  return new Map([
    ["README.md", indexPage(all, UNSUPPORTED_KINDS, comments)],
    ...all.map((one) => [`${one.title}.md`, subjectPage(one, comments)] as const),
  ]);
}

/** Names of the files that differ from the pages, are missing, or have no page. */
export async function outdatedFiles(pages: ReadonlyMap<string, string>): Promise<string[]> {
  const names = new Set(pages.keys());
  for (const file of await walkFiles(FOLDER, ".md")) names.add(file.slice(FOLDER.length + 1));
  const outdated: string[] = [];
  for (const name of [...names].sort()) {
    const text = await Deno.readTextFile(join(FOLDER, name)).catch(() => undefined);
    if (text !== pages.get(name)) outdated.push(name);
  }
  return outdated;
}

async function main(): Promise<void> {
  const pages = await referencePages();
  const outdated = await outdatedFiles(pages);
  if (Deno.args.includes("--check")) {
    if (outdated.length === 0) return;
    console.error(`docs/reference is out of date (${outdated.join(", ")}): run \`deno task docs\``);
    Deno.exit(1);
  }
  await Deno.mkdir(FOLDER, { recursive: true });
  for (const name of outdated) {
    const text = pages.get(name);
    if (text === undefined) await Deno.remove(join(FOLDER, name));
    else await Deno.writeTextFile(join(FOLDER, name), text);
  }
}

if (import.meta.main) await main();
