/**
 * Restarts of daemons, and their effect on proxies.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Daemon,
  eventually,
  freePort,
  portsOf,
  spread,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";
import { metricOf, syncOf } from "../support/views.ts";
import {
  assertNothingRejected,
  sidecars,
  startWorld,
  type TestProxy,
  updatesOf,
  type World,
} from "../support/world.ts";

const HOST = "shop.test";
const ROUTES = "routes.yaml";

function routesTo(version: string): string {
  return manifest("VirtualService", "shop", { hosts: [HOST], http: [to(HOST, version)] });
}

/** Waits until a daemon sees every proxy hold what it should. */
async function allSynced(daemon: Daemon, { testProxies }: World): Promise<void> {
  await eventually("all proxies to be in sync", async () => {
    const rows = await syncOf(daemon);
    const states = rows.flatMap((r) => [
      r.cluster_status,
      r.listener_status,
      r.route_status,
      r.endpoint_status,
    ]);
    return rows.length === testProxies.length && states.every((state) => state === "SYNCED");
  }, 40_000);
}

Deno.test("proxies outlive their daemon", async (t) => {
  await using v1 = startBackend("v1");
  await using v2 = startBackend("v2");
  const port = freePort();
  const http = { number: port, protocol: "HTTP" };
  const files = {
    "sidecars.yaml": sidecars([http]),
    "service.yaml": documents(
      serviceEntry(
        "shop",
        [HOST],
        http,
        [v1, v2].map((b) => endpoint(b.port, { version: b.name })),
      ),
      manifest("DestinationRule", "shop", {
        host: HOST,
        subsets: ["v1", "v2"].map((name) => ({ name, labels: { version: name } })),
      }),
    ),
    [ROUTES]: routesTo("v1"),
  };
  const daemon = { args: ["--shutdownDuration=4s"] };
  await using world = await startWorld({ files, daemon });
  const [delta] = world.testProxies;
  assert.equal(delta?.transport, "delta");
  const answersOf = ({ address }: TestProxy, calls = 20) =>
    spread(calls, `http://${address}:${port}/`, { host: HOST });
  const answeredBy = async (version: string): Promise<void> => {
    for (const testProxy of world.testProxies) {
      await eventually(
        `answers by ${version} over ${testProxy.transport}`,
        async () => (await answersOf(testProxy))[version] === 20,
      );
    }
  };
  const again = () =>
    startDaemon({ configDir: world.config.path, ports: portsOf(world.daemon), ...daemon });

  await answeredBy("v1");
  await allSynced(world.daemon, world);
  const before = await updatesOf(delta, "success");

  await t.step("a killed daemon leaves the proxies serving", async () => {
    world.daemon.program.kill("SIGKILL");
    const { signal } = await world.daemon.program.status;
    assert.equal(signal, "SIGKILL");
    for (const testProxy of world.testProxies) {
      assert.deepEqual(await answersOf(testProxy, 50), { v1: 50 });
    }
  });

  await t.step("the restarted daemon sends nothing to up-to-date proxies", async () => {
    await using second = await again();
    await allSynced(second, world);
    for (const testProxy of world.testProxies) {
      assert.deepEqual(await answersOf(testProxy), { v1: 20 });
    }
    assert.deepEqual(await updatesOf(delta, "success"), before);
    // Responses to the variant without versions, one per type.
    assert.equal(await metricOf(second, "pilot_xds_pushes"), 4);
    // The streams are alive: a change reaches both.
    await world.config.write(ROUTES, routesTo("v2"));
    await answeredBy("v2");
    await allSynced(second, world);
    assert.equal((await updatesOf(delta, "success")).cds, before.cds);
    // Over delta a route is its own resource; its table was not sent again.
    assert.equal((await updatesOf(delta, "success")).rds, before.rds);
    assert.equal((await updatesOf(delta, "success")).vhds, before.vhds! + 1);
  });

  await t.step("changes made while the daemon was stopped are sent after its start", async () => {
    for (const testProxy of world.testProxies) {
      assert.deepEqual(await answersOf(testProxy), { v2: 20 });
    }
    await world.config.write(ROUTES, routesTo("v1"));
    const held = await updatesOf(delta, "success");
    await using third = await again();
    await answeredBy("v1");
    await allSynced(third, world);
    const now = await updatesOf(delta, "success");
    assert.deepEqual({ ...now, vhds: 0 }, { ...held, vhds: 0 });
    assert.equal(now.vhds, held.vhds! + 1);
  });

  await t.step("the daemon stops on SIGTERM in time and with status 0", async () => {
    await using fourth = await again();
    await allSynced(fourth, world);
    const started = performance.now();
    fourth.program.kill("SIGTERM");
    const { code } = await fourth.program.status;
    const took = performance.now() - started;
    assert.equal(code, 0, fourth.program.output());
    assert.ok(took < 20_000, `took ${took} ms`);
    for (const testProxy of world.testProxies) {
      assert.deepEqual(await answersOf(testProxy), { v1: 20 });
    }
  });

  await t.step("no update was refused", () => assertNothingRejected(world));
});
