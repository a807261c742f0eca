/**
 * Virtual hosts as resources: what a change of one host sends to an Envoy over delta, and that it
 * behaves like an Envoy with whole tables.
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
  startAgent,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { documents, endpoint, manifest, NAMESPACE, serviceEntry, to } from "../support/manifest.ts";
import { syncOf } from "../support/views.ts";
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

/** Number of updates of tables and of virtual hosts that a proxy applied. */
async function routeUpdates(testProxy: TestProxy): Promise<{ rds: number; vhds: number }> {
  const { rds = 0, vhds = 0 } = await updatesOf(testProxy, "success");
  return { rds, vhds };
}

/** Waits until a daemon sees all its proxies hold what they should. */
async function allSynced(daemon: Daemon, count: number): Promise<void> {
  await eventually("all proxies to be in sync", async () => {
    const rows = await syncOf(daemon);
    return rows.length === count && rows.every((r) => r.route_status === "SYNCED");
  }, 40_000);
}

Deno.test("a change of one host is sent as one host", async (t) => {
  await using v1 = startBackend("v1");
  await using v2 = startBackend("v2");
  const port = freePort();
  const http = { number: port, protocol: "HTTP" };
  const shop = documents(
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
  );
  const others = Array.from(
    { length: 50 },
    (_, i) => serviceEntry(`other-${i}`, [`other-${i}.test`], http, [endpoint(v1.port)]),
  );
  const closed = { outboundTrafficPolicy: { mode: "REGISTRY_ONLY" } };
  await using world: World = await startWorld({
    files: {
      "sidecars.yaml": sidecars([http], closed),
      "shop.yaml": shop,
      "others.yaml": documents(...others),
      [ROUTES]: routesTo("v1"),
    },
  });
  const [delta, sotw] = world.testProxies as [TestProxy, TestProxy];
  const answersOf = ({ address }: TestProxy, host: string) =>
    spread(10, `http://${address}:${port}/`, { host });
  /** Waits until both proxies answer so, whatever they are sent. */
  const answered = async (host: string, by: string): Promise<void> => {
    for (const testProxy of [delta, sotw]) {
      await eventually(
        `${host} to be answered by ${by} over ${testProxy.transport}`,
        async () => (await answersOf(testProxy, host))[by] === 10,
      );
    }
  };
  /** Asserts what an edit makes both proxies take. */
  const sends = async (
    edit: () => Promise<void>,
    host: string,
    by: string,
    updates: { readonly rds: number; readonly vhds: number },
  ): Promise<void> => {
    const before = await routeUpdates(delta);
    const whole = await routeUpdates(sotw);
    await edit();
    await answered(host, by);
    await allSynced(world.daemon, 2);
    const after = await routeUpdates(delta);
    assert.deepEqual({ rds: after.rds - before.rds, vhds: after.vhds - before.vhds }, updates);
    assert.equal((await routeUpdates(sotw)).rds, whole.rds + 1, "the table, to who takes it whole");
    assert.equal((await routeUpdates(sotw)).vhds, 0);
  };
  const write = (file: string, text: string) => () => world.config.write(file, text);
  const one = { rds: 0, vhds: 1 };

  await t.step("both serve all hosts from the start", async () => {
    await answered(HOST, "v1");
    await answered("other-49.test", "v1");
    await answered(`other-49.test:${port + 1}`, "v1");
    const [table] = (await delta.agent.held("route")).filter((name) => name === `${port}`);
    assert.equal(table, `${port}`);
  });
  await t.step("another subset", () => sends(write(ROUTES, routesTo("v2")), HOST, "v2", one));
  await t.step("a new host", async () => {
    await answered("new.test", "502");
    const service = serviceEntry("new", ["new.test"], http, [endpoint(v2.port)]);
    await sends(write("new.yaml", service), "new.test", "v2", one);
  });
  await t.step(
    "a host that goes is what no host has: the catch-all's",
    () => sends(() => world.config.remove("new.yaml"), "new.test", "502", one),
  );
  await t.step("one address that passes from host to host, in one update", async () => {
    const vip = (name: string) =>
      serviceEntry(name, [`${name}.test`], http, {
        endpoints: [endpoint(v1.port)],
        addresses: ["240.9.9.9"],
      });
    await sends(write("b.yaml", vip("b")), "240.9.9.9", "v1", one);
    const before = await routeUpdates(delta);
    await world.config.write("a.yaml", vip("a"));
    await answered("a.test", "v1");
    await answered("240.9.9.9", "v1");
    await world.config.remove("a.yaml");
    await answered("a.test", "502");
    await answered("240.9.9.9", "v1");
    assert.deepEqual(await routeUpdates(delta), { rds: before.rds, vhds: before.vhds + 2 });
    await world.config.remove("b.yaml");
    await answered("b.test", "502");
  });
  await t.step("another policy for other hosts is another table, and the hosts stay", async () => {
    const open = { outboundTrafficPolicy: { mode: "ALLOW_ANY" } };
    const edit = write("sidecars.yaml", sidecars([http], open));
    await sends(edit, "new.test", "503", { rds: 1, vhds: 0 });
    await answered(HOST, "v2");
    await sends(write("sidecars.yaml", sidecars([http], closed)), "new.test", "502", {
      rds: 1,
      vhds: 0,
    });
    await answered(HOST, "v2");
  });
  await t.step("a table more, and a table less", async () => {
    const more = freePort();
    const both = [http, { number: more, protocol: "HTTP" }];
    const second = { number: more, protocol: "HTTP" };
    const extra = serviceEntry("second", ["second.test"], second, [endpoint(v2.port)]);
    for (const round of [1, 2]) {
      await world.config.write("second.yaml", extra);
      await world.config.write("sidecars.yaml", sidecars(both, closed));
      for (const { address, transport } of [delta, sotw]) {
        await eventually(
          `the second port over ${transport}, round ${round}`,
          async () =>
            (await spread(5, `http://${address}:${more}/`, { host: "second.test" }))["v2"] === 5,
        );
      }
      await world.config.write("sidecars.yaml", sidecars([http], closed));
      await eventually(
        "the port to be closed",
        async () =>
          (await delta.agent.held("listener")).every((name) => !name.endsWith(`_${more}`)),
      );
      await answered(HOST, "v2");
    }
  });
  await t.step("the daemon shows the configuration that Envoy has", async () => {
    const shown = await world.daemon.debug<{ configs: { dynamicRouteConfigs?: Dumped[] }[] }>(
      `config_dump?proxyID=${delta.agent.name}.${NAMESPACE}`,
    );
    const tables = shown.configs.flatMap((c) => c.dynamicRouteConfigs ?? []);
    const table = tables.find(({ routeConfig }) => routeConfig.name === `${port}`)!.routeConfig;
    const dumped = await delta.agent.configDump();
    const own = dumped.configs.flatMap((c) => (c["dynamic_route_configs"] ?? []) as Held[])
      .find(({ route_config }) => route_config.name === `${port}`)!.route_config;
    const names = (hosts: readonly { name: string }[]) => hosts.map((h) => h.name).sort();
    assert.deepEqual(names(table.virtualHosts), names(own.virtual_hosts));
    assert.equal(own.virtual_hosts.length, 52);
  });
  await t.step("switched off, tables are whole; switched on again, they are not", async () => {
    let daemon = world.daemon;
    const again = (env: Readonly<Record<string, string>>) =>
      startDaemon({ configDir: world.config.path, ports: portsOf(daemon), env });
    const end = async () => {
      daemon.program.kill("SIGKILL");
      await daemon.program.status;
    };
    await end();
    {
      await using off = await again({ PILOT_ENABLE_VHDS: "false" });
      daemon = off;
      await allSynced(off, 2);
      const before = await routeUpdates(delta);
      await world.config.write(ROUTES, routesTo("v1"));
      await answered(HOST, "v1");
      await answered("other-7.test", "v1");
      const after = await routeUpdates(delta);
      assert.equal(after.rds, before.rds + 1);
      assert.equal(after.vhds, before.vhds);
      await end();
    }
    const off = await routeUpdates(delta);
    await using on = await again({});
    await allSynced(on, 2);
    await eventually("all hosts apart", async () => (await routeUpdates(delta)).vhds > off.vhds);
    await answered("other-7.test", "v1");
    const before = await routeUpdates(delta);
    await world.config.write(ROUTES, routesTo("v2"));
    await answered(HOST, "v2");
    await answered("other-7.test", "v1");
    const after = await routeUpdates(delta);
    assert.equal(after.rds, before.rds);
    // Envoy counts twice now: its previous subscription still exists in addition to the new one.
    assert.ok(after.vhds > before.vhds);
  });
  await t.step("no update was refused", () => assertNothingRejected(world));
});

/** A table in the daemon's dump, and in Envoy's. */
interface Dumped {
  readonly routeConfig: { readonly name: string; readonly virtualHosts: { name: string }[] };
}
interface Held {
  readonly route_config: { readonly name: string; readonly virtual_hosts: { name: string }[] };
}

Deno.test("a namespace sees its own virtual hosts over everybody's, without a Sidecar", async () => {
  await using v1 = startBackend("v1");
  await using v2 = startBackend("v2");
  const port = freePort();
  const http = { number: port, protocol: "HTTP" };
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-e2e-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const config = await Deno.makeTempDir({ prefix: "mesh-e2e-" });
  stack.defer(() => Deno.remove(config, { recursive: true }));
  const write = (file: string, text: string) => Deno.writeTextFile(`${config}/${file}`, text);
  // The rule of the first namespace is served if several rules for one host have the same age.
  const elsewhere = `z-${NAMESPACE}`;
  const backends = [v1, v2].map((b) => endpoint(b.port, { version: b.name }));
  const ports = [{ ...http, name: "main" }];
  const spec = { location: "MESH_INTERNAL", resolution: "STATIC", ports, endpoints: backends };
  const subsets = ["v1", "v2"].map((name) => ({ name, labels: { version: name } }));
  const routes = (version: string, namespace: string, more = {}) =>
    manifest(
      "VirtualService",
      "shop",
      { hosts: [HOST], http: [to(HOST, version)], ...more },
      namespace,
    );
  await write(
    "shop.yaml",
    documents(
      manifest("ServiceEntry", "shop", { hosts: [HOST, "other.test"], ...spec }, elsewhere),
      manifest("DestinationRule", "shop", { host: HOST, subsets }, elsewhere),
      routes("v1", elsewhere),
    ),
  );
  const daemon = stack.use(await startDaemon({ configDir: config }));
  const envoy = await envoyPath();
  const started = (name: string, env: Readonly<Record<string, string>> = {}) =>
    startAgent({
      role: "sidecar",
      name,
      namespace: NAMESPACE,
      ip: "127.0.9.1",
      xds: daemon.xds,
      envoy,
      dir,
      interception: "NONE",
      env,
      proxyConfig: {
        proxyStatsMatcher: { inclusionSuffixes: ["update_success", "update_rejected"] },
      },
    });
  const by = (host: string, version: string) =>
    eventually(
      `${host} to be answered by ${version}`,
      async () => (await spread(10, `http://127.0.0.1:${port}/`, { host }))[version] === 10,
    );
  {
    await using agent = await started("apart");
    await by(HOST, "v1");
    const testProxy: TestProxy = {
      kind: "sidecar",
      transport: "delta",
      address: "127.0.9.1",
      agent,
    };
    const before = await routeUpdates(testProxy);
    await write("own.yaml", routes("v2", NAMESPACE, { exportTo: ["."] }));
    await by(HOST, "v2");
    await Deno.remove(`${config}/own.yaml`);
    await by(HOST, "v1");
    assert.deepEqual(await routeUpdates(testProxy), { rds: before.rds, vhds: before.vhds + 2 });
    const refused = await updatesOf(testProxy, "rejected");
    assert.ok(Object.values(refused).every((count) => count === 0), agent.program.output());
  }
  // The metadata of a proxy can request whole tables.
  await using agent = await started("whole", { MESH_META_VHDS: "false" });
  await by(HOST, "v1");
  const testProxy: TestProxy = { kind: "sidecar", transport: "delta", address: "127.0.9.1", agent };
  const before = await routeUpdates(testProxy);
  await write("own.yaml", routes("v2", NAMESPACE, { exportTo: ["."] }));
  await by(HOST, "v2");
  assert.deepEqual(await routeUpdates(testProxy), { rds: before.rds + 1, vhds: 0 });
});
