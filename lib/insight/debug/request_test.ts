/** Explained requests over HTTP: text, JSON, page and errors. */
import assert from "node:assert/strict";
import { proxyNode, startTranslation } from "../../../tests/support/translation_fixture.ts";
import { debugInputs, debugSession, SHOP_SERVICE } from "../../../tests/support/debug_inputs.ts";
import { startWeb } from "../../kit/web/mod.ts";
import { debugRoutes } from "./mod.ts";

Deno.test("request: text, JSON and a page; errors name near proxies", async () => {
  const bench = startTranslation();
  bench.set(SHOP_SERVICE);
  const node = proxyNode("shop");
  const binding = bench.translation.source.bind(node, () => {});
  const view = (type: string) => binding.view(type);
  const session = debugSession({ node, classKey: binding.classKey, view });
  const inputs = debugInputs({
    mesh: bench.translation.mesh,
    sessions: () => [session],
  });
  const routes = debugRoutes(inputs);
  const web = await startWeb({ name: "test", address: "127.0.0.1:0", routes });
  const ask = async (query: string, accept = "*/*") => {
    const url = `http://127.0.0.1:${web.address.port}/debug/request?${query}`;
    const answer = await fetch(url, { headers: { accept } });
    return { status: answer.status, body: await answer.text() };
  };
  const good = `from=proxy.shop&url=${encodeURIComponent("http://a.example/x?y=<1>")}`;
  try {
    const root = await fetch(`http://127.0.0.1:${web.address.port}/`, { redirect: "manual" });
    await root.body?.cancel();
    assert.deepEqual([root.status, root.headers.get("location")], [302, "/debug"]);
    const { outcomes } = JSON.parse((await ask(good)).body);
    assert.deepEqual(outcomes[0].endpoints, ["10.0.0.1:80"]);
    for (const [query, accept] of [[`${good}&format=text`, "*/*"], [good, "text/plain"]] as const) {
      const { status, body } = await ask(query, accept);
      assert.equal(status, 200);
      assert.match(
        body,
        /=> goes by proxy\.shop: HTTP to 10\.0\.0\.1:80 of outbound\|80\|\|a\.example/,
      );
    }
    const page = await ask(good, "text/html");
    assert.match(page.body, /<caption>Outcome<\/caption>/);
    assert.ok(page.body.includes("/debug/objects/ServiceEntry/shop/a"));
    assert.ok(!page.body.includes("<1>"));
    assert.deepEqual(await ask(good.replace("proxy.shop", "porxy.shop")), {
      status: 404,
      body: "no proxy porxy.shop is connected here; near it: proxy.shop\n",
    });
    const wrong = await ask("from=proxy.shop&url=nothing", "text/html");
    assert.equal(wrong.status, 400);
    assert.match(wrong.body, /is no URL/);
    assert.equal((await ask("", "text/html")).status, 200);
    assert.equal((await ask("")).status, 400);
  } finally {
    await web.stop(0);
  }
});
