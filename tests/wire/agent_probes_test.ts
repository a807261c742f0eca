/** Probes of an application through the status server of a running agent. */
import assert from "node:assert/strict";
import { eventually, freePort, startProgram } from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";

/** Starts an agent without a proxy and a daemon; gives the address of its status server. */
async function withAgent(
  env: Readonly<Record<string, string>>,
  run: (status: string) => Promise<void>,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-probes-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const port = freePort();
  stack.use(startProgram(["pilot-agent", "proxy"], {
    DISABLE_DATAPROXY: "true",
    PROXY_CONFIG: toYaml({
      configPath: `${dir}/etc`,
      statusPort: port,
      discoveryAddress: "127.0.0.1:1",
      controlPlaneAuthPolicy: "NONE",
    }),
    POD_NAME: "app",
    POD_NAMESPACE: "shop",
    INSTANCE_IP: "127.0.0.2",
    ...env,
  }, dir));
  const status = `http://127.0.0.1:${port}`;
  await eventually("the status server", async () => {
    const response = await fetch(`${status}/healthz/ready`);
    await response.body?.cancel();
    return response.ok;
  });
  await run(status);
}

/** An application that answers its own address and the source of each connection. */
function application(hostname: string, port = 0): Deno.HttpServer<Deno.NetAddr> {
  const sources = new Set<string>();
  return Deno.serve({ hostname, port, onListen: () => {} }, (_, { remoteAddr }) => {
    sources.add(`${remoteAddr.hostname}:${remoteAddr.port}`);
    return new Response(`${hostname}, ${sources.size} connections`);
  });
}

const PATH = "/app-health/web/readyz";

async function probeTwice(env: Readonly<Record<string, string>>): Promise<string[]> {
  const own = application("127.0.0.2");
  const { port } = own.addr;
  const loopback = application("127.0.0.1", port);
  const bodies: string[] = [];
  const table = JSON.stringify({ [PATH]: { httpGet: { port } } });
  await withAgent({ MESH_ORCH_APP_PROBERS: table, ...env }, async (status) => {
    for (let i = 0; i < 2; i++) bodies.push(await (await fetch(`${status}${PATH}`)).text());
    const other = await fetch(`${status}/app-health/web/livez`);
    assert.equal(other.status, 400);
    await other.body?.cancel();
  });
  await Promise.all([own.shutdown(), loopback.shutdown()]);
  return bodies;
}

Deno.test("probes go to the workload's address", async () => {
  assert.deepEqual(await probeTwice({}), ["127.0.0.2, 1 connections", "127.0.0.2, 2 connections"]);
});

Deno.test("REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION sends probes to localhost", async () => {
  const [first] = await probeTwice({ REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION: "true" });
  assert.equal(first, "127.0.0.1, 1 connections");
});

Deno.test("ENABLE_PROBE_KEEPALIVE_CONNECTIONS keeps the connection of a probe", async () => {
  const [, second] = await probeTwice({ ENABLE_PROBE_KEEPALIVE_CONNECTIONS: "true" });
  assert.equal(second, "127.0.0.2, 1 connections");
});
