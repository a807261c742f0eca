import assert from "node:assert/strict";
import { PICTURES, withBrowser } from "../support/browser.ts";

const PAGE = `data:text/html,${
  encodeURIComponent(
    `<style>body{background:white}@media(prefers-color-scheme:dark){body{background:black}}</style>
<p id=a></p><script>a.textContent = matchMedia("(prefers-color-scheme: dark)").matches</script>`,
  )
}`;

Deno.test(withBrowser("a page's scripts have run, in the colours asked for", async (browser) => {
  assert.match(await browser.dom(PAGE), /<p id="a">false<\/p>/);
  assert.match(await browser.dom(PAGE, { dark: true }), /<p id="a">true<\/p>/);
}));

Deno.test(withBrowser("a picture has the size asked for", async (browser) => {
  const file = `${PICTURES}/browser-test.png`;
  await browser.screenshot(PAGE, file, { width: 321, height: 123 });
  const header = new DataView((await Deno.readFile(file)).buffer);
  assert.deepEqual([header.getUint32(16), header.getUint32(20)], [321, 123]);
}));
