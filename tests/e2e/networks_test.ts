/**
 * Two networks with a gateway between them: mutual TLS from the client's proxy to the server's
 * proxy, routed by server name.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  call,
  eventually,
  freePorts,
  makeConfigDir,
  startAgent,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { makeAuthority, withCertificates } from "../support/certificates.ts";
import { documents, manifest, type Spec } from "../support/manifest.ts";
import { filesOf, policy } from "./security/world.ts";

const CLIENT = "127.0.43.1";
const SERVER = "127.0.43.2";
const NAMESPACE = "shop";
const HOST = "shop.test";

Deno.test(
  withCertificates("a service of another network is reached through its gateway", async (t) => {
    await using stack = new AsyncDisposableStack();
    const dir = await Deno.makeTempDir({ prefix: "mesh-networks-" });
    stack.defer(() => Deno.remove(dir, { recursive: true }));
    const authority = await makeAuthority(dir);
    const backend = stack.use(startBackend("shop"));
    const [entrance = 0] = freePorts(1);
    const config = stack.use(await makeConfigDir());
    const networks = `${dir}/networks.yaml`;
    // The name is this machine's: gateways are given by names, too.
    await Deno.writeTextFile(
      networks,
      toYaml({
        networks: { far: { gateways: [{ address: "localhost", port: entrance }] }, near: {} },
      }),
    );
    const listener = (bind: string, more: Spec): Spec => ({
      port: { number: backend.port, protocol: "HTTP", name: "http" },
      bind,
      captureMode: "NONE",
      ...more,
    });
    await config.write(
      "all.yaml",
      documents(
        manifest("ServiceEntry", "shop", {
          hosts: [HOST],
          location: "MESH_INTERNAL",
          resolution: "STATIC",
          ports: [{ number: backend.port, protocol: "HTTP", name: "http" }],
          endpoints: [{
            address: SERVER,
            network: "far",
            labels: { app: "shop", "security.mesh.io/tlsMode": "mesh" },
            serviceAccount: "shop",
          }],
        }, NAMESPACE),
        manifest("Sidecar", "client", {
          workloadSelector: { labels: { app: "client" } },
          egress: [listener(CLIENT, { hosts: ["./*"] })],
        }, NAMESPACE),
        manifest("Sidecar", "shop", {
          workloadSelector: { labels: { app: "shop" } },
          ingress: [listener(SERVER, { defaultEndpoint: `127.0.0.1:${backend.port}` })],
          // An unused port: without any, it would listen for its own service.
          egress: [{
            port: { number: 9, protocol: "TCP", name: "none" },
            bind: SERVER,
            captureMode: "NONE",
            hosts: ["./*"],
          }],
        }, NAMESPACE),
        manifest("Gateway", "entrance", {
          selector: { app: "entrance" },
          servers: [{
            port: { number: entrance, protocol: "TLS", name: "tls" },
            bind: "127.0.0.1",
            hosts: ["*.test"],
            tls: { mode: "AUTO_PASSTHROUGH" },
          }],
        }, NAMESPACE),
        policy("PeerAuthentication", "default", { mtls: { mode: "STRICT" } }, {
          namespace: NAMESPACE,
        }),
      ),
    );
    const daemon = stack.use(
      await startDaemon({ configDir: config.path, args: [`--networksConfig=${networks}`] }),
    );
    const envoy = await envoyPath();
    const start = async (name: string, network: string, ip: string): Promise<Agent> => {
      const certificate = await authority.issue(name, [
        `spiffe://cluster.local/ns/${NAMESPACE}/sa/${name}`,
      ]);
      return stack.use(
        await startAgent({
          role: name === "entrance" ? "router" : "sidecar",
          name,
          namespace: NAMESPACE,
          labels: { app: name },
          ip,
          xds: daemon.xds,
          envoy,
          dir,
          interception: "NONE",
          env: { ...filesOf(certificate, authority), MESH_META_NETWORK: network },
          proxyConfig: {
            proxyStatsMatcher: {
              inclusionRegexps: [".*update_rejected", ".*upstream_cx_total", ".*ssl.handshake"],
            },
          },
        }),
      );
    };
    const gateway = await start("entrance", "far", "127.0.43.3");
    const server = await start("shop", "far", SERVER);
    const client = await start("client", "near", CLIENT);
    const ask = (address: string) => call(`http://${address}:${backend.port}/`, { host: HOST });
    const sum = async (agent: Agent, stat: string): Promise<number> =>
      Object.values(await agent.stats(stat)).reduce((all, one) => all + one, 0);

    await t.step("through the gateway", async () => {
      const answer = await eventually("an answer", async () => {
        const one = await ask(CLIENT);
        return one.status === 200 && one;
      });
      assert.equal(answer.echo?.backend, "shop");
      assert.ok(
        await sum(gateway, `^cluster.*${HOST}.*upstream_cx_total$`) > 0,
        "not by the gateway",
      );
      assert.ok(await sum(server, "^listener.*ssl.handshake$") > 0, "no TLS at the server");
    });
    await t.step("the server takes nothing in plain text", async () => {
      await assert.rejects(ask(SERVER));
    });
    await t.step("no update was refused", async () => {
      for (const agent of [gateway, server, client]) {
        assert.equal(await sum(agent, "update_rejected$"), 0, agent.name);
      }
    });
  }),
);
