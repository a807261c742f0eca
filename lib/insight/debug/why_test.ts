/** Explanations of a proxy's resources over HTTP. */
import assert from "node:assert/strict";
import { proxyNode, startTranslation } from "../../../tests/support/translation_fixture.ts";
import { debugInputs, debugSession, SHOP_SERVICE } from "../../../tests/support/debug_inputs.ts";
import { type DebugInputs, debugRoutes } from "./mod.ts";
import { nearNames } from "./near_names.ts";
import { typeNamed } from "./why.ts";
import { TYPE_URLS } from "../../mesh/model/mod.ts";

/** The inputs that the tested paths read; access to others fails. */
function inputsOf(): DebugInputs {
  const { translation } = startTranslationOf(SHOP_SERVICE);
  const node = proxyNode("shop");
  const binding = translation.source.bind(node, () => {});
  const view = (type: string) => binding.view(type);
  const session = debugSession({ connectionId: "1", node, view });
  return debugInputs({ mesh: translation.mesh, sessions: () => [session] });
}

function startTranslationOf(yaml: string): ReturnType<typeof startTranslation> {
  const bench = startTranslation();
  bench.set(yaml);
  return bench;
}

async function ask(pathAndQuery: string): Promise<{ status: number; body: string }> {
  const url = new URL(pathAndQuery, "http://debug");
  const route = debugRoutes(inputsOf()).find((r) =>
    `/${r.segments.join("/")}` === url.pathname && r.method === "GET"
  );
  const response = await route!.handler(
    { url, request: new Request(url), params: {}, local: true } as never,
  );
  return { status: response.status, body: await response.text() };
}

const NAME = encodeURIComponent("outbound|80||a.example");

Deno.test("why: a resource's objects and decisions, by any name of its type", async () => {
  for (const type of ["cluster", "cds", encodeURIComponent(TYPE_URLS.cluster)]) {
    const { status, body } = await ask(`/debug/why?proxyID=proxy.shop&type=${type}&name=${NAME}`);
    assert.equal(status, 200, body);
    const why = JSON.parse(body);
    assert.equal(why.exact, true);
    assert.deepEqual(why.objects.map((o: { name: string }) => o.name), ["a"]);
    assert.deepEqual(why.services, ["shop/a.example"]);
  }
});

Deno.test("why: names that are not there are answered with near ones", async () => {
  const wrong = await ask("/debug/why?proxyID=proxy.shop&type=cluster&name=outbound|80||b.example");
  assert.equal(wrong.status, 404);
  assert.match(wrong.body, /near it:\n {2}outbound\|80\|\|a\.example\n/);
  assert.equal((await ask("/debug/why?proxyID=proxy.shop&type=thing&name=x")).status, 400);
  assert.equal((await ask("/debug/why?proxyID=proxy.shop&type=cluster")).status, 400);
  assert.equal((await ask(`/debug/why?proxyID=nobody&type=cluster&name=${NAME}`)).status, 404);
});

Deno.test("config_dump: each resource has its why beside it when that is asked for", async () => {
  const { body } = await ask("/debug/config_dump?proxyID=proxy.shop&why=true");
  const sections: Record<string, unknown>[] = JSON.parse(body).configs;
  let explained = 0;
  for (const section of sections) {
    for (const list of Object.values(section).filter(Array.isArray)) {
      for (const entry of list) {
        assert.equal(entry.why[0].exact, true);
        explained++;
      }
    }
  }
  assert.ok(explained > 5, `${explained}`);
  assert.ok(!(await ask("/debug/config_dump?proxyID=proxy.shop")).body.includes('"why"'));
});

Deno.test("near names share most pairs of letters", () => {
  assert.deepEqual(nearNames(["cart:80", "basket:80", "cart:8080"], "crat:80")[0], "cart:80");
  assert.equal(typeNamed("nothing"), undefined);
});
