/** Tests that every link of the list of objects leads to a page. */
import assert from "node:assert/strict";
import { startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import { debugInputs } from "../../../../tests/support/debug_inputs.ts";
import type { Message } from "../../analyze/mod.ts";
import { debugRoutes } from "../mod.ts";
import { startWeb } from "../../../kit/web/mod.ts";

const CONFIG = `apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: a.b, namespace: shop}
spec:
  hosts: [a.example]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
`;

const MISTAKE: Message = {
  code: "MSH0101",
  name: "ReferencedResourceNotFound",
  level: "Error",
  message: "The host does not exist",
  remedy: "Correct it.",
  path: "spec.hosts[0]",
  object: { kind: "ServiceEntry", namespace: "shop", name: "a.b" },
  file: "f.yaml",
  line: 1,
  column: 1,
  rejected: false,
};

Deno.test("the list of objects leads to the page of each, of those without a namespace too", async () => {
  const bench = startTranslation();
  bench.set(CONFIG);
  const inputs = debugInputs({
    mesh: bench.translation.mesh,
    objects: () => objectsOf(CONFIG),
    analysis: () => [MISTAKE],
  });
  const routes = debugRoutes(inputs);
  const web = await startWeb({ name: "test", address: "127.0.0.1:0", routes });
  try {
    const base = `http://127.0.0.1:${web.address.port}`;
    const list = await (await fetch(`${base}/debug/objects`)).text();
    const links = [...list.matchAll(/href="(\/debug\/objects\/[^"?]+)"/g)].map(([, href]) => href!);
    assert.deepEqual(links, [
      "/debug/objects/Namespace/-/shop",
      "/debug/objects/ServiceEntry/shop/a.b",
    ]);
    for (const href of links) {
      const answer = await fetch(`${base}${href}`);
      assert.equal(answer.status, 200, href);
      const page = await answer.text();
      assert.match(page, /<h1>(Namespace \/shop|ServiceEntry shop\/a\.b)<\/h1>/);
      assert.equal(page.includes("The host does not exist"), href.includes("ServiceEntry"));
    }
    const gone = await fetch(`${base}/debug/objects/ServiceEntry/-/a.b`);
    assert.equal(gone.status, 404);
    await gone.body?.cancel();
  } finally {
    await web.stop(0);
  }
});
