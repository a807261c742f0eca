/**
 * Cases of undeclared protocols, of opaque TLS, and of hosts with several addresses.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  askTcp,
  call,
  eventually,
  startBackend,
  startTcpBackend,
} from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry, type Spec } from "../../support/manifest.ts";
import { sidecars } from "../../support/world.ts";
import { askTls, type Bench, SIDECARS_FILE, startTlsBackend, type TlsCase } from "./bench.ts";

interface PortOf {
  readonly host: string;
  readonly protocol: string;
  readonly backend: { readonly port: number };
}

/** Services at the case's port, which its listener carries as `listener` says. */
async function serve(
  { world, port }: Bench,
  listener: string,
  services: readonly PortOf[],
  more: readonly string[] = [],
): Promise<void> {
  await world.config.write(SIDECARS_FILE, sidecars([{ number: port, protocol: listener }]));
  await world.config.write(
    "outbound.yaml",
    documents(
      ...services.map(({ host, protocol, backend }) =>
        serviceEntry(host.replaceAll(/[^a-z-]/g, ""), [host], { number: port, protocol }, [
          endpoint(backend.port),
        ])
      ),
      ...more,
    ),
  );
}

/** Both HTTP by host and other bytes are served at one port. */
async function carriesBoth(bench: Bench, web: string): Promise<void> {
  const { port, each } = bench;
  await each("sidecar", async ({ address }) => {
    await eventually("HTTP", async () => {
      const { echo } = await call(`http://${address}:${port}/`, { host: web });
      return echo?.backend === "web";
    });
    assert.equal(await askTcp(address, port), "bytes");
    const { status } = await call(`http://${address}:${port}/`, { host: "nobody.test" });
    assert.ok(status >= 400, "a host of nobody is not sent to the TCP service");
  });
}

export const OUTBOUND_CASES: readonly TlsCase[] = [
  {
    name: "an undeclared port carries HTTP and what is not HTTP",
    run: async (bench) => {
      await using web = startBackend("web");
      await using bytes = await startTcpBackend("bytes");
      await serve(bench, "", [
        { host: "bytes.found.test", protocol: "", backend: bytes },
        { host: "web.found.test", protocol: "", backend: web },
      ]);
      await carriesBoth(bench, "web.found.test");
    },
  },
  {
    name: "services of HTTP and of TCP share a port",
    run: async (bench) => {
      await using web = startBackend("web");
      await using bytes = await startTcpBackend("bytes");
      await serve(bench, "", [
        { host: "web.shared.test", protocol: "HTTP", backend: web },
        { host: "bytes.shared.test", protocol: "TCP", backend: bytes },
      ]);
      await carriesBoth(bench, "web.shared.test");
    },
  },
  {
    name: "TLS goes to the service of its name, or where a rule sends it",
    run: async (bench) => {
      const { pki, port, each } = bench;
      await using left = await startTlsBackend("left", pki.backend);
      await using right = await startTlsBackend("right", pki.backend);
      const services: PortOf[] = [
        { host: "left.pass.test", protocol: "TLS", backend: left },
        { host: "*.pass.test", protocol: "HTTPS", backend: right },
      ];
      const ask = (sni: string, by: string) =>
        each("sidecar", async ({ address }) => {
          await eventually(`${sni} at ${by}`, async () => {
            const common = { sni, trusts: pki.authority };
            const { text } = await askTls(address, port, "ping", common);
            return text === `${by} pong\n`;
          });
        });
      await serve(bench, "TLS", services);
      await ask("left.pass.test", "left");
      await ask("any.pass.test", "right");
      await each("sidecar", async ({ address }) => {
        await assert.rejects(askTls(address, port, "ping", { sni: "secure.test" }));
        await assert.rejects(askTcp(address, port, 2_000));
      });
      const rule: Spec = {
        hosts: ["left.pass.test"],
        tls: [{
          match: [{ sniHosts: ["left.pass.test"], port }],
          route: [
            { destination: { host: "*.pass.test", port: { number: port } }, weight: 100 },
            { destination: { host: "left.pass.test", port: { number: port } }, weight: 0 },
          ],
        }],
      };
      await serve(bench, "TLS", services, [manifest("VirtualService", "left", rule)]);
      await ask("left.pass.test", "right");
      const byLabels = [{
        match: [{ sniHosts: ["left.pass.test"], port, sourceLabels: { transport: "delta" } }],
        route: [{ destination: { host: "*.pass.test", port: { number: port } } }],
      }, {
        match: [{ sniHosts: ["left.pass.test"], port }],
        route: [{ destination: { host: "left.pass.test", port: { number: port } } }],
      }];
      const bylabel = { hosts: ["left.pass.test"], tls: byLabels };
      await serve(bench, "TLS", services, [manifest("VirtualService", "left", bylabel)]);
      await each("sidecar", async ({ address, transport }) => {
        const by = transport === "delta" ? "right" : "left";
        await eventually(`left.pass.test over ${transport} at ${by}`, async () => {
          const common = { sni: "left.pass.test", trusts: pki.authority };
          return (await askTls(address, port, "ping", common)).text === `${by} pong\n`;
        });
      });
    },
  },
  {
    name: "a name that stands for any of its addresses",
    run: async (bench) => {
      const { world, port, each } = bench;
      await using web = startBackend("web");
      await serve(bench, "HTTP", []);
      await world.config.write(
        "names.yaml",
        serviceEntry("named", ["named.test"], { number: port, protocol: "HTTP" }, {
          endpoints: [
            { address: "localhost", ports: { main: web.port } },
          ],
          resolution: "DNS_ROUND_ROBIN",
        }),
      );
      await each("sidecar", async ({ address, agent }) => {
        await eventually("an answer", async () => {
          const { echo } = await call(`http://${address}:${port}/`, { host: "named.test" });
          return echo?.backend === "web";
        });
        const dump = JSON.stringify(await agent.configDump());
        assert.match(dump, /"type":"LOGICAL_DNS"/);
      });
    },
  },
];
