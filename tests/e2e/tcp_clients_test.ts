/**
 * The client's workload of TCP connections under mutual TLS, in the metrics of the server: two
 * Envoys with agents that obtain certificates from the daemon.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  eventually,
  freePort,
  makeConfigDir,
  startDaemon,
  startTcpBackend,
} from "../../scripts/harness/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import { startCertifiedAgent, startTokenIssuer, writePluggedCa } from "../support/identity.ts";
import { documents, manifest } from "../support/manifest.ts";
import { openssl } from "../support/openssl.ts";
import { policy } from "./security/world.ts";
import { having, type Sample, scrape } from "./telemetry/scrape.ts";

const SERVER = "127.0.44.1";
const CLIENT = "127.0.44.2";
const FOREIGN = "spiffe://cluster.local/ns/web/sa/foreign";

/** The server's service of bytes, listeners for both proxies, and STRICT mutual TLS. */
function configuration(port: number): string {
  const listener = (number: number, bind: string) => ({
    port: { number, protocol: "TCP", name: "tcp" },
    bind,
    captureMode: "NONE",
    hosts: ["*/*"],
  });
  return documents(
    manifest("ServiceEntry", "till", {
      hosts: ["till.test"],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: port, protocol: "TCP", name: "main" }],
      endpoints: [{
        address: SERVER,
        ports: { main: port },
        labels: { app: "shop" },
        serviceAccount: "shop",
      }],
    }, "shop"),
    manifest("Sidecar", "web", { egress: [listener(port, CLIENT)] }, "web"),
    manifest("Sidecar", "shop", { egress: [listener(9, "127.0.44.3")] }, "shop"),
    policy("PeerAuthentication", "strict", { mtls: { mode: "STRICT" } }, { namespace: "shop" }),
  );
}

/** Sends a line, and waits for bytes of the answer. */
async function exchange(hostname: string, port: number): Promise<boolean> {
  using connection = await Deno.connect({ hostname, port });
  await connection.write(new TextEncoder().encode("hello\n"));
  return (await connection.read(new Uint8Array(64)) ?? 0) > 0;
}

Deno.test(
  withCertificates(
    "the server knows the workload of TCP clients",
    async (t) => {
      await using stack = new AsyncDisposableStack();
      const dir = await Deno.makeTempDir({ prefix: "mesh-tcp-clients-" });
      stack.defer(() => Deno.remove(dir, { recursive: true }));
      const issuer = stack.use(await startTokenIssuer());
      const { certificate } = await writePluggedCa(`${dir}/ca`);
      const backend = stack.use(await startTcpBackend("till"));
      const config = stack.use(await makeConfigDir());
      await config.write("mesh.yaml", configuration(backend.port));
      const secured = freePort();
      stack.use(
        await startDaemon({
          configDir: config.path,
          secured,
          env: { JWT_RULE: issuer.rule, ROOT_CA_DIR: `${dir}/ca` },
        }),
      );
      const starter = { issuer, root: certificate.pem, dir, xds: `localhost:${secured}` };
      const start = async (
        name: string,
        ip: string,
        labels: Record<string, string>,
        workload: string,
      ) =>
        stack.use(
          await startCertifiedAgent(starter, {
            role: "sidecar",
            name,
            namespace: name,
            ip,
            labels,
            interception: "NONE",
            env: { MESH_META_WORKLOAD_NAME: workload, MESH_META_CLUSTER_ID: "east-1" },
          }),
        );
      const server = await start("shop", SERVER, { app: "shop" }, "shop");
      await start("web", CLIENT, {
        app: "front",
        version: "v7",
        "service.mesh.io/canonical-name": "store-front",
        "service.mesh.io/canonical-revision": "blue",
      }, "web-main");
      const sample = (name: string, labels: Record<string, string>): Promise<Sample> =>
        eventually(
          `${name} with ${JSON.stringify(labels)}`,
          async () => having(await scrape(server), name, labels)[0],
          60_000,
        );
      const METRICS = [
        "mesh_tcp_connections_opened_total",
        "mesh_tcp_connections_closed_total",
        "mesh_tcp_sent_bytes_total",
        "mesh_tcp_received_bytes_total",
      ];

      await t.step("all labels of a client with a certificate of the mesh", async () => {
        await eventually(
          "bytes to arrive over mutual TLS",
          () => exchange(CLIENT, backend.port).catch(() => false),
          60_000,
        );
        for (const metric of METRICS) {
          await sample(metric, {
            reporter: "destination",
            source_principal: "spiffe://cluster.local/ns/web/sa/web",
            source_workload: "web-main",
            source_workload_namespace: "web",
            source_app: "front",
            source_version: "v7",
            source_canonical_service: "store-front",
            source_canonical_revision: "blue",
            source_cluster: "east-1",
            destination_workload: "shop",
            connection_security_policy: "mutual_tls",
          });
        }
      });
      await t.step("a workload in other attributes is unknown", async () => {
        const names = `${dir}/foreign`;
        const { ok, text } = await openssl([
          ...["req", "-x509", "-nodes", "-days", "1", "-newkey", "ec"],
          ...["-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", `${names}.key`],
          ...["-out", `${names}.pem`, "-CA", `${dir}/ca/ca-cert.pem`],
          ...["-CAkey", `${dir}/ca/ca-key.pem`, "-addext", "basicConstraints=critical,CA:FALSE"],
          ...[
            "-subj",
            "/CN=web-main/description=web-main",
            "-addext",
            `subjectAltName=URI:${FOREIGN}`,
          ],
        ]);
        assert.ok(ok, text);
        const answer = await openssl(
          [
            ...["s_client", "-connect", `${SERVER}:${backend.port}`, "-alpn", "mesh", "-quiet"],
            ...["-cert", `${names}.pem`, "-key", `${names}.key`, "-no_ign_eof"],
          ],
          {},
          "hello\n",
        );
        for (const metric of METRICS) {
          const { labels } = await sample(metric, { source_principal: FOREIGN });
          assert.equal(labels.source_workload_namespace, "web", answer.text);
          const parts = Object.entries(labels).filter(([name]) =>
            name.startsWith("source_") && !/principal|namespace/.test(name)
          );
          assert.equal(parts.length, 6);
          for (const [name, value] of parts) assert.equal(value, "unknown", name);
        }
      });
    },
  ),
);
