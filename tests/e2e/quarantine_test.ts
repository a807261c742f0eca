/**
 * Quarantine: an Envoy keeps the version before a rejected one, all other resources are sent, the
 * daemon names the object, and a repair ends the quarantine.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually, freePort, startAgent, startBackend } from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { endpoint, manifest, NAMESPACE, serviceEntry } from "../support/manifest.ts";
import { metricOf, syncOf } from "../support/views.ts";
import { sidecars, startWorld, updatesOf, type World } from "../support/world.ts";

const HOST = "shop.test";
const OTHER = "other.test";

/** A file that is on no node: Mesh cannot know that, and Envoy rejects a cluster that names it. */
const tls = (file: string | undefined): string =>
  manifest("DestinationRule", "shop", {
    host: HOST,
    trafficPolicy: {
      connectionPool: { http: { maxRetries: file ? 7 : 3 } },
      ...(file && { tls: { mode: "SIMPLE", caCertificates: file, sni: HOST } }),
    },
  });

function answered(world: World, port: number, host: string, by: string): Promise<unknown> {
  return eventually(`${host} to be answered by ${by}`, async () => {
    const answers = await Promise.all(
      world.testProxies.map(({ address }) => call(`http://${address}:${port}/`, { host })),
    );
    return answers.every((answer) => answer.status === 200 && answer.echo?.backend === by);
  });
}

Deno.test("a version that Envoy rejects is quarantined and named, other resources are sent, and a repair ends it", async () => {
  await using first = await startBackend("first");
  await using second = await startBackend("second");
  const port = freePort();
  const service = (name: string, host: string, backend: number) =>
    serviceEntry(name, [host], { number: port, protocol: "HTTP" }, [endpoint(backend)]);
  await using world = await startWorld({
    files: {
      "sidecars.yaml": sidecars([{ number: port, protocol: "HTTP" }]),
      "shop.yaml": service("shop", HOST, first.port),
      "other.yaml": service("other", OTHER, first.port),
    },
  });
  const { config, daemon, testProxies } = world;
  await answered(world, port, HOST, "first");

  // One edit with something bad and something good in it.
  await config.write("rule.yaml", tls("/nowhere/ca.pem"));
  await config.write("other.yaml", service("other", OTHER, second.port));
  await eventually("both proxies to have rejected the cluster", async () => {
    const states = (await syncOf(daemon)).map((row) => row.cluster_status);
    return states.length === 2 && states.every((state) => state === "ERROR");
  });
  await answered(world, port, OTHER, "second");
  await answered(world, port, HOST, "first");
  assert.ok((await metricOf(daemon, "mesh_xds_quarantined"))! >= 1);
  assert.ok((await metricOf(daemon, "pilot_xds_cds_reject"))! >= 1);

  // New services are served meanwhile, and the rejected version is not sent again.
  const counts = () =>
    Promise.all(
      testProxies.map((testProxy) => updatesOf(testProxy, "rejected").then(({ cds }) => cds)),
    );
  const rejections = await counts();
  await config.write("third.yaml", service("third", "third.test", second.port));
  await answered(world, port, "third.test", "second");
  assert.deepEqual(await counts(), rejections);
  assert.deepEqual(rejections, rejections.map(() => 1), "each Envoy rejects it once");

  const said = daemon.program.output();
  const lines = said.split("\n").filter((line) => line.includes("quarantined until its content"));
  assert.ok(lines.length >= 1, said);
  for (const line of lines) {
    assert.match(line, /DestinationRule\/test\/shop/);
    assert.match(line, /nowhere\/ca\.pem/);
    assert.match(line, /shop\.test/);
  }

  await config.write("rule.yaml", tls(undefined));
  await eventually("the repaired cluster to be accepted", async () => {
    const states = (await syncOf(daemon)).map((row) => row.cluster_status);
    return states.every((state) => state === "SYNCED");
  });
  await answered(world, port, HOST, "first");
  assert.equal(await metricOf(daemon, "mesh_xds_quarantined") ?? 0, 0);
  for (const { agent } of testProxies) {
    const dump = JSON.stringify(await agent.configDump(`.*shop\\.test.*`));
    assert.match(dump, /"max_retries":\s*3/);
  }
});

Deno.test("a proxy that connects while a version is quarantined gets the one before", async () => {
  await using backend = await startBackend("first");
  const port = freePort();
  const dir = await Deno.makeTempDir({ prefix: "mesh-new-client-" });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  await using world = await startWorld({
    files: {
      "sidecars.yaml": sidecars([{ number: port, protocol: "HTTP" }]),
      "rule.yaml": tls(undefined),
      "shop.yaml": serviceEntry("shop", [HOST], { number: port, protocol: "HTTP" }, [
        endpoint(backend.port),
      ]),
    },
  });
  const { config, daemon } = world;
  await answered(world, port, HOST, "first");
  await config.write("rule.yaml", tls("/nowhere/ca.pem"));
  await eventually("both proxies to have rejected the cluster", async () => {
    return (await syncOf(daemon)).every((row) => row.cluster_status === "ERROR");
  });
  const [testProxy] = world.testProxies;
  await using newClient = await startAgent({
    role: "sidecar",
    name: "latecomer",
    namespace: NAMESPACE,
    labels: { transport: testProxy!.transport, kind: testProxy!.kind },
    ip: "127.0.7.9",
    xds: daemon.xds,
    envoy: await envoyPath(),
    dir,
    interception: "NONE",
    noWait: true,
  });
  await eventually("the new client to hold the cluster", async () => {
    const held = await newClient.held("cluster").catch(() => []);
    return held.some((name) => name.includes(HOST));
  });
  const dump = JSON.stringify(await newClient.configDump(`.*shop\\.test.*`));
  assert.doesNotMatch(dump, /nowhere/);
  const refused = await newClient.stats("cds.update_rejected$");
  assert.ok(Object.values(refused).every((times) => times <= 1), JSON.stringify(refused));
  assert.match(dump, /"max_retries":\s*3/);

  // The rule is as it was: nothing is quarantined, and the overview counts nothing.
  await config.write("rule.yaml", tls(undefined));
  await eventually("the quarantine to end", async () => {
    const answer = await fetch(`${daemon.http}/debug/quarantine`);
    const left = await answer.json() as readonly unknown[];
    return left.length === 0 && (await metricOf(daemon, "mesh_xds_quarantined") ?? 0) === 0;
  });
});
