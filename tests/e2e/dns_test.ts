/**
 * The agent's DNS proxy with the daemon's name table: with Envoy over both variants of xDS, without
 * Envoy, and with captured queries in a network namespace.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  type Daemon,
  eventually,
  freePort,
  freePorts,
  makeConfigDir,
  startAgent,
  startDaemon,
  startProgram,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { askTcp, askUdp, decode, makeQuery, type Response } from "../support/dns_client.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { documents, manifest } from "../support/manifest.ts";

/** Ports of the services: a proxy that intercepts nothing listens on them. */
const [HTTP_PORT, TCP_PORT] = freePorts(2);

function entry(name: string, host: string, addresses: readonly string[]): string {
  return manifest("ServiceEntry", name, {
    hosts: [host],
    addresses,
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: HTTP_PORT, protocol: "HTTP", name: "http" }],
    endpoints: [{ address: "127.0.0.1" }],
  }, "shop");
}

const CONFIGURATION = documents(
  entry("far", "far.test", ["10.98.0.1", "2001:db8::1"]),
  entry("cart", "cart.shop.svc.cluster.local", ["10.98.0.2"]),
  entry("wild", "*.wild.test", ["10.98.0.3"]),
  manifest("ServiceEntry", "nodes", {
    hosts: ["nodes.shop.svc.cluster.local"],
    location: "MESH_INTERNAL",
    resolution: "NONE",
    ports: [{ number: TCP_PORT, protocol: "TCP", name: "tcp" }],
    workloadSelector: { labels: { app: "nodes" } },
  }, "shop"),
  ...["10.97.0.1", "10.97.0.2"].map((address, i) =>
    manifest("WorkloadEntry", `node-${i}`, { address, labels: { app: "nodes" } }, "shop")
  ),
);

async function ask(port: number, name: string, type = "A"): Promise<Response> {
  const answer = await askUdp(port, makeQuery(name, type));
  assert.ok(answer !== undefined, `an answer for ${name}`);
  return decode(answer);
}

/** Answers for the names of the configuration. */
async function checkNames(port: number): Promise<void> {
  await eventually(
    "the name table to arrive",
    async () => (await ask(port, "far.test")).records.length > 0,
  );
  const data = async (name: string, type?: string): Promise<string[]> =>
    (await ask(port, name, type)).records.map((record) => record.split(" ").slice(1).join(" "))
      .sort();
  assert.deepEqual(await data("far.test"), ["A 30 10.98.0.1"]);
  assert.deepEqual(await data("far.test", "AAAA"), ["AAAA 30 2001:db8:0:0:0:0:0:1"]);
  for (const name of ["cart", "cart.shop", "cart.shop.svc.cluster.local"]) {
    assert.deepEqual(await data(name), ["A 30 10.98.0.2"], name);
  }
  assert.deepEqual(await data("any.wild.test"), ["A 30 10.98.0.3"]);
  assert.deepEqual(await data("nodes.shop"), ["A 30 10.97.0.1", "A 30 10.97.0.2"]);
  assert.deepEqual(await data("node-1.nodes.shop.svc.cluster.local"), ["A 30 10.97.0.2"]);
  const missing = await ask(port, "cart", "AAAA");
  assert.deepEqual([missing.rcode, missing.records], [0, []]);
  const tcp = await askTcp(port, makeQuery("far.test", "A"));
  assert.deepEqual(decode(tcp!).records, ["far.test A 30 10.98.0.1"]);
}

interface World extends AsyncDisposable {
  readonly daemon: Daemon;
  readonly dir: string;
  readonly write: (text: string) => Promise<void>;
}

async function world(): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const config = stack.use(await makeConfigDir());
  await config.write("mesh.yaml", CONFIGURATION);
  const daemon = stack.use(await startDaemon({ configDir: config.path }));
  const dir = await Deno.makeTempDir({ prefix: "mesh-dns-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const moved = stack.move();
  const write = (text: string) => config.write("mesh.yaml", text);
  return { daemon, dir, write, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

for (const delta of [true, false]) {
  Deno.test(`the agent answers names of the mesh, over ${delta ? "delta" : "state of the world"}`, async () => {
    const envoy = await envoyPath();
    await using found = await world();
    const port = freePort();
    await using agent: Agent = await startAgent({
      role: "sidecar",
      name: "app",
      namespace: "shop",
      ip: "127.0.0.1",
      xds: found.daemon.xds,
      envoy,
      dir: found.dir,
      delta,
      env: { DNS_PROXY_ADDR: `127.0.0.1:${port}`, MESH_META_DNS_CAPTURE: "true" },
    });
    await checkNames(port);
    await found.write(documents(CONFIGURATION, entry("late", "late.test", ["10.98.0.9"])));
    await eventually(
      "a name that is added",
      async () => (await ask(port, "late.test")).records[0] === "late.test A 30 10.98.0.9",
    );
    const rejected = Object.values(await agent.stats("update_rejected$"));
    assert.ok(rejected.every((count) => count === 0), "the proxy gets only what is its own");
    const table = await (await fetch(`${agent.status}/debug/ndsz`)).json();
    assert.deepEqual(table.table["far.test"].ips, ["10.98.0.1", "2001:db8::1"]);
    const metrics = await (await fetch(`${agent.status}/metrics`)).text();
    assert.match(metrics, /^mesh_agent_dns_requests_total [1-9]/m);
    assert.match(metrics, /^mesh_agent_dns_upstream_requests_total \d/m);
  });
}

Deno.test("an agent without a proxy answers, also after the daemon was away", async () => {
  await using stack = new AsyncDisposableStack();
  const config = stack.use(await makeConfigDir());
  await config.write("mesh.yaml", CONFIGURATION);
  const first = await startDaemon({ configDir: config.path });
  const dir = await Deno.makeTempDir({ prefix: "mesh-dns-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const [port, status] = [freePort(), freePort()];
  const agent = startProgram(["pilot-agent", "proxy"], {
    DISABLE_DATAPROXY: "true",
    PROXY_CONFIG: toYaml({
      configPath: `${dir}/etc`,
      statusPort: status,
      discoveryAddress: first.xds,
      controlPlaneAuthPolicy: "NONE",
      proxyMetadata: {
        DNS_PROXY_ADDR: `127.0.0.1:${port}`,
        MESH_META_ENABLE_DNS_SERVER: "true",
      },
    }),
    POD_NAME: "app",
    POD_NAMESPACE: "shop",
    INSTANCE_IP: "127.0.0.1",
  }, dir);
  stack.use(agent);
  try {
    await eventually("the DNS proxy to listen", async () => {
      await askTcp(port, makeQuery("far.test", "A"));
      return true;
    });
    await checkNames(port);
    const ports = ["xds", "http", "monitoring", "introspection"] as const;
    const used = ports.map((name) => Number(first[name].split(":").at(-1)));
    await first[Symbol.asyncDispose]();
    assert.equal((await ask(port, "far.test")).records.length, 1, "while the daemon is away");
    await config.write(
      "mesh.yaml",
      documents(CONFIGURATION, entry("late", "late.test", ["10.98.0.9"])),
    );
    stack.use(
      await startDaemon({
        configDir: config.path,
        ports: used as unknown as [number, number, number, number],
      }),
    );
    await eventually(
      "the new table",
      async () => (await ask(port, "late.test")).records.length === 1,
      30_000,
    );
  } catch (error) {
    throw new Error(agent.output(), { cause: error });
  }
});
