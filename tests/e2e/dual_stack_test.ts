/** Proxies with both address families, called over each. */
import assert from "node:assert/strict";
import {
  call,
  eventually,
  freePort,
  makeConfigDir,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { startEnvoy } from "../support/envoy_process.ts";
import { documents, endpoint, manifest, NAMESPACE, serviceEntry } from "../support/manifest.ts";

function hasIpv6(): boolean {
  try {
    Deno.listen({ hostname: "::1", port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}

const IPV6 = hasIpv6();
const HOST = "both.test";

Deno.test({
  name: `proxies of both families listen on both${IPV6 ? "" : " [no IPv6 loopback]"}`,
  ignore: !IPV6,
  fn: async (t) => {
    await using backend = startBackend("a");
    const [service, gateway, proxy] = [freePort(), freePort(), freePort()];
    await using config = await makeConfigDir();
    await config.write(
      "services.yaml",
      documents(
        serviceEntry("both", [HOST], { number: service, protocol: "HTTP" }, [
          endpoint(backend.port),
        ]),
        manifest("Gateway", "both", {
          selector: { kind: "router" },
          servers: [{ port: { number: gateway, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
        }),
        manifest("VirtualService", "both", {
          hosts: [HOST],
          gateways: ["both"],
          http: [{ route: [{ destination: { host: HOST, port: { number: service } } }] }],
        }),
      ),
    );
    await using daemon = await startDaemon({
      configDir: config.path,
      env: { MESH_DUAL_STACK: "true" },
    });
    await using stack = new AsyncDisposableStack();
    for (const role of ["sidecar", "router"]) {
      stack.use(
        await startEnvoy({
          variant: "delta",
          xdsPort: Number(daemon.xds.split(":")[1]),
          name: role,
          node: {
            id: `${role}~127.0.0.1~${role}.${NAMESPACE}~${NAMESPACE}.svc.cluster.local`,
            metadata: {
              NAMESPACE,
              INSTANCE_IPS: "127.0.0.1,::1",
              LABELS: { kind: role },
              INTERCEPTION_MODE: role === "sidecar" ? "NONE" : "REDIRECT",
              ...(role === "sidecar" ? { HTTP_PROXY_PORT: `${proxy}` } : {}),
            },
          },
        }),
      );
    }
    const addresses: readonly [name: string, port: number, path: string][] = [
      ["a sidecar's outbound listener", service, "/"],
      ["a gateway", gateway, "/"],
      ["a sidecar's HTTP proxy port", proxy, "/"],
    ];
    for (const [name, port, path] of addresses) {
      for (const address of ["127.0.0.1", "[::1]"]) {
        await t.step(`${name} at ${address}`, async () => {
          const host = port === proxy ? `${HOST}:${service}` : HOST;
          await eventually("an answer", async () => {
            const answer = await call(`http://${address}:${port}${path}`, { host });
            return answer.status === 200;
          });
          const answer = await call(`http://${address}:${port}${path}`, { host });
          assert.equal(answer.echo?.backend, "a");
        });
      }
    }
  },
});

Deno.test({
  name: `without the switch such proxies listen on IPv4 alone${IPV6 ? "" : " [no IPv6 loopback]"}`,
  ignore: !IPV6,
  fn: async () => {
    await using backend = startBackend("a");
    const service = freePort();
    await using config = await makeConfigDir();
    await config.write(
      "services.yaml",
      serviceEntry("both", [HOST], { number: service, protocol: "HTTP" }, [endpoint(backend.port)]),
    );
    await using daemon = await startDaemon({ configDir: config.path });
    await using _proxy = await startEnvoy({
      variant: "delta",
      xdsPort: Number(daemon.xds.split(":")[1]),
      name: "sidecar",
      node: {
        id: `sidecar~::1~sidecar.${NAMESPACE}~${NAMESPACE}.svc.cluster.local`,
        metadata: { NAMESPACE, INSTANCE_IPS: "::1,127.0.0.1", INTERCEPTION_MODE: "NONE" },
      },
    });
    await eventually("an answer", async () => {
      const answer = await call(`http://127.0.0.1:${service}/`, { host: HOST });
      return answer.status === 200;
    });
    await assert.rejects(
      Deno.connect({ hostname: "::1", port: service }),
      Deno.errors.ConnectionRefused,
    );
  },
});
