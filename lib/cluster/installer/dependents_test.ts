import assert from "node:assert/strict";
import { dependentLines, injectedBy } from "./dependents.ts";

Deno.test("the revision of a proxy is that of its injection", () => {
  const status = (text: string) => ({ "sidecar.mesh.io/status": text });
  assert.equal(injectedBy({}), undefined);
  assert.equal(injectedBy(status('{"revision":"canary"}')), "canary");
  assert.equal(injectedBy({ ...status("{}"), "mesh.io/rev": "stable" }), "stable");
  assert.equal(injectedBy(status("no JSON")), "default");
});

Deno.test("dependents are named, many of a kind by their number", () => {
  const none = {
    namespaces: new Map(),
    pods: new Map(),
    resources: new Map(),
    gateways: [],
    proxies: [],
  };
  assert.deepEqual(dependentLines(none), []);
  const proxies = Array.from({ length: 10 }, (_, at) => `web-${at}.shop`);
  const lines = dependentLines({
    ...{ namespaces: new Map([["tag prod", ["shop"]]]), pods: new Map([["shop", 10]]), proxies },
    ...{ gateways: ["mesh-system/edge"], resources: new Map([["gateways.networking.mesh.io", 3]]) },
  });
  assert.deepEqual(lines, [
    "namespaces that are injected by tag prod: shop",
    "pods with its proxy, by namespace: shop (10)",
    `connected proxies (10): ${proxies.slice(0, 8).join(", ")} and 2 more`,
    "gateways that are removed: mesh-system/edge",
    "3 resources of users are lost with their definitions: gateways.networking.mesh.io (3)",
  ]);
});
