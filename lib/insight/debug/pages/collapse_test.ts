/** Tests of collapsed texts, tables, lists and JSON values. */
import assert from "node:assert/strict";
import { page } from "../../../kit/web/mod.ts";
import { jsonTree, longList, longTable, longText } from "./collapse.ts";
import { position } from "./positions.ts";

async function html(body: Parameters<typeof page>[0]["body"]): Promise<string> {
  const text = await page({ title: "t", body }).text();
  return text.slice(text.indexOf("<h1>"));
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

Deno.test("a long text is collapsed to its beginning, and complete", async () => {
  assert.doesNotMatch(await html(longText("short")), /<details/);
  const long = "x".repeat(150) + "y".repeat(150);
  const shown = await html(longText(long));
  assert.match(shown, /<summary>x{150}y{10}…<\/summary>/);
  assert.ok(shown.includes(`<div>${long}</div>`));
});

Deno.test("further rows of a long table are collapsed, up to a bound", async () => {
  const options = { caption: "c", columns: ["n"] };
  assert.doesNotMatch(
    await html(longTable({ ...options, rows: numbers(15).map((n) => [n]) })),
    /details/,
  );
  const shown = await html(longTable({ ...options, rows: numbers(400).map((n) => [`row ${n}.`]) }));
  assert.match(shown, /388 more rows/);
  assert.match(shown, /100 more are in the JSON/);
  assert.ok(shown.includes("row 299.") && !shown.includes("row 300."));
});

Deno.test("a long list in a cell shows its first entries", async () => {
  assert.doesNotMatch(await html(longList(["a", "b", "c", "d"])), /details/);
  assert.match(await html(longList(["a", "b", "c", "d", "e"])), /<summary>2 more<\/summary>/);
});

Deno.test("a long JSON value is a tree of collapsed parts, with the names of its parts", async () => {
  assert.doesNotMatch(await html(jsonTree({ a: numbers(9) }, "l")), /details/);
  const chains = numbers(3).map((n) => ({ name: `chain <${n}>`, ports: numbers(90) }));
  const shown = await html(jsonTree({ small: 1, chains }, "l"));
  assert.match(shown, /<pre>&quot;small&quot;: 1<\/pre>/);
  assert.match(shown, /<summary>&quot;chains&quot;[^]*3 items/);
  assert.match(shown, /<summary>\[0\] chain &lt;0>/);
  assert.ok(shown.includes("89"));
});

Deno.test("the name of a file with line and column is not broken; folders are", async () => {
  assert.match(
    await html(position({ file: "a/b/traffic.yaml", line: 38, column: 15 })),
    /<code>a\/<wbr\/>b\/<wbr\/><span class="at">traffic\.yaml:38:15<\/span><\/code>/,
  );
});
