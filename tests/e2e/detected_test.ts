/**
 * Ports without a declared protocol under mutual TLS: HTTP that the client's proxy detects is HTTP
 * for the server's proxy, and bytes stay bytes.
 *
 * @module
 */
import assert from "node:assert/strict";
import { askTcp, call, eventually, freePort, startTcpBackend } from "../../scripts/harness/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import { documents, manifest, type Spec, to } from "../support/manifest.ts";
import { becomes } from "./security/case.ts";
import { startEdge } from "./security/edge.ts";
import {
  authorization,
  CLIENT,
  CLIENT_NAMESPACE,
  filesOf,
  policy,
  SERVER,
  SERVER_NAMESPACE,
  startSecurityWorld,
} from "./security/world.ts";
import { having, scrape } from "./telemetry/scrape.ts";

const GATEWAY = "127.0.41.7";

/** A service whose port says nothing of what it carries. */
function undeclared(name: string, port: number): string {
  return manifest("ServiceEntry", name, {
    hosts: [`${name}.test`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: port, name: "main" }],
    endpoints: [{
      address: SERVER,
      ports: { main: port },
      labels: { app: "shop", "security.mesh.io/tlsMode": "mesh" },
      serviceAccount: "shop",
    }],
  }, SERVER_NAMESPACE);
}

/** The client takes calls for such ports at its own address; the server makes none. */
function sidecars(ports: readonly number[]): string {
  const egress = (number: number, bind: string, more: Spec = {}): Spec => ({
    port: { number, name: "main", ...more },
    bind,
    captureMode: "NONE",
    hosts: ["*/*"],
  });
  return documents(
    manifest(
      "Sidecar",
      "web",
      { egress: ports.map((port) => egress(port, CLIENT)) },
      CLIENT_NAMESPACE,
    ),
    manifest("Sidecar", "shop", {
      egress: [egress(9, "127.0.41.3", { protocol: "TCP" })],
    }, SERVER_NAMESPACE),
  );
}

function gateway(port: number): string {
  const server = { port: { number: port, name: "http", protocol: "HTTP" }, bind: GATEWAY };
  return documents(
    manifest("Gateway", "edge", {
      selector: { app: "edge" },
      servers: [{ ...server, hosts: ["found.test"] }],
    }, SERVER_NAMESPACE),
    manifest("VirtualService", "edge", {
      hosts: ["found.test"],
      gateways: ["edge"],
      http: [to("found.test")],
    }, SERVER_NAMESPACE),
  );
}

Deno.test(withCertificates(
  "HTTP is found on ports that declare nothing, under mutual TLS too",
  async (t) => {
    await using world = await startSecurityWorld();
    await using bytes = await startTcpBackend("bytes");
    const { backend: { port: http } } = world;
    await world.config.write(
      "services.yaml",
      documents(undeclared("found", http), undeclared("bytes", bytes.port)),
    );
    await world.config.write("sidecars.yaml", sidecars([http, bytes.port]));
    const ask = async (path: string): Promise<number> => {
      try {
        const url = `http://${CLIENT}:${http}${path}`;
        return (await call(url, { host: "found.test" })).status;
      } catch {
        return 0;
      }
    };
    await t.step("rules about requests hold for single requests", async () => {
      await world.apply(
        policy("PeerAuthentication", "strict", { mtls: { mode: "STRICT" } }),
        authorization("rules", {
          rules: [
            { to: [{ operation: { methods: ["GET"], paths: ["/open*"] } }] },
            { to: [{ operation: { ports: [`${bytes.port}`] } }] },
          ],
        }),
      );
      await becomes("what a rule lets in", 200, () => ask("/open"));
      await becomes("what no rule lets in", 403, () => ask("/closed"));
      const { echo } = await call(`http://${CLIENT}:${http}/open`, { host: "found.test" });
      assert.match(
        echo?.headers["x-forwarded-client-cert"] ?? "",
        /URI=spiffe:\/\/cluster\.local\/ns\/web\/sa\/web/,
      );
    });
    await t.step("requests are counted as such", async () => {
      await eventually(
        "a count by the server",
        async () =>
          having(await scrape(world.server), "mesh_requests_total", {
            connection_security_policy: "mutual_tls",
            destination_service: "found.test",
            response_code: "403",
          })[0],
      );
    });
    await t.step("rules hold for a gateway's requests, too", async () => {
      await using stack = new AsyncDisposableStack();
      const edge = freePort();
      await world.config.write("gateway.yaml", gateway(edge));
      await startEdge(stack, world, GATEWAY, {
        env: filesOf(await world.certificate(SERVER_NAMESPACE, "edge"), world.authority),
      });
      const through = async (path: string): Promise<number> => {
        const answer = await call(`http://${GATEWAY}:${edge}${path}`, { host: "found.test" });
        return answer.status;
      };
      await becomes("what a rule lets in", 200, () => through("/open"));
      await becomes("what no rule lets in", 403, () => through("/closed"));
      const { echo } = await call(`http://${GATEWAY}:${edge}/open`, { host: "found.test" });
      assert.match(echo?.headers["x-forwarded-client-cert"] ?? "", /ns\/shop\/sa\/edge/);
    });
    await t.step("bytes are bytes", async () => {
      assert.equal(await askTcp(CLIENT, bytes.port), "bytes");
    });
  },
));
