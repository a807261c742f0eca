/**
 * Clusters on demand: a proxy receives a cluster when a request needs it, and no others.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
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

const HOST = "shop.test";

Deno.test("a proxy asks for a cluster when a request is to go there", async (t) => {
  await using v1 = startBackend("v1");
  await using v2 = startBackend("v2");
  await using stack = new AsyncDisposableStack();
  const folder = async () => {
    const dir = await Deno.makeTempDir({ prefix: "mesh-e2e-" });
    stack.defer(() => Deno.remove(dir, { recursive: true }));
    return dir;
  };
  const [dir, config] = [await folder(), await folder()];
  const write = (file: string, text: string) => Deno.writeTextFile(`${config}/${file}`, text);
  const [port, tcp] = [freePort(), freePort()];
  const http = { number: port, protocol: "HTTP" };
  const shop = (backends: readonly { port: number; name: string }[]) =>
    serviceEntry(
      "shop",
      [HOST],
      http,
      backends.map((b) => endpoint(b.port, { version: b.name })),
    );
  await write("shop.yaml", shop([v1, v2]));
  await write(
    "rule.yaml",
    manifest("DestinationRule", "shop", {
      host: HOST,
      subsets: ["v1", "v2"].map((name) => ({ name, labels: { version: name } })),
    }),
  );
  await write(
    "others.yaml",
    documents(
      ...Array.from(
        { length: 20 },
        (_, i) => serviceEntry(`other-${i}`, [`other-${i}.test`], http, [endpoint(v1.port)]),
      ),
    ),
  );
  const bytes = { number: tcp, protocol: "TCP" };
  await write("tcp.yaml", serviceEntry("bytes", ["bytes.test"], bytes, [endpoint(v2.port)]));
  const first = stack.use(await startDaemon({ configDir: config }));
  const agent = stack.use(
    await startAgent({
      role: "sidecar",
      name: "on-demand",
      namespace: NAMESPACE,
      ip: "127.0.9.2",
      xds: first.xds,
      envoy: await envoyPath(),
      dir,
      interception: "NONE",
      env: { MESH_META_ODCDS: "true" },
    }),
  );
  const held = async () =>
    (await agent.held("cluster")).filter((name) => name.startsWith("outbound|")).sort();
  const answers = (host: string, at = port) => spread(10, `http://127.0.0.1:${at}/`, { host });
  const answered = (host: string, by: string) =>
    eventually(`${host} by ${by}`, async () => (await answers(host))[by] === 10);
  const cluster = (subset: string) => `outbound|${port}|${subset}|${HOST}`;
  const routeTo = (subset: string) =>
    write(
      "routes.yaml",
      manifest("VirtualService", "shop", { hosts: [HOST], http: [to(HOST, subset)] }),
    );

  await t.step("before any request it holds none", async () => {
    assert.deepEqual(await held(), []);
  });
  await t.step("the first requests are served, and bring their cluster alone", async () => {
    const spreadOver = await answers(HOST);
    assert.equal((spreadOver["v1"] ?? 0) + (spreadOver["v2"] ?? 0), 10, JSON.stringify(spreadOver));
    assert.deepEqual(await held(), [cluster("")]);
  });
  await t.step("so do connections", async () => {
    assert.deepEqual(await answers("bytes.test", tcp), { v2: 10 });
    assert.deepEqual(await held(), [cluster(""), `outbound|${tcp}||bytes.test`].sort());
  });
  await t.step("another route brings another cluster, and no request is lost", async () => {
    await routeTo("v2");
    await eventually("the subset", async () => {
      const found = await answers(HOST);
      assert.equal((found["v1"] ?? 0) + (found["v2"] ?? 0), 10, JSON.stringify(found));
      return found["v2"] === 10;
    });
    assert.ok((await held()).includes(cluster("v2")));
  });
  await t.step("requested clusters are updated, and others are not sent", async () => {
    await write("shop.yaml", shop([{ port: v1.port, name: "v2" }]));
    await answered(HOST, "v1");
    await write("others.yaml", serviceEntry("new", ["new.test"], http, [endpoint(v2.port)]));
    await answered("new.test", "v2");
    const names = await held();
    assert.ok(names.every((name) => !name.includes("other-")), names.join());
  });
  await t.step("a removed cluster is reported as removed", async () => {
    await Deno.remove(`${config}/others.yaml`);
    await eventually(
      "the cluster to be gone",
      async () => !(await held()).some((n) => n.includes("new.test")),
    );
  });
  await t.step("after a restart of the daemon it holds what it held", async () => {
    const before = await held();
    first.program.kill("SIGKILL");
    await first.program.status;
    stack.use(await startDaemon({ configDir: config, ports: portsOf(first) }));
    await write("shop.yaml", shop([v2]));
    await answered(HOST, "v2");
    assert.deepEqual(await held(), before);
  });
  await t.step("nothing was rejected", async () => {
    const rejected = await agent.stats("update_rejected$");
    assert.ok(Object.values(rejected).every((n) => n === 0), JSON.stringify(rejected));
  });
});
