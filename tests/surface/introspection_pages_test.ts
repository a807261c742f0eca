/**
 * The introspection pages in a browser: each loads with its content; screenshots are stored.
 *
 * @module
 */
import assert from "node:assert/strict";
import { introspectionRoutes } from "../../lib/insight/introspect/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import { startWeb } from "../../lib/kit/web/mod.ts";
import { type Browser, PICTURES, withBrowser } from "../support/browser.ts";

/** Text that would have an effect if it were used as markup. */
const HOSTILE = `<img src=x onerror="document.title='taken over'"><b>bold</b>`;

/** Topics with what their pages must hold. */
const PAGES: readonly [topic: string, holds: readonly RegExp[]][] = [
  ["home", [/pilot-discovery/, /Hostname/, /<button/]],
  ["scope", [/<a href="\/scopez\/ads">ads</, /Stack traces from/, /&lt;img src=x/]],
  ["mem", [/heap/i, /<button/]],
  ["env", [/PATH/]],
  ["proc", [new RegExp(`\\b${Deno.pid}\\b`)]],
  ["arg", [/test/]],
  ["version", [/deno/]],
  ["signal", [/SIGUSR1/, /<button/]],
];

/** Serves the pages of this very process while `look` looks at them. */
async function served(look: (base: string) => Promise<void>): Promise<void> {
  const inputs = { program: "pilot-discovery", stop: () => {}, userSignal: "", now: Date.now };
  const routes = introspectionRoutes(inputs);
  const web = await startWeb({ name: "introspection", address: "127.0.0.1:0", routes });
  try {
    await look(`http://127.0.0.1:${web.address.port}`);
  } finally {
    await web.stop(0);
  }
}

async function pictured(browser: Browser, url: string, name: string): Promise<void> {
  for (const dark of name === "scope" ? [false, true] : [false]) {
    const file = `${PICTURES}/introspection-${name}${dark ? "-dark" : ""}.png`;
    await browser.screenshot(url, file, { dark });
    console.log(`picture: ${file}`);
  }
}

Deno.test(withBrowser("each introspection page holds what it is about", async (browser, t) => {
  scope(HOSTILE);
  await served(async (base) => {
    for (const [topic, holds] of PAGES) {
      await t.step(topic, async () => {
        const url = `${base}/${topic}z/`;
        const dom = await browser.dom(url);
        for (const what of holds) assert(what.test(dom), `${url} does not hold ${what}`);
        // Every topic can be reached from every page.
        for (const [other] of PAGES) assert(dom.includes(`href="/${other}z/"`), other);
        assert.match(dom, /<html lang="en"/);
        await pictured(browser, url, topic);
      });
    }
  });
}));

Deno.test(withBrowser("a scope whose name is markup is text on the page", async (browser) => {
  scope(HOSTILE);
  await served(async (base) => {
    for (const path of ["/scopez/", `/scopez/${encodeURIComponent(HOSTILE)}`]) {
      const dom = await browser.dom(`${base}${path}`);
      assert.match(dom, /&lt;img src=x onerror=/, path);
      assert.doesNotMatch(dom, /<img|<b>bold/, path);
      assert.doesNotMatch(dom, /<title>taken over/, path);
    }
  });
}));
