/**
 * Cases of mutual TLS: clients with and without a certificate.
 *
 * @module
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:tls";
import { eventually } from "../../../scripts/harness/mod.ts";
import { manifest, type Spec, to } from "../../support/manifest.ts";
import { becomes, inPlain, type SecurityCase, throughMesh } from "./case.ts";
import { CLIENT_NAMESPACE, policy, type SecurityWorld, SERVER, SERVER_NAMESPACE } from "./world.ts";

const mode = (mode: string): string => policy("PeerAuthentication", "default", { mtls: { mode } });

/** Connections of the server that shook hands. */
async function handshakes(world: SecurityWorld): Promise<number> {
  const found = await world.server.stats("^listener.*ssl\\.handshake$");
  return Object.values(found).reduce((a, b) => a + b, 0);
}

/** Serial number of the certificate that the server shows. */
async function shownBy({ http }: SecurityWorld): Promise<string> {
  const socket = connect({ host: SERVER, port: http, rejectUnauthorized: false });
  // It has no certificate, and the server rejects it after the handshake.
  socket.on("error", () => {});
  try {
    await once(socket, "secureConnect");
    return socket.getPeerCertificate().serialNumber;
  } finally {
    socket.destroy();
  }
}

/** A service with one endpoint, at the server's proxy. */
function service({ http }: SecurityWorld, name: string, endpoint: Spec): string {
  return manifest("ServiceEntry", name, {
    hosts: [`${name}.test`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: http, protocol: "HTTP", name: "main" }],
    endpoints: [{ address: SERVER, ports: { main: http }, ...endpoint }],
  }, SERVER_NAMESPACE);
}

export const MUTUAL_CASES: readonly SecurityCase[] = [
  {
    name: "permissive takes both, and the mesh's proxies choose TLS",
    run: async (world) => {
      await world.apply();
      await becomes("a call in plain text", 200, () => inPlain(world, "/"));
      const before = await handshakes(world);
      await becomes("a call through the mesh", 200, () => throughMesh(world, "/"));
      assert.ok(await handshakes(world) > before, "the call came without TLS");
    },
  },
  {
    name: "strict refuses plain text",
    run: async (world) => {
      await world.apply(mode("STRICT"));
      await becomes("a call in plain text", 0, () => inPlain(world, "/"));
      await becomes("a call through the mesh", 200, () => throughMesh(world, "/"));
    },
  },
  {
    name: "disable offers no TLS, and clients open none",
    run: async (world) => {
      await world.apply(mode("DISABLE"));
      await becomes("a call in plain text", 200, () => inPlain(world, "/"));
      await becomes("a call through the mesh", 200, () => throughMesh(world, "/"));
      const before = await handshakes(world);
      assert.equal(await throughMesh(world, "/"), 200);
      assert.equal(await handshakes(world), before);
    },
  },
  {
    name: "a port has its own mode",
    run: async (world) => {
      const spec = {
        selector: { matchLabels: { app: "shop" } },
        mtls: { mode: "STRICT" },
        portLevelMtls: { [world.http]: { mode: "PERMISSIVE" } },
      };
      await world.apply(policy("PeerAuthentication", "ports", spec));
      await becomes("a call in plain text", 200, () => inPlain(world, "/"));
    },
  },
  {
    name:
      "the label of an endpoint, else its account, says if clients open TLS; rules win over both",
    run: async (world) => {
      const accounts = [
        service(world, "account", { serviceAccount: "shop" }),
        service(world, "with-label", {
          serviceAccount: "shop",
          labels: { "security.mesh.io/tlsMode": "disabled" },
        }),
        service(world, "neither", {}),
      ];
      const ask = (name: string) => () => throughMesh(world, "/", { host: `${name}.test` });
      await world.apply(mode("STRICT"), ...accounts);
      await becomes("an endpoint with an account", 200, ask("account"));
      await becomes("an account and a label against it", 503, ask("with-label"));
      await becomes("an endpoint with neither", 503, ask("neither"));
      const rules = ["with-label", "neither"].map((name) =>
        manifest("DestinationRule", name, {
          host: `${name}.test`,
          trafficPolicy: { tls: { mode: "MESH_MUTUAL" } },
        }, CLIENT_NAMESPACE)
      );
      await world.apply(mode("STRICT"), ...accounts, ...rules);
      await becomes("a rule for the endpoint with a label", 200, ask("with-label"));
      await becomes("a rule for the endpoint with neither", 200, ask("neither"));
    },
  },
  {
    name: "subsets select workloads by labels of their objects and by their zone",
    run: async (world) => {
      const workload = manifest("WorkloadEntry", "zoned", {
        address: SERVER,
        ports: { main: world.http },
        serviceAccount: "shop",
        labels: { "mesh-locality": "r1.z1" },
      }, SERVER_NAMESPACE).replace(/^metadata:$/m, "metadata:\n  labels: {app: zoned}");
      const texts = (zone: string): string[] => [
        mode("STRICT"),
        workload,
        manifest("ServiceEntry", "zoned", {
          hosts: ["zoned.test"],
          location: "MESH_INTERNAL",
          resolution: "STATIC",
          ports: [{ number: world.http, protocol: "HTTP", name: "main" }],
          workloadSelector: { labels: { app: "zoned" } },
        }, SERVER_NAMESPACE),
        manifest("DestinationRule", "zoned", {
          host: "zoned.test",
          subsets: [{ name: "zone", labels: { "topology.kubernetes.io/zone": zone } }],
        }, SERVER_NAMESPACE),
        manifest("VirtualService", "zoned", {
          hosts: ["zoned.test"],
          http: [to("zoned.test", "zone")],
        }, SERVER_NAMESPACE),
      ];
      const ask = () => throughMesh(world, "/", { host: "zoned.test" });
      await world.apply(...texts("z1"));
      await becomes("a call to the zone", 200, ask);
      await world.apply(...texts("z2"));
      await becomes("a call to another zone", 503, ask);
    },
  },
  {
    name: "a rule asks for mutual TLS, and whom it believes",
    run: async (world) => {
      const rule = (subjectAltNames: readonly string[]): string =>
        manifest("DestinationRule", "shop", {
          host: "shop.test",
          trafficPolicy: { tls: { mode: "MESH_MUTUAL", subjectAltNames } },
        }, CLIENT_NAMESPACE);
      await world.apply(mode("STRICT"), rule([]));
      await becomes("a call through the mesh", 200, () => throughMesh(world, "/"));
      await world.apply(mode("STRICT"), rule(["spiffe://cluster.local/ns/other/sa/shop"]));
      await becomes("a call to somebody else", 503, () => throughMesh(world, "/"));
    },
  },
  {
    name: "a renewed certificate is shown without a word from the daemon",
    run: async (world) => {
      await world.apply(mode("STRICT"));
      await becomes("a call through the mesh", 200, () => throughMesh(world, "/"));
      const before = await shownBy(world);
      await world.renew();
      await eventually(
        "the new certificate to be shown",
        async () => await shownBy(world) !== before,
      );
      await becomes("a call through the mesh", 200, () => throughMesh(world, "/"));
    },
  },
  {
    name: "the server's identity must be one of its service accounts",
    run: async (world) => {
      const other = manifest("ServiceEntry", "impostor", {
        hosts: ["impostor.test"],
        location: "MESH_INTERNAL",
        resolution: "STATIC",
        ports: [{ number: world.http, protocol: "HTTP", name: "main" }],
        endpoints: [{
          address: "127.0.41.1",
          ports: { main: world.http },
          labels: { "security.mesh.io/tlsMode": "mesh" },
          serviceAccount: "somebody",
        }],
      }, SERVER_NAMESPACE);
      await world.apply(mode("STRICT"), other);
      await becomes(
        "a call to the impostor",
        503,
        () => throughMesh(world, "/", { host: "impostor.test" }),
      );
      await becomes("a call to the shop", 200, () => throughMesh(world, "/"));
    },
  },
];

/** The mesh allows only TLS 1.3: protocol of calls, and rejected callers. */
export const NEWEST_CASE: SecurityCase = {
  name: "TLS 1.3 alone",
  run: async (world) => {
    await world.apply(mode("STRICT"));
    await becomes("a call through the mesh", 200, () => throughMesh(world, "/"));
    const used = await world.server.stats("ssl\\.(versions|curves)\\..+");
    const names = Object.keys(used).map((name) => /ssl\.(.+)$/.exec(name)?.[1]);
    assert.deepEqual([...new Set(names)].sort(), ["curves.P-256", "versions.TLSv1.3"]);
    await assert.rejects(handshake(world, "TLSv1.2"), /protocol|alert|reset|hang up|disconnected/i);
  },
};

/** Shakes hands in one version. */
async function handshake({ http }: SecurityWorld, maxVersion: "TLSv1.2"): Promise<void> {
  const ALPNProtocols = ["mesh"];
  const options = {
    host: SERVER,
    port: http,
    rejectUnauthorized: false,
    maxVersion,
    ALPNProtocols,
  };
  const socket = connect(options);
  try {
    await once(socket, "secureConnect");
  } finally {
    socket.destroy();
  }
}
