/**
 * Two daemons: one reads a directory, the other takes its configuration from the first, and real
 * Envoys of the second obey it.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  call,
  eventually,
  freePort,
  makeConfigDir,
  portsOf,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";
import { metricOf } from "../support/views.ts";
import { assertNothingRejected, sidecars, startWorld } from "../support/world.ts";

const HOST = "shop.test";
const ROUTES = "routes.yaml";

function routesTo(version: string): string {
  return manifest("VirtualService", "shop", { hosts: [HOST], http: [to(HOST, version)] });
}

Deno.test("a daemon takes its configuration from another one, whose loss changes nothing", async (t) => {
  await using v1 = startBackend("v1");
  await using v2 = startBackend("v2");
  const port = freePort();
  const http = { number: port, protocol: "HTTP" };
  await using stack = new AsyncDisposableStack();
  const config = stack.use(await makeConfigDir());
  await config.write("sidecars.yaml", sidecars([http]));
  await config.write(
    "service.yaml",
    documents(
      serviceEntry(
        "shop",
        [HOST],
        http,
        [v1, v2].map((one) => endpoint(one.port, { version: one.name })),
      ),
      manifest("DestinationRule", "shop", {
        host: HOST,
        subsets: ["v1", "v2"].map((name) => ({ name, labels: { version: name } })),
      }),
    ),
  );
  await config.write(ROUTES, routesTo("v1"));
  const options = { configDir: config.path };
  const first = stack.use(await startDaemon(options));
  const meshConfig = await Deno.makeTempFile({ suffix: ".yaml" });
  stack.defer(() => Deno.remove(meshConfig));
  await Deno.writeTextFile(
    meshConfig,
    toYaml({ configSources: [{ address: `xds://${first.xds}` }] }),
  );
  const world = stack.use(
    await startWorld({ daemon: { args: [`--meshConfig=${meshConfig}`, "--configDir="] } }),
  );
  const backendOf = async (address: string): Promise<string | undefined> =>
    (await call(`http://${address}:${port}/`, { host: HOST })).echo?.backend;
  const becomes = async (backend: string): Promise<void> => {
    for (const { address, transport } of world.testProxies) {
      await eventually(
        `requests to reach ${backend} over ${transport}`,
        async () => await backendOf(address) === backend,
        60_000,
      );
    }
  };
  const objects = async (): Promise<number | undefined> =>
    (await world.daemon.debug<unknown[]>("configz")).length;

  await t.step("its objects reach the proxies of the second daemon", () => becomes("v1"));
  const before = await objects();
  const healthy = `mesh_source_healthy{source="xds://${first.xds}"}`;
  assert.equal(await metricOf(world.daemon, healthy), 1);
  assert.ok(before! >= 5, `${before} objects`);
  await t.step("an edit in the directory of the first daemon", async () => {
    await config.write(ROUTES, routesTo("v2"));
    await becomes("v2");
  });
  await t.step("the first daemon is killed: everything stays", async () => {
    first.program.kill("SIGKILL");
    await first.program.status;
    await eventually(
      "the loss to be noticed",
      async () => await metricOf(world.daemon, healthy) === 0,
      60_000,
    );
    for (const { address } of world.testProxies) assert.equal(await backendOf(address), "v2");
    assert.equal(await objects(), before);
  });
  await t.step("it comes back with an edit and without one object: only these change", async () => {
    await config.write(ROUTES, routesTo("v1"));
    await config.write("more.yaml", serviceEntry("more", ["more.test"], http, []));
    const again = stack.use(await startDaemon({ ...options, ports: portsOf(first) }));
    assert.equal(again.xds, first.xds);
    await becomes("v1");
    await eventually("the new object", async () => await objects() === before! + 1, 60_000);
    await config.remove("more.yaml");
    await eventually("its removal", async () => await objects() === before, 60_000);
  });
  await t.step("no update was refused", () => assertNothingRejected(world));
});
