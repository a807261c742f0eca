/**
 * Cases of mutual TLS: clients with and without a certificate.
 *
 * @module
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:tls";
import { eventually } from "../../../scripts/harness/mod.ts";
import { manifest } from "../../support/manifest.ts";
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
