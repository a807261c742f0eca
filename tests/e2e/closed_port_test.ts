/**
 * Workloads that closed their port while clients still know them: requests go to another one, whatever
 * their method, because the proxy beside the workload says that it is not available.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  type Answer,
  call,
  eventually,
  freePort,
  makeConfigDir,
  startAgent,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { documents, manifest } from "../support/manifest.ts";

const CLIENT = "127.0.46.1";
const OPEN = "127.0.46.2";
const CLOSED = "127.0.46.3";
/** Workloads of the second host: none is open. */
const HOSTS = { both: "shop.example", none: "closed.example" } as const;
const REQUESTS = 40;

/** A service of workloads, each with the port that its application has. */
function service(host: string, ports: Readonly<Record<string, number>>, port: number) {
  return manifest("ServiceEntry", host.split(".")[0]!, {
    hosts: [host],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: port, protocol: "HTTP", name: "main" }],
    endpoints: Object.entries(ports).map(([address, main]) => ({ address, ports: { main } })),
  });
}

function configuration(port: number, closed: number): string {
  const egress = (bind: string, hosts: string) => [{
    bind,
    port: { number: port, protocol: "HTTP", name: "http" },
    captureMode: "NONE",
    hosts: [hosts],
  }];
  const sidecar = (app: string, spec: Record<string, unknown>) =>
    manifest("Sidecar", app, { workloadSelector: { labels: { app } }, ...spec });
  const ingress = (number: number) => [{
    port: { number, protocol: "HTTP", name: "main" },
    defaultEndpoint: `127.0.0.1:${number}`,
  }];
  return documents(
    service(HOSTS.both, { [OPEN]: port, [CLOSED]: closed }, port),
    service(HOSTS.none, { [CLOSED]: closed }, port),
    sidecar("client", { egress: egress(CLIENT, "*/*") }),
    sidecar("open", { ingress: ingress(port), egress: egress(OPEN, "./none.example") }),
    sidecar("closed", { ingress: ingress(closed), egress: egress(CLOSED, "./none.example") }),
  );
}

/** An application that counts the requests that it has seen. */
function startApplication(port: number) {
  let served = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port, onListen: () => {} },
    async (request) => {
      await request.text();
      served++;
      return new Response("", { headers: { "x-application": "shop" } });
    },
  );
  return { port, served: () => served, stop: () => server.shutdown() };
}

Deno.test("requests to a workload that closed its port go to another one", async (t) => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-closed-port-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const backend = startApplication(freePort());
  stack.defer(() => backend.stop());
  const closed = freePort();
  const config = stack.use(await makeConfigDir());
  await config.write("mesh.yaml", configuration(backend.port, closed));
  const daemon = stack.use(await startDaemon({ configDir: config.path }));
  const envoy = await envoyPath();
  const start = async (app: string, ip: string): Promise<Agent> =>
    stack.use(
      await startAgent({
        ...{ role: "sidecar", name: app, namespace: "test", ip, envoy, dir, labels: { app } },
        xds: daemon.xds,
      }),
    );
  await start("open", OPEN);
  const withoutServer = await start("closed", CLOSED);
  const client = await start("client", CLIENT);
  await eventually("all workloads at the client", async () => {
    const text = await (await fetch(`${client.admin}/clusters`)).text();
    const found = [`${OPEN}:${backend.port}`, `${CLOSED}:${closed}`];
    return found.every((address) => text.includes(`${address}::health_flags::healthy`));
  });
  const send = (host: string, more: Parameters<typeof call>[1] = {}): Promise<Answer> =>
    call(`http://${CLIENT}:${backend.port}/`, { host, ...more });
  const failed = async (): Promise<number> => {
    const text = await (await fetch(`${withoutServer.admin}/clusters`)).text();
    const counts = text.matchAll(/^inbound\|.*::cx_connect_fail::(\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };

  await t.step("no request fails, of any method", async () => {
    for (let index = 0; index < REQUESTS; index++) {
      const post = { method: "POST", body: "order" };
      const { status, body } = await send(HOSTS.both, index % 2 ? post : {});
      assert.equal(status, 200, body);
    }
    assert.ok(await failed() > 0, "no request met the workload without an application");
    // No request was sent again after an application had seen it.
    assert.equal(backend.served(), REQUESTS);
  });
  await t.step("without another workload the client is told", async () => {
    const { status, headers } = await send(HOSTS.none);
    assert.equal(status, 503);
    assert.equal(headers["grpc-status"], "14");
  });
  await t.step("responses of workloads stay as they are", async () => {
    const { status, headers } = await call(`http://${OPEN}:${backend.port}/`);
    assert.equal(status, 200);
    assert.equal(headers["x-application"], "shop");
    assert.equal(headers["grpc-status"], undefined);
  });
});
