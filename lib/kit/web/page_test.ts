import assert from "node:assert/strict";
import { h, json, page, table } from "./mod.ts";

Deno.test("a page escapes everything, loads nothing and can be read without a mouse", async () => {
  const nasty = `<script>alert("1")</script>`;
  const cells = [[nasty, h("a", { href: `/x?"><script>` }, nasty)]];
  const answer = page({
    title: nasty,
    body: table({ caption: nasty, columns: [nasty, "b"], rows: cells }),
  });
  assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
  const html = await answer.text();
  assert.doesNotMatch(html, /<script/);
  assert.doesNotMatch(html, /https?:|<link|<img|@import|url\(/);
  assert.match(html, /<html lang="en">/);
  assert.match(html, /prefers-color-scheme: dark/);
  assert.match(html, /role="region" tabindex="0"/);
  assert.match(html, /<th scope="col">b<\/th>/);
  const empty = await page({ title: "t", body: table({ caption: "c", columns: ["a"], rows: [] }) });
  assert.match(await empty.text(), /<td colspan="1">none<\/td>/);
});

Deno.test("a page sends forms to its own listener, and only when it has some", async () => {
  const policy = (answer: Response) => answer.headers.get("content-security-policy") ?? "";
  assert.match(policy(page({ title: "t", body: "b" })), /form-action 'none'$/);
  const answer = page({ title: "t", body: "b", nav: h("a", { href: "/x" }, "<x>"), forms: true });
  assert.match(policy(answer), /form-action 'self'$/);
  assert.match(
    await answer.text(),
    /<nav aria-label="Pages"><a href="\/x">&lt;x><\/a><\/nav><\/header><main id="main"/,
  );
});

Deno.test("a page names its path and begins with a link past the navigation", async () => {
  const answer = page({ title: "<c>", body: "b", crumbs: [["<a>", "/a?x=<"], ["b", "/b"]] });
  const html = await answer.text();
  assert.match(html, /<body><a class="skip" href="#main">/);
  assert.match(html, /<a href="\/a\?x=&lt;">&lt;a><\/a><\/li><li><a href="\/b">b<\/a><\/li>/);
  assert.match(html, /<li aria-current="page">&lt;c><\/li>/);
});

Deno.test("numbers of a table stand to the right, thousands apart", async () => {
  const rows = [["a", 12_345], ["b", "none"]];
  const answer = page({ title: "t", body: table({ caption: "c", columns: ["n", "v"], rows }) });
  const html = await answer.text();
  assert.match(html, /<th scope="col" class="number">v<\/th>/);
  assert.match(html, /<td class="number" data-label="v">12,345<\/td>/);
});

Deno.test("json writes bigints, maps and sets", async () => {
  const answer = json({ n: 1n, m: new Map([["k", 2]]), s: new Set(["x"]) }, { status: 404 });
  assert.equal(answer.status, 404);
  assert.deepEqual(await answer.json(), { n: "1", m: { k: 2 }, s: ["x"] });
});
