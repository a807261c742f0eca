/**
 * Provenance in resources: a real Envoy that asks for it shows the origin of its clusters, routes,
 * listeners and endpoints in its own dump; other Envoys receive unchanged resources.
 *
 * @module
 */
import assert from "node:assert/strict";
import { freePort, startAgent, startBackend } from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";
import { assertNothingRejected, sidecars, startWorld } from "../support/world.ts";

const HOST = "shop.test";

/** Returns the metadata under `mesh.explain` anywhere in a dump. */
function explanations(dump: unknown): { group: string; object?: string; field?: string }[] {
  const found: { group: string; object?: string; field?: string }[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === "mesh.explain") found.push(...(inner as { groups: typeof found }).groups);
      else walk(inner);
    }
  };
  walk(dump);
  return found;
}

Deno.test("an Envoy that asks for it holds the provenance of its resources", async (t) => {
  await using backend = startBackend("v1");
  const port = freePort();
  await using world = await startWorld({
    files: {
      "sidecars.yaml": sidecars([{ number: port, protocol: "HTTP" }]),
      "shop.yaml": documents(
        serviceEntry("shop", [HOST], { number: port, protocol: "HTTP" }, [
          endpoint(backend.port, { version: "v1" }),
        ]),
        manifest("DestinationRule", "shop", {
          host: HOST,
          trafficPolicy: { connectionPool: { tcp: { maxConnections: 7 } } },
        }),
        manifest("VirtualService", "shop", { hosts: [HOST], http: [to(HOST, "")] }),
      ),
    },
  });
  const dir = await Deno.makeTempDir({ prefix: "mesh-explain-" });
  await using _dir = {
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
  for (const delta of [true, false]) {
    await t.step(delta ? "over delta" : "over state of the world", async () => {
      const plain = world.testProxies.find((s) => s.transport === (delta ? "delta" : "sotw"))!;
      await using asking = await startAgent({
        name: `asking-${delta ? "delta" : "sotw"}`,
        role: "sidecar",
        xds: world.daemon.xds,
        envoy: await envoyPath(),
        dir,
        interception: "NONE",
        namespace: "test",
        ip: delta ? "127.0.7.11" : "127.0.7.12",
        delta,
        labels: { transport: "other" },
        env: { MESH_META_EXPLAIN: "true" },
      });
      const explained = explanations(await asking.configDump());
      const says = (group: string, object: string): void =>
        assert.ok(
          explained.some((e) => e.group === group && e.object === object),
          `${group} is not of ${object}`,
        );
      says("connectionPool", "DestinationRule/test/shop");
      says("service", "ServiceEntry/test/shop");
      says("endpoint", "ServiceEntry/test/shop");
      says("rule", "VirtualService/test/shop");
      says("http", "ServiceEntry/test/shop");
      assert.deepEqual(explanations(await plain.agent.configDump()), []);
    });
  }
  await assertNothingRejected(world);
});
