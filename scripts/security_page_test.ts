/**
 * The page on security names limits that exist.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fromFileUrl, join, walkFiles } from "./paths.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** Texts in code style of the column of a page's tables that has this heading. */
function namesIn(page: string, heading: string): string[] {
  const names: string[] = [];
  let column = -1;
  for (const line of page.split("\n")) {
    const cells = line.split("|").map((cell) => cell.trim());
    if (cells.length < 3) column = -1;
    else if (cells.includes(heading)) column = cells.indexOf(heading);
    else if (column > 0) {
      names.push(...(cells[column] ?? "").matchAll(/`([^`]+)`/g).map((found) => found[1]!));
    }
  }
  return names;
}

Deno.test("each limit on the page on security is a constant, an option or a variable of the code", async () => {
  const page = await Deno.readTextFile(join(ROOT, "docs/security.md"));
  const names = namesIn(page, "Named by");
  assert.ok(names.length > 25, `${names.length} names`);
  const paths = [join(ROOT, "lib"), join(ROOT, "cmd")];
  const files = (await Promise.all(paths.map((path) => walkFiles(path, ".ts")))).flat();
  const texts = await Promise.all(
    files.filter((path) => !/_test\.ts$|\/gen\//.test(path)).map((path) => Deno.readTextFile(path)),
  );
  const code = texts.join("\n");
  for (const name of names) {
    const defined = new RegExp(`const ${name}\\b|readonly ${name}\\??:|name: "${name}"`);
    assert.match(code, defined, `nothing in the code is called ${name}`);
  }
});

/** Rows of the page's tables that name a test and its file. */
function testsIn(page: string): { readonly name: string; readonly file: string }[] {
  const rows: { name: string; file: string }[] = [];
  let isTable = false;
  for (const line of page.split("\n")) {
    const cells = line.split("|").map((cell) => cell.trim());
    if (cells.length < 4) isTable = false;
    else if (cells[2] === "Test name") isTable = true;
    else if (isTable && !/^-+$/.test(cells[2]!)) {
      rows.push({ name: cells[2]!, file: cells[3]!.replaceAll("`", "") });
    }
  }
  return rows;
}

Deno.test("each test on the page on security is one of its file, and each file exists", async () => {
  const page = await Deno.readTextFile(join(ROOT, "docs/security.md"));
  const rows = testsIn(page);
  assert.ok(rows.length > 25, `${rows.length} rows`);
  const missing: string[] = [];
  for (const { name, file } of rows) {
    const text = await Deno.readTextFile(join(ROOT, file)).catch(() => "");
    if (!text.includes(JSON.stringify(name))) missing.push(`${file}: ${name}`);
  }
  assert.deepEqual(missing, []);
  for (const file of namesIn(page, "Test")) await Deno.stat(join(ROOT, file));
});
