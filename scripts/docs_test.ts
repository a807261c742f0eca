import assert from "node:assert/strict";
import { fromFileUrl, join, walkFiles } from "./paths.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));
const FOLDERS = "lib|cmd|docs|scripts|tests|protos|samples";

/** A file or folder of the repository in backticks. */
const PATH = new RegExp(`\`((?:${FOLDERS})/[\\w./-]*)\``, "g");

/** A file with identifiers in it: `path` · `name`, `name`. */
const NAMES = new RegExp(`\`((?:${FOLDERS})/[\\w./-]+)\` · (\`\\w+\`(?:, \`\\w+\`)*)`, "g");

/** A link to a page, with an anchor or without. */
const LINK = /\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)/g;

async function pages(): Promise<string[]> {
  const docs = await walkFiles(join(ROOT, "docs"), ".md");
  const samples = await walkFiles(join(ROOT, "samples"), ".md");
  return [join(ROOT, "README.md"), ...docs, ...samples].sort();
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

/** Anchors of a page's headings, as renderers make them. */
function anchors(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title!.toLowerCase().replaceAll(/[^\w\s-]/g, "").trim().replaceAll(/\s/g, "-")
    ),
  );
}

Deno.test("each path that a page names exists", async () => {
  const missing: string[] = [];
  for (const page of await pages()) {
    for (const [, path] of (await Deno.readTextFile(page)).matchAll(PATH)) {
      if (!await exists(join(ROOT, path!))) missing.push(`${page.slice(ROOT.length)}: ${path}`);
    }
  }
  assert.deepEqual(missing, []);
});

Deno.test("each identifier that a page names beside a file is in that file", async () => {
  const missing: string[] = [];
  let count = 0;
  for (const page of await pages()) {
    for (const [, path, list] of (await Deno.readTextFile(page)).matchAll(NAMES)) {
      const text = await Deno.readTextFile(join(ROOT, path!)).catch(() => "");
      for (const [, name] of list!.matchAll(/`(\w+)`/g)) {
        count++;
        if (!new RegExp(`\\b${name}\\b`).test(text)) {
          missing.push(`${page.slice(ROOT.length)}: ${path} · ${name}`);
        }
      }
    }
  }
  assert.deepEqual(missing, []);
  assert(count >= 60, `only ${count} identifiers were found in the pages`);
});

Deno.test("each identifier of the glossary is in the code", async () => {
  const page = await Deno.readTextFile(join(ROOT, "docs/glossary.md"));
  const folders = ["lib", "cmd", "scripts"];
  const files = (await Promise.all(folders.map((name) => walkFiles(join(ROOT, name), ".ts"))))
    .flat();
  const texts = await Promise.all(files.map((file) => Deno.readTextFile(file)));
  const words = new Set(texts.flatMap((text) => text.match(/\w+/g) ?? []));
  const names = [...page.matchAll(/\| `(\w+)` +\|$/gm)].map((match) => match[1]!);
  assert(names.length > 30);
  assert.deepEqual(names.filter((name) => !words.has(name)), []);
});

Deno.test("each link of a page leads to a page and a heading", async () => {
  const broken: string[] = [];
  for (const page of await pages()) {
    for (const [link, file, anchor] of (await Deno.readTextFile(page)).matchAll(LINK)) {
      const target = file === "" ? page : join(page, "..", file!);
      const name = page.slice(ROOT.length);
      if (!await exists(target)) broken.push(`${name}: ${link}`);
      else if (anchor && !anchors(await Deno.readTextFile(target)).has(anchor)) {
        broken.push(`${name}: ${link}`);
      }
    }
  }
  assert.deepEqual(broken, []);
});
