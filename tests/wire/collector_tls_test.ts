/**
 * TLS of a real Envoy to the metrics collector of the agent's bootstrap file.
 *
 * @module
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { eventually } from "../../scripts/harness/mod.ts";
import { planAgent } from "../../lib/node/agent/mod.ts";
import { ClientTLSSettings_TLSmode as Mode } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { testSettings } from "../support/agent_settings.ts";
import { makeAuthority, withCertificates } from "../support/certificates.ts";
import { runEnvoy } from "../support/envoy_process.ts";

/** A connection of a proxy, as the collector sees it. */
interface Seen {
  readonly authorized: boolean;
  readonly alpn: string | false | null;
}

Deno.test(
  withCertificates(
    "metrics go to a collector over mutual TLS, and only to its names",
    async (t) => {
      const dir = await Deno.makeTempDir({ prefix: "mesh-collector-" });
      await using stack = new AsyncDisposableStack();
      stack.defer(() => Deno.remove(dir, { recursive: true }));
      const authority = await makeAuthority(dir);
      const own = await authority.issue("collector", ["collector.test"]);
      const client = await authority.issue("client", ["spiffe://cluster.local/ns/a/sa/b"]);
      const seen: Seen[] = [];
      const sockets = new Set<TLSSocket>();
      const server = createServer({
        cert: await Deno.readTextFile(own.cert),
        key: await Deno.readTextFile(own.key),
        ca: await Deno.readTextFile(authority.cert),
        requestCert: true,
        rejectUnauthorized: false,
        ALPNProtocols: ["h2"],
      }, (socket) => {
        sockets.add(socket);
        socket.on("error", () => {});
        seen.push({ authorized: socket.authorized, alpn: socket.alpnProtocol });
      });
      server.on("tlsClientError", () => {});
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      stack.defer(() => {
        for (const socket of sockets) socket.destroy();
        return new Promise<void>((done) => server.close(() => done()));
      });
      const { port } = server.address() as AddressInfo;
      const start = (subjectAltNames: string[]) => {
        const { bootstrap } = planAgent(testSettings({
          proxy: {
            dataproxyMetricsService: {
              address: `localhost:${port}`,
              tlsSettings: {
                mode: Mode.MUTUAL,
                sni: "collector.test",
                caCertificates: authority.cert,
                clientCertificate: client.cert,
                privateKey: client.key,
                subjectAltNames,
              },
            },
          },
        }));
        const { node, static_resources, stats_sinks } = JSON.parse(bootstrap);
        const clusters = static_resources.clusters
          .filter(({ name }: { name: string }) => name === "dataproxy_metrics_service");
        return runEnvoy({
          node,
          static_resources: { clusters },
          stats_sinks,
          stats_flush_interval: "0.1s",
        });
      };
      await t.step("a collector with the name", async () => {
        await using _ = await start(["collector.test"]);
        const first = await eventually("a connection", () => Promise.resolve(seen[0]));
        assert.deepEqual([first.authorized, first.alpn], [true, "h2"]);
      });
      await t.step("a collector with another name", async () => {
        await using envoy = await start(["other.test"]);
        await eventually(
          "a refused certificate",
          async () => await envoy.sum("ssl.fail_verify_san") > 0,
        );
      });
    },
  ),
);
