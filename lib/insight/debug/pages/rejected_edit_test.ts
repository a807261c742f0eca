/** Tests of what pages say about rejected documents, unknown names and what is wrong. */
import assert from "node:assert/strict";
import { debugInputs } from "../../../../tests/support/debug_inputs.ts";
import { objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import { startTranslation } from "../../../../tests/support/translation_fixture.ts";
import type { SourceProblem } from "../../../mesh/sources/mod.ts";
import { startWeb } from "../../../kit/web/mod.ts";
import { type DebugInputs, debugRoutes } from "../mod.ts";

const CONFIG = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: cart, namespace: shop}
spec:
  hosts: [cart.example]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
`;

const HOSTILE = `<img src=x onerror="alert(1)">`;

function problem(over: Partial<SourceProblem>): SourceProblem {
  return {
    file: "long/folder/traffic.yaml",
    line: 38,
    column: 15,
    path: "spec.ports[0].number",
    code: "invalid-port",
    message: `${HOSTILE} is not a port`,
    remedy: "Write a number.",
    lastGoodServes: true,
    since: 60_000,
    object: { kind: "ServiceEntry", namespace: "shop", name: "cart" },
    ...over,
  };
}

/** Serves the pages, and returns the response of each path as a browser gets it. */
async function pages(
  over: Partial<DebugInputs>,
  look: (
    get: (path: string, accept?: string) => Promise<{ status: number; body: string }>,
  ) => Promise<void>,
): Promise<void> {
  const { translation: { mesh } } = startTranslation();
  const objects = () => objectsOf(CONFIG);
  const inputs = debugInputs({ mesh, objects, now: () => 180_000, ...over });
  const web = await startWeb({ name: "test", address: "127.0.0.1:0", routes: debugRoutes(inputs) });
  try {
    await look(async (path, accept = "text/html") => {
      const url = `http://127.0.0.1:${web.address.port}${path}`;
      const answer = await fetch(url, { headers: { accept } });
      return { status: answer.status, body: await answer.text() };
    });
  } finally {
    await web.stop(0);
  }
}

const CART = "/debug/objects/ServiceEntry/shop/cart";

Deno.test("an object whose edit was rejected has a banner with the version that serves", async () => {
  for (
    const over of [
      {},
      { object: { kind: "ServiceEntri", namespace: "shop", name: "cart" } },
      { object: undefined, file: objectsOf(CONFIG)[0]!.meta.origin.file ?? "" },
    ]
  ) {
    await pages({ problems: () => [problem(over)] }, async (get) => {
      const { body } = await get(CART);
      assert.match(body, /last edit of this object was rejected .*2m.* ago\. Generation 1 keeps/s);
      assert.match(body, /<span class="at">[^<]*:38:15<\/span>/);
      assert.ok(body.includes("&lt;img") && !body.includes("<img"));
      assert.match((await get("/debug/objects")).body, /edit rejected/);
    });
  }
  await pages(
    { problems: () => [problem({ object: undefined, file: "other.yaml" })] },
    async (get) => {
      assert.doesNotMatch((await get(CART)).body, /last edit/);
    },
  );
});

Deno.test("an object that never had a valid version has a page with its rejection", async () => {
  const object = { kind: "Gateway", namespace: "shop", name: "front" };
  await pages({ problems: () => [problem({ object, lastGoodServes: false })] }, async (get) => {
    const { status, body } = await get("/debug/objects/Gateway/shop/front");
    assert.equal(status, 200);
    assert.match(body, /document of this object is rejected, and no earlier version serves/);
    assert.match(body, /Write a number/);
  });
});

Deno.test("unknown objects, kinds, proxies and paths are answered with near names", async () => {
  await pages({}, async (get) => {
    const near = `<a href="${CART}">`;
    for (
      const path of ["ServiceEntry/shop/crat", "ServiceEntri/shop/cart", "ServiceEntry/shop/car"]
    ) {
      const { status, body } = await get(`/debug/objects/${path}`);
      assert.equal(status, 404);
      assert.ok(body.includes(near), path);
    }
    assert.match((await get("/debug/objects/ServiceEntri/shop/cart")).body, /no kind ServiceEntri/);
    const kind = await get("/debug/configz?resource=Gatway", "*/*");
    assert.match(kind.body, /near it: Gateway/);
    const path = await get("/debug/proxis");
    assert.equal(path.status, 404);
    assert.ok(path.body.includes(`<a href="/debug/proxies">`), path.body);
    assert.match((await get("/debug/synz", "*/*")).body, /near it: \/debug\/syncz/);
    assert.match((await get("/debug/proxies/x.y")).body, /No proxy is connected to this daemon/);
  });
});

Deno.test("the overview says that nothing is wrong, or what, since when and which object", async () => {
  await pages({}, async (get) => {
    const { body } = await get("/debug");
    assert.match(body, /No proxy is connected; no document is rejected/);
    assert.match(body, /no problem/);
  });
  await pages({ problems: () => [problem({})] }, async (get) => {
    const { body } = await get("/debug");
    assert.match(body, /1 problem; the oldest began <time/);
    assert.match(body, /ServiceEntry shop\/cart is rejected; generation 1 serves/);
    assert.match(body, /1970-01-01T00:01:00Z, for/);
    assert.ok(body.includes(`href="${CART}"`));
    assert.match((await get("/debug/quarantine")).body, /1 problem/);
  });
});

Deno.test("every page has version, uptime and a refresh switch that needs no script", async () => {
  await pages({}, async (get) => {
    for (const path of ["/debug", "/debug/objects?kind=Gateway", CART, "/debug/quarantine"]) {
      const { body } = await get(path);
      assert.match(body, /Mesh 1\.2\.3/);
      assert.match(body, /up 3m/);
      assert.doesNotMatch(body, /http-equiv/);
      const [link] = body.match(/href="[^"]*refresh=5"/) ?? [];
      assert.ok(link !== undefined, path);
      const again = await get(link.slice(6, -1).replaceAll("&amp;", "&"));
      assert.match(again.body, /<meta http-equiv="refresh" content="5"/);
      assert.ok(path !== "/debug/objects?kind=Gateway" || again.body.includes("kind=Gateway"));
    }
    assert.doesNotMatch((await get("/debug?refresh=0")).body, /http-equiv/);
    assert.doesNotMatch((await get("/debug/whatif?refresh=5")).body, /http-equiv/);
  });
});
