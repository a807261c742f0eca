/**
 * A registered workload with real Envoys on both sides: it is reachable while it is registered, and
 * its proxy's own configuration applies only to that proxy.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  call,
  eventually,
  freePort,
  makeConfigDir,
  startAgent,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { documents, manifest, NAMESPACE } from "../support/manifest.ts";

const HOST = "vm.test";
const VM = "127.0.44.1";
const CLIENTS = { plain: "127.0.44.2", named: "127.0.44.3" } as const;

/** A Sidecar whose one listener is in place of redirected traffic. */
function sidecar(name: string, spec: Readonly<Record<string, unknown>>): string {
  return manifest("Sidecar", name, { workloadSelector: { labels: { app: name } }, ...spec });
}

/** Configuration: the group, its service, and the listener of each proxy. */
function configOf(port: number, inbound: number, backend: number): string {
  const http = { number: port, name: "http", protocol: "HTTP" };
  return documents(
    manifest("WorkloadGroup", "vms", {
      metadata: { labels: { app: "vm" } },
      template: { ports: { http: inbound } },
    }),
    manifest("ServiceEntry", "vm", {
      hosts: [HOST],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [http],
      workloadSelector: { labels: { app: "vm" } },
    }),
    sidecar("vm", {
      ingress: [{
        port: { ...http, number: inbound },
        bind: VM,
        captureMode: "NONE",
        defaultEndpoint: `127.0.0.1:${backend}`,
      }],
    }),
    ...Object.entries(CLIENTS).map(([name, bind]) =>
      sidecar(name, { egress: [{ port: http, bind, captureMode: "NONE", hosts: ["./*"] }] })
    ),
  );
}

Deno.test("a registered workload is called while it is there, and a proxy's own headers are its own", async () => {
  await using backend = startBackend("vm");
  const [port, inbound] = [freePort(), freePort()];
  await using config = await makeConfigDir();
  await config.write("all.yaml", configOf(port, inbound, backend.port));
  await using daemon = await startDaemon({
    configDir: config.path,
    env: {
      PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: "50ms",
      MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY: "false",
    },
  });
  await using folder = await makeConfigDir();
  const envoy = await envoyPath();
  const start = (name: string, ip: string, more: Partial<Parameters<typeof startAgent>[0]> = {}) =>
    startAgent({
      role: "sidecar",
      name,
      namespace: NAMESPACE,
      ip,
      labels: { app: name },
      xds: daemon.xds,
      envoy,
      dir: folder.path,
      interception: "NONE",
      ...more,
    });
  await using _plain = await start("plain", CLIENTS.plain);
  await using _named = await start("named", CLIENTS.named, {
    proxyConfig: { proxyHeaders: { server: { value: "own-name" }, requestId: { disabled: true } } },
  });
  const ask = (address: string) => call(`http://${address}:${port}/`, { host: HOST });
  const answers = (status: number) =>
    eventually(`status ${status}`, async () => (await ask(CLIENTS.plain)).status === status);
  await answers(503);
  {
    await using _ = await start("vm", VM, { env: { MESH_META_AUTO_REGISTER_GROUP: "vms" } });
    await answers(200);
    const plain = await ask(CLIENTS.plain);
    assert.equal(plain.echo?.backend, "vm");
    assert.notEqual(plain.headers.server, "own-name");
    const named = await ask(CLIENTS.named);
    assert.deepEqual([named.status, named.headers.server], [200, "own-name"]);
  }
  await answers(503);
});
