/**
 * The debug pages in a browser, over a mesh with hundreds of services with long names and with
 * troubles: width, height, contrast, keyboard, links, scripts. Screenshots are stored.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually } from "../../scripts/harness/mod.ts";
import { openBrowser, PICTURES } from "../support/browser.ts";
import { openTab, type Tab } from "../support/devtools.ts";
import { manifest } from "../support/manifest.ts";
import {
  BROKEN,
  EDITED,
  GATEWAY,
  PROXY,
  REFUSED,
  startTroubledMesh,
  type TroubledMesh,
  UNBROKEN,
} from "../support/troubled_mesh.ts";

const seg = encodeURIComponent;
const HOST = `${EDITED}.${BROKEN}.svc.cluster.local`;
const AT = `/debug/proxies/${seg(PROXY)}`;

/** Pages by name: path and expected status. */
function pagesOf(revision: number, previous: number): Record<string, readonly [string, number]> {
  const good: Record<string, string> = {
    overview: "/debug",
    proxies: "/debug/proxies",
    proxy: AT,
    "proxy-clusters": `${AT}?type=cds`,
    "proxy-history": `${AT}/history`,
    "proxy-diff": `/debug/history?proxyID=${seg(PROXY)}&from=${previous}&to=${revision}`,
    "hostile-proxy": `/debug/proxies/${seg(UNBROKEN)}`,
    cluster: `${AT}/cds/${seg(`outbound|8080||${HOST}`)}`,
    listener: `${AT}/lds/virtualInbound`,
    "gateway-listener": `/debug/proxies/${seg(GATEWAY)}/lds/0.0.0.0_8443`,
    routes: `${AT}/rds/8080`,
    objects: "/debug/objects",
    "edited-object": `/debug/objects/VirtualService/${BROKEN}/${EDITED}`,
    "rejected-objects": "/debug/objects?state=edit+rejected",
    "culprit-object": `/debug/objects/DestinationRule/${BROKEN}/${REFUSED}`,
    "mistaken-object": `/debug/objects/VirtualService/${BROKEN}/no-such-subset`,
    services: "/debug/services",
    service: `/debug/services/${BROKEN}/${HOST}`,
    maps: "/debug/map",
    map: `/debug/map?namespace=${BROKEN}`,
    "map-neighbours": `/debug/map?service=${seg(`${BROKEN}/${HOST}`)}`,
    pushes: "/debug/pushes",
    push: `/debug/history?revision=${revision}`,
    receipts: "/debug/receipts",
    problems: "/debug/faults",
    quarantine: "/debug/quarantine",
    request: "/debug/request",
    "request-explained": `/debug/request?from=${seg(PROXY)}&url=${seg(`http://${HOST}:8080/x`)}`,
    incident: "/debug/incident",
    "incident-explained": `/debug/incident?from=${seg(PROXY)}&text=${
      seg(`curl http://${HOST}:8080/x`)
    }`,
    whatif: "/debug/whatif",
    costs: "/debug/costs",
    audit: "/debug/audit",
  };
  const missing: Record<string, string> = {
    "no-proxy": "/debug/proxies/settlement",
    "no-object": `/debug/objects/VirtualServce/${BROKEN}/${EDITED}`,
    "no-resource": `${AT}/cds/outbound`,
    "no-map": "/debug/map?namespace=settlement",
    "no-service": `/debug/services/${BROKEN}/settlement`,
    "no-page": "/debug/proxis",
  };
  return Object.fromEntries([
    ...Object.entries(good).map(([name, path]) => [name, [path, 200]]),
    ...Object.entries(missing).map(([name, path]) => [name, [path, 404]]),
  ]);
}

/** Greatest height of a page by the width of the window, in pixels. */
const HEIGHTS: Readonly<Record<number, number>> = { 1280: 5_000, 400: 9_000 };

/** Smallest contrast of text: level AA of the Web Content Accessibility Guidelines, 1.4.3. */
const CONTRAST = 4.5;

/** Returns texts with too little contrast, with the elements opened that are collapsed. */
const LOW_CONTRAST = `(() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
    return { rgb: [r, g, b], a };
  };
  const over = (top, below) => top.rgb.map((c, i) => c * top.a + below[i] * (1 - top.a));
  const ground = (element) => {
    if (element === null) return matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0] : [255, 255, 255];
    const own = parse(getComputedStyle(element).backgroundColor);
    return own.a === 1 ? own.rgb : over(own, ground(element.parentElement));
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const seen = new Set();
  const low = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === "" || seen.has(element)) continue;
    seen.add(element);
    const below = ground(element);
    const above = over(parse(getComputedStyle(element).color), below);
    const [a, b] = [light(above), light(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < ${CONTRAST}) low.push(walker.currentNode.data.slice(0, 40) + " " + ratio.toFixed(2));
  }
  return low;
})()`;

/** Returns what is wrong with a page for readers: names of elements, and positions that are broken. */
const FLAWS = `(() => {
  const flaws = [];
  if (document.title === "") flaws.push("no title");
  if (document.querySelectorAll("h1").length !== 1) flaws.push("not one heading");
  for (const input of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    if (input.labels.length === 0) flaws.push("no label: " + input.name);
  }
  for (const table of document.querySelectorAll("table")) {
    if ((table.caption?.textContent ?? "") === "") flaws.push("a table without caption");
  }
  for (const at of document.querySelectorAll(".at")) {
    const { height } = at.getBoundingClientRect();
    if (at.checkVisibility() && height > 30) flaws.push("broken position: " + at.textContent);
  }
  for (const link of document.querySelectorAll("a")) {
    if (link.textContent.trim() === "") flaws.push("a link without text: " + link.href);
  }
  if (document.querySelector("script, img") !== null) flaws.push("a script or picture");
  return flaws;
})()`;

/** Links of pictures have addresses of another type. */
const LINKS = `[...document.querySelectorAll("a[href]")]
  .map((link) => new URL(link.getAttribute("href"), location.href).href)`;

/** Returns boxes, texts and labels of a graph that overlap or leave their box or picture, as drawn. */
const OVERLAPS = `(() => {
  const flaws = [];
  const boxOf = (element) => {
    const { left, right, top, bottom } = element.getBBox === undefined
      ? element.getBoundingClientRect()
      : (({ x, y, width, height }) =>
        ({ left: x, right: x + width, top: y, bottom: y + height }))(element.getBBox());
    return { name: element.textContent || element.parentNode.textContent, left, right, top, bottom };
  };
  for (const graph of document.querySelectorAll("svg.graph")) {
    const { width, height } = graph.viewBox.baseVal;
    const nodes = [...graph.querySelectorAll(".nodes rect")].map(boxOf);
    for (const [at, a] of nodes.entries()) {
      if (a.left < 0 || a.top < 0 || a.right > width || a.bottom > height) flaws.push("outside: " + a.name);
      for (const b of nodes.slice(at + 1)) {
        const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        if (!apart) flaws.push("overlap: " + a.name + " and " + b.name);
      }
    }
    for (const text of graph.querySelectorAll(".nodes text")) {
      const own = boxOf(text);
      const box = boxOf(text.parentNode.querySelector("rect"));
      if (own.left < box.left || own.right > box.right || own.bottom > box.bottom) {
        flaws.push("too long: " + own.name);
      }
    }
    for (const text of graph.querySelectorAll(".labels text")) {
      const own = boxOf(text);
      const hit = nodes.find((box) => own.left < box.right && box.left < own.right &&
        own.top + 3 < box.bottom && box.top < own.bottom - 3);
      if (hit !== undefined) flaws.push("covered: " + own.name);
    }
  }
  return flaws;
})()`;

async function checkPage(tab: Tab, url: string, look: { width: number; dark: boolean }) {
  await tab.look(look);
  const reports = await tab.open(url);
  const status = await tab.evaluate<number>(
    "performance.getEntriesByType('navigation')[0].responseStatus",
  );
  // The browser reports the status of a missing page as an error.
  assert.deepEqual(reports.filter((one) => status < 400 || !one.includes(`${status}`)), [], url);
  const size = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]";
  const [width, height] = await tab.evaluate<[number, number]>(size);
  assert.ok(width <= look.width, `${url}: ${width} pixels in a window of ${look.width}`);
  assert.ok(height <= HEIGHTS[look.width]!, `${url}: ${height} pixels high at ${look.width}`);
  assert.deepEqual(await tab.evaluate(FLAWS), [], url);
  assert.deepEqual(await tab.evaluate(OVERLAPS), [], url);
  return status;
}

/** Opens everything that is collapsed: the page stays as wide as the window, and readable. */
async function checkOpened(tab: Tab, url: string, width: number): Promise<void> {
  assert.deepEqual(await tab.evaluate(LOW_CONTRAST), [], url);
  const opened = await tab.evaluate<number>("document.documentElement.scrollWidth");
  assert.ok(opened <= width, `${url}: ${opened} pixels when all is open`);
}

/** Follows links, given with the path of a page that has them: each leads to a page. */
async function checkLinks(links: ReadonlyMap<string, string>, base: string): Promise<void> {
  for (const [link, page] of links) {
    assert.ok(link.startsWith(`${base}/`), link);
    const answer = await fetch(link, { headers: { accept: "text/html" } });
    await answer.body?.cancel();
    // Views for scripts that name no proxy, and features that do not exist.
    const absent = /\/(ambientz|inject|mcsz)$/.test(link);
    const asksProxy =
      /\/(config_dump|request\/(?:history|compare)|why|[en]dsz|ecdsz|sidecarz|proxyconfigz)$/
        .test(link);
    assert.equal(answer.status, absent ? 404 : asksProxy ? 400 : 200, `${link} on ${page}`);
  }
}

/** Goes through a page with the keyboard: each element that has the focus is visible. */
async function checkKeyboard(tab: Tab, base: string): Promise<void> {
  await tab.look({ width: 1280 });
  await tab.open(`${base}/debug/objects`);
  const focused = `(() => {
    const { tagName, textContent, className } = document.activeElement;
    const { width, height } = document.activeElement.getBoundingClientRect();
    const outline = getComputedStyle(document.activeElement).outlineStyle;
    return { tagName, className, text: textContent.slice(0, 20), shown: width > 1 && height > 1, outline };
  })()`;
  const names: string[] = [];
  for (let at = 0; at < 30; at++) {
    await tab.press("Tab");
    const one = await tab.evaluate<Record<string, unknown>>(focused);
    assert.ok(one.shown && one.outline !== "none", JSON.stringify(one));
    names.push(`${one.tagName} ${one.text}`);
  }
  assert.match(names[0]!, /^A Skip to the content/);
  for (const name of ["A Proxies", "A 5s", "INPUT ", "SELECT ", "BUTTON Filter"]) {
    assert.ok(names.some((one) => one.startsWith(name)), `${name}: ${names}`);
  }
  // The first link leads past the navigation.
  await tab.open(`${base}/debug/objects`);
  await tab.press("Tab");
  await tab.press("Enter");
  assert.equal(await tab.evaluate("document.activeElement.id"), "main");
}

/** Expected texts of the overview while things are wrong. */
const TROUBLES: readonly RegExp[] = [
  /3 problems; the oldest began \S+( ms)? ago/,
  new RegExp(`Proxies reject the cds resource outbound\\|8080\\|\\|${REFUSED}`),
  new RegExp(`Cause\\s*DestinationRule ${BROKEN}/${REFUSED}, generation 1, published`),
  new RegExp(`1: ${PROXY}`),
  new RegExp(`VirtualService ${BROKEN}/${EDITED} is rejected; generation 1 serves`),
  /traffic\.yaml:\d+:\d+/,
  /Sidecr \S+ is rejected; it has no effect/,
];

/** The overview says what is wrong; after the repair of the files only the quarantine is left. */
async function checkOverview(tab: Tab, mesh: TroubledMesh): Promise<void> {
  const url = `${mesh.daemon.http}/debug`;
  await tab.look({ width: 1280 });
  await tab.open(url);
  const text = () => tab.evaluate<string>("document.body.innerText");
  const before = await text();
  for (const one of TROUBLES) assert.match(before, one);
  await tab.open(`${mesh.daemon.http}/debug/objects/DestinationRule/${BROKEN}/${REFUSED}`);
  assert.match(await text(), /Proxies have rejected 1 resource of generation 1 for/);
  await mesh.repair();
  await eventually("the repaired overview", async () => {
    await tab.open(url);
    return /\b1 problem;/.test(await text());
  });
  await tab.open(`${mesh.daemon.http}/debug/objects/VirtualService/${BROKEN}/${EDITED}`);
  assert.doesNotMatch(await text(), /was rejected/);
}

/** Sends the form of what-if queries: the answer is a page like the others. */
async function checkWhatIf(tab: Tab, base: string): Promise<void> {
  const edit = manifest("VirtualService", EDITED, {
    hosts: [HOST],
    http: [{ route: [{ destination: { host: HOST } }], timeout: "9s" }],
  }, BROKEN);
  for (
    const [documents, expected] of [[edit, /37 of 38/], ["kind: Nonsense", /invalid/]] as const
  ) {
    await tab.look({ width: 400, dark: true });
    await tab.open(`${base}/debug/whatif`);
    const text = JSON.stringify(documents);
    await tab.submit(`document.querySelector("textarea").value = ${text};
      document.querySelector("button[type=submit]").click()`);
    assert.match(await tab.evaluate<string>("document.body.innerText"), expected);
    const width = await tab.evaluate<number>("document.documentElement.scrollWidth");
    assert.ok(width <= 400, `the answer is ${width} pixels wide`);
    assert.deepEqual(await tab.evaluate(FLAWS), []);
    await tab.picture(
      `${PICTURES}/debug-whatif-${documents === edit ? "answer" : "invalid"}-400-dark.png`,
    );
    await checkOpened(tab, "/debug/whatif", 400);
  }
}

/** The refresh switch loads the page again without scripts. */
async function checkRefresh(tab: Tab, base: string): Promise<void> {
  await tab.open(`${base}/debug?refresh=5`);
  const loaded = "performance.timeOrigin";
  const first = await tab.evaluate<number>(loaded);
  await eventually(
    "the page to be loaded again",
    async () => await tab.evaluate<number>(loaded).catch(() => first) !== first,
  );
}

const browser = openBrowser();

Deno.test({
  name: browser === undefined
    ? "debug pages in a browser [needs chromium]"
    : "debug pages in a browser",
  ignore: browser === undefined,
  fn: async (t) => {
    await using mesh = await startTroubledMesh({ namespaces: 12, services: 30 });
    const base = mesh.daemon.http;
    await using tab = await openTab("chromium");
    const [last] = await mesh.daemon.debug<{ revision: number; previous: number }[]>(
      "history?limit=1",
    );
    const links = new Map<string, string>();
    const pages = pagesOf(last!.revision, last!.previous);
    for (const [name, [path, expected]] of Object.entries(pages)) {
      await t.step(name, async () => {
        for (const width of [1280, 400]) {
          for (const dark of [false, true]) {
            const status = await checkPage(tab, base + path, { width, dark });
            assert.equal(status, expected, path);
            const look = `${width}${dark ? "-dark" : ""}`;
            await tab.picture(`${PICTURES}/debug-${name}-${look}.png`);
            for (const link of await tab.evaluate<string[]>(LINKS)) {
              // The refresh switch of a missing page leads to itself.
              const own = new URL(link).pathname === new URL(base + path).pathname;
              if (expected === 200 || !own) links.set(link.split("#")[0]!, path);
            }
            await checkOpened(tab, path, width);
          }
        }
      });
    }
    await t.step("links", () => checkLinks(links, base));
    await t.step("keyboard", () => checkKeyboard(tab, base));
    await t.step("refresh", () => checkRefresh(tab, base));
    await t.step("what-if form", () => checkWhatIf(tab, base));
    await t.step("overview", () => checkOverview(tab, mesh));
  },
});
