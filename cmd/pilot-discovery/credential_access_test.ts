import assert from "node:assert/strict";
import type { CredentialQuestion } from "../../lib/cluster/authn/mod.ts";
import {
  accessOf,
  createClient,
  type OrchClient,
  parseKubeconfig,
} from "../../lib/kit/orch/mod.ts";
import { credentialAccess } from "./credential_access.ts";
import { clusterClients } from "./token_reviews.ts";

/** A server that answers access reviews; `asked` counts them. */
function startServer(allowed: boolean) {
  let asked = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    asked++;
    return Response.json({ status: { allowed } });
  });
  const config = parseKubeconfig(
    JSON.stringify({
      "current-context": "a",
      contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
      clusters: [{ name: "a", cluster: { server: `http://127.0.0.1:${server.addr.port}` } }],
      users: [{ name: "a", user: {} }],
    }),
    "test",
  );
  const client = createClient(accessOf(config, { allowed: ["plaintextServer"] }));
  return {
    client,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await server.shutdown();
    },
  };
}

function accessTo(own: OrchClient, remotes: Readonly<Record<string, OrchClient>>) {
  const clusterAliases = new Map([["w", "west"]]);
  const clients = clusterClients({ clusterId: "home", clusterAliases }, own, (id) => remotes[id]);
  return credentialAccess({ clients, aliases: clusterAliases, clock: () => 0 });
}

const question = (cluster: string, more: Partial<CredentialQuestion> = {}): CredentialQuestion => ({
  id: { trustDomain: "cluster.local", namespace: "edge", serviceAccount: "gateway" },
  cluster,
  reviewedBy: undefined,
  isListed: false,
  ...more,
});

Deno.test("the cluster of a proxy decides about its credentials, and those are its own", async () => {
  await using own = startServer(true);
  await using west = startServer(true);
  await using east = startServer(false);
  const access = accessTo(own.client, { west: west.client, east: east.client });
  for (const claimed of ["", "home", "Orchestrator"]) {
    assert.deepEqual(await access(question(claimed)), { allowed: true }, claimed);
  }
  assert.deepEqual([own.asked(), west.asked(), east.asked()], [1, 0, 0]);
  assert.deepEqual(await access(question("west")), { allowed: true, cluster: "west" });
  assert.deepEqual(await access(question("w")), { allowed: true, cluster: "west" });
  assert.deepEqual(await access(question("east")), { allowed: false });
  assert.deepEqual([own.asked(), west.asked(), east.asked()], [1, 1, 1]);
  assert.deepEqual(await access(question("north")), { allowed: false }, "unknown");
});

Deno.test("a token of another cluster, or an unknown cluster, gets nothing, listed or not", async () => {
  await using own = startServer(true);
  await using west = startServer(true);
  const access = accessTo(own.client, { west: west.client });
  const refused = [
    question("west", { reviewedBy: "" }),
    question("west", { reviewedBy: "home", isListed: true }),
    question("", { reviewedBy: "west" }),
    question("north", { isListed: true }),
  ];
  for (const one of refused) assert.deepEqual(await access(one), { allowed: false });
  assert.equal(own.asked() + west.asked(), 0);
  const listed = question("west", { reviewedBy: "w", isListed: true });
  assert.deepEqual(await access(listed), { allowed: true, cluster: "west" });
  assert.equal(west.asked(), 0, "the list decides alone");
});
