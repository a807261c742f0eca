import assert from "node:assert/strict";
import { accessOf, createClient, parseKubeconfig } from "../../lib/orch/mod.ts";
import { credentialAccess } from "./credential_access.ts";

function closedServer() {
  const config = parseKubeconfig(
    JSON.stringify({
      "current-context": "a",
      contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
      clusters: [{ name: "a", cluster: { server: "http://127.0.0.1:1" } }],
      users: [{ name: "a", user: {} }],
    }),
    "test",
  );
  return createClient(accessOf(config, { allowed: [] }));
}

Deno.test("proxies of remote and unknown clusters get no credentials of the daemon's cluster", async () => {
  using own = closedServer();
  using remote = closedServer();
  const asked: (string | undefined)[] = [];
  const access = credentialAccess((cluster) => {
    asked.push(cluster);
    return cluster === undefined ? own : cluster === "west" ? remote : undefined;
  });
  const identity = { trustDomain: "cluster.local", namespace: "edge", serviceAccount: "gateway" };
  assert.equal(await access(identity, "west"), false);
  assert.equal(await access(identity, "north"), false);
  assert.deepEqual(asked, ["west", undefined, "north"]);
});
