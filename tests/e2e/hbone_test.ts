/**
 * Tunnels (HBONE) between real Envoys: sidecar to sidecar, gateway to sidecar, next to workloads
 * without tunnels; identities, policies and metrics see the client of a tunnel.
 *
 * @module
 */
import assert from "node:assert/strict";
import { askTcp, call, eventually, freePort, startBackend } from "../../scripts/harness/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import { documents, manifest, type Spec } from "../support/manifest.ts";
import { askThroughTunnel } from "../support/tunnel_client.ts";
import { becomes, inPlain, throughMesh } from "./security/case.ts";
import { edgeRoutes, startEdge } from "./security/edge.ts";
import {
  authorization,
  CLIENT,
  filesOf,
  policy,
  type SecurityWorld,
  SERVER,
  SERVER_NAMESPACE,
  startSecurityWorld,
} from "./security/world.ts";

const TUNNELS = {
  PILOT_ENABLE_SENDING_HBONE: "true",
  PILOT_ENABLE_SIDECAR_LISTENING_HBONE: "true",
};

/** The services of the server, whose workload accepts tunnels. */
function services({ http, tcp }: Pick<SecurityWorld, "http" | "tcp">, account = "shop"): string {
  const service = (name: string, number: number, protocol: string): string =>
    manifest("ServiceEntry", name, {
      hosts: [`${name}.test`],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number, protocol, name: "main" }],
      endpoints: [{
        address: SERVER,
        ports: { main: number },
        labels: {
          app: "shop",
          "security.mesh.io/tlsMode": "mesh",
          "networking.mesh.io/tunnel": "http",
        },
        serviceAccount: account,
      }],
    }, SERVER_NAMESPACE);
  return documents(service("shop", http, "HTTP"), service("till", tcp, "TCP"));
}

const startWorld = (env: Readonly<Record<string, string>>): Promise<SecurityWorld> =>
  startSecurityWorld({ env, agentEnv: { MESH_META_ENABLE_HBONE: "true" } });

/** Handshakes at the port of tunnels of the server, and at the ports of its services. */
async function handshakes({ server }: SecurityWorld): Promise<{ tunnel: number; direct: number }> {
  const all = Object.entries(await server.stats("ssl\\.handshake$"))
    .filter(([name]) => name.startsWith("listener."));
  const sum = (tunnel: boolean) =>
    all.filter(([name]) => name.includes("_15008.") === tunnel)
      .reduce((total, [, count]) => total + count, 0);
  return { tunnel: sum(true), direct: sum(false) };
}

const principals = (...names: readonly string[]): Spec => ({
  rules: [{ from: [{ source: { principals: names } }] }],
});

const WEB = "cluster.local/ns/web/sa/web";

Deno.test(withCertificates("tunnels between sidecars", async (t) => {
  await using world = await startWorld({ ...TUNNELS, PILOT_PREFER_SENDING_HBONE: "true" });
  await world.config.write("services.yaml", services(world));
  await world.apply();
  await t.step("requests and connections go through tunnels", async () => {
    await eventually("a request through a tunnel", async () => {
      assert.equal(await throughMesh(world, "/"), 200);
      return (await handshakes(world)).tunnel > 0;
    });
    const before = await handshakes(world);
    assert.equal(await throughMesh(world, "/"), 200);
    assert.equal(await askTcp(CLIENT, world.tcp), "till");
    assert.equal((await handshakes(world)).direct, before.direct, "nothing went another way");
  });
  await t.step("policies know the client of a tunnel", async () => {
    await world.apply(authorization("web", { action: "DENY", ...principals(WEB) }));
    await becomes("the client that is denied", 403, () => throughMesh(world, "/"));
    await eventually(
      "its connections end",
      () => askTcp(CLIENT, world.tcp).then(() => false, () => true),
    );
    await world.apply(authorization("web", { action: "ALLOW", ...principals(WEB) }));
    await becomes("the client that is allowed", 200, () => throughMesh(world, "/"));
    await eventually(
      "its connections",
      () => askTcp(CLIENT, world.tcp).then((name) => name === "till", () => false),
    );
    const other = principals("cluster.local/ns/web/sa/other");
    await world.apply(authorization("web", { action: "ALLOW", ...other }));
    await becomes("a client that nobody allows", 403, () => throughMesh(world, "/"));
    await world.apply(authorization("web", {
      action: "DENY",
      rules: [{ from: [{ source: { notNamespaces: ["web"] } }] }],
    }));
    await becomes("a client of the namespace", 200, () => throughMesh(world, "/"));
    await becomes("a client without identity", 403, () => inPlain(world, "/"));
    await world.apply();
  });
  await t.step("STRICT refuses plain text, and takes tunnels", async () => {
    await becomes("plain text", 200, () => inPlain(world, "/"));
    await world.apply(policy("PeerAuthentication", "strict", { mtls: { mode: "STRICT" } }));
    await becomes("plain text", 0, () => inPlain(world, "/"));
    await becomes("a tunnel", 200, () => throughMesh(world, "/"));
    await world.apply();
  });
  await t.step("metrics name the client of a tunnel", async () => {
    await becomes("a tunnel", 200, () => throughMesh(world, "/"));
    const wanted =
      /mesh_requests_total\{[^}]*source_principal="spiffe:\/\/cluster\.local\/ns\/web\/sa\/web"/;
    await eventually("the metric of the server", async () => {
      const text = await (await fetch(`${world.server.admin}/stats/prometheus`)).text();
      return text.split("\n").some((line) =>
        wanted.test(line) && line.includes('connection_security_policy="mutual_tls"')
      );
    });
    const text = await (await fetch(`${world.client.admin}/stats/prometheus`)).text();
    assert.match(text, /destination_principal="spiffe:\/\/cluster\.local\/ns\/shop\/sa\/shop"/);
  });
  await t.step("a tunnel leads to ports of the workload alone", async () => {
    const web = await world.certificate("web", "caller");
    const through = (to: string) => askThroughTunnel({ at: SERVER, to, own: web });
    assert.equal(await through(`${SERVER}:${world.http}`), 200);
    const admin = Number(new URL(world.server.admin).port);
    for (const to of [`127.0.0.1:${admin}`, `${SERVER}:15008`, `0.0.0.0:${admin}`, "nonsense"]) {
      assert.equal(await through(to), 0, to);
    }
    const nobody = await askThroughTunnel({ at: SERVER, to: `${SERVER}:${world.http}` });
    assert.equal(nobody, 0, "a client without a certificate");
  });
  await t.step("workloads without tunnels are reached as before", async () => {
    await using plain = startBackend("plain", "127.0.41.7", world.http);
    await world.config.write(
      "plain.yaml",
      manifest("ServiceEntry", "plain", {
        hosts: ["plain.test"],
        location: "MESH_INTERNAL",
        resolution: "STATIC",
        ports: [{ number: plain.port, protocol: "HTTP", name: "main" }],
        endpoints: [{ address: "127.0.41.7" }],
      }, SERVER_NAMESPACE),
    );
    await becomes("plain text", 200, () => throughMesh(world, "/", { host: "plain.test" }));
  });
  await t.step("another workload at the end of a tunnel is refused", async () => {
    await world.config.write("services.yaml", services(world, "someone-else"));
    await becomes("a tunnel to another identity", 503, () => throughMesh(world, "/"));
    await world.config.write("services.yaml", services(world));
    await becomes("a tunnel to the right one", 200, () => throughMesh(world, "/"));
  });
}));

Deno.test(withCertificates("mutual TLS goes before tunnels unless they are preferred", async () => {
  await using world = await startWorld(TUNNELS);
  await world.config.write("services.yaml", services(world));
  await world.apply();
  await becomes("a request", 200, () => throughMesh(world, "/"));
  const { tunnel, direct } = await handshakes(world);
  assert.equal(tunnel, 0);
  assert.ok(direct > 0);
}));

Deno.test(withCertificates("a gateway sends through tunnels", async () => {
  await using world = await startWorld({ ...TUNNELS, PILOT_PREFER_SENDING_HBONE: "true" });
  await using stack = new AsyncDisposableStack();
  await world.config.write("services.yaml", services(world));
  const gateway = "127.0.41.9";
  const env = filesOf(await world.certificate(SERVER_NAMESPACE, "edge"), world.authority);
  await startEdge(stack, world, gateway, { env, noWait: true });
  const port = freePort();
  await world.config.write(
    "gateway.yaml",
    edgeRoutes(gateway, port, "shop.test"),
  );
  const ask = () => call(`http://${gateway}:${port}/`).then(({ status }) => status, () => 0);
  await becomes("a request through the gateway", 200, ask);
  const { tunnel, direct } = await handshakes(world);
  assert.ok(tunnel > 0, "it went through a tunnel");
  assert.equal(direct, 0);
  const edge = principals("cluster.local/ns/shop/sa/edge");
  await world.apply(authorization("edge", { action: "DENY", ...edge }));
  await becomes("the gateway that is denied", 403, ask);
}));
