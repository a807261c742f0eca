/**
 * A proxy that restarts while the daemon is away: it serves traffic from the saved configuration.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  type Backend,
  call,
  eventually,
  freePort,
  makeConfigDir,
  portsOf,
  startAgent,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { askUdp, decode, makeQuery } from "../support/dns_client.ts";
import { documents, endpoint, manifest, NAMESPACE, serviceEntry, to } from "../support/manifest.ts";
import { addressOf, sidecars, type Transport } from "../support/world.ts";

const HOST = "shop.test";

function files(port: number, backends: readonly Backend[]): string {
  const http = { number: port, protocol: "HTTP" };
  return documents(
    sidecars([http]),
    serviceEntry("shop", [HOST], http, backends.map((b) => endpoint(b.port, { version: b.name }))),
    manifest("ServiceEntry", "named", {
      hosts: ["named.test"],
      addresses: ["10.98.0.1"],
      resolution: "STATIC",
      ports: [{ number: 81, protocol: "TCP", name: "tcp" }],
      endpoints: [{ address: "127.0.0.1" }],
    }),
    manifest("DestinationRule", "shop", {
      host: HOST,
      subsets: backends.map(({ name }) => ({ name, labels: { version: name } })),
    }),
  );
}

const routeTo = (subset: string): string =>
  manifest("VirtualService", "shop", { hosts: [HOST], http: [to(HOST, subset)] });

async function answeredBy(address: string, name: string): Promise<void> {
  await eventually(`an answer by ${name}`, async () => {
    const answer = await call(`http://${address}/`, { host: HOST });
    return answer.echo?.backend === name;
  }, 60_000);
}

Deno.test("a proxy that restarts while the daemon is killed serves traffic, and follows the next daemon", () =>
  restarted("delta"));

Deno.test("in state of the world, too, a proxy that restarts while the daemon is killed serves traffic", () =>
  restarted("sotw"));

async function restarted(transport: Transport): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const v1 = stack.use(startBackend("v1"));
  const v2 = stack.use(startBackend("v2"));
  const port = freePort();
  const ip = addressOf("sidecar", transport);
  const address = `${ip}:${port}`;
  const dir = await Deno.makeTempDir({ prefix: "mesh-saved-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const config = stack.use(await makeConfigDir());
  await config.write("a.yaml", files(port, [v1, v2]));
  await config.write("routes.yaml", routeTo("v1"));
  const first = stack.use(await startDaemon({ configDir: config.path }));
  const envoy = await envoyPath();
  const dns = freePort();
  const start = async (): Promise<Agent> =>
    stack.use(
      await startAgent({
        role: "sidecar",
        name: "app",
        namespace: NAMESPACE,
        ip,
        delta: transport === "delta",
        xds: first.xds,
        envoy,
        dir,
        interception: "NONE",
        labels: { transport, kind: "sidecar" },
        env: {
          MESH_AGENT_SAVED_CONFIG: "true",
          MESH_META_ENABLE_DNS_SERVER: "true",
          DNS_PROXY_ADDR: `127.0.0.1:${dns}`,
        },
      }),
    );
  const agent = await start();
  await answeredBy(address, "v1");
  const file = `${dir}/app/etc/saved-config`;
  await eventually("the configuration on disk", async () => {
    return (await Deno.readTextFile(file).catch(() => "")).includes("named.test");
  }, 60_000);
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  first.program.kill("SIGKILL");
  await first.program.status;
  await agent[Symbol.asyncDispose]();

  const again = await start();
  await answeredBy(address, "v1");
  const named = decode((await askUdp(dns, makeQuery("named.test", "A")))!);
  assert.deepEqual(named.records, ["named.test A 30 10.98.0.1"]);
  assert.match(again.program.output(), /the proxy is served from the saved configuration/);
  assert.doesNotMatch(again.program.output(), /rejects the saved configuration/);

  await config.write("routes.yaml", routeTo("v2"));
  stack.use(await startDaemon({ configDir: config.path, ports: portsOf(first) }));
  await answeredBy(address, "v2");
  const rejected = await again.stats("update_rejected$");
  assert.deepEqual(Object.values(rejected).filter((count) => count > 0), []);
}
