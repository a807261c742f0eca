/**
 * A service `shop.test` under STRICT mutual TLS, and a client of another namespace.
 *
 * @module
 */
import { documents, manifest } from "../../support/manifest.ts";
import { policy } from "./world.ts";

/** Addresses of the mesh; all are on loopback. */
export interface StrictMeshOptions {
  readonly server: string;
  readonly client: string;
  /** Address of the one outbound listener of the server's proxy, which nobody uses. */
  readonly unused: string;
  /** Port of the service, and of the client's listener. */
  readonly port: number;
}

/** Host of the service. */
export const STRICT_HOST: string = "shop.test";

/** Service, listeners of both proxies, and the policy of the server's namespace. */
export function strictMesh(options: StrictMeshOptions): string {
  return documents(
    shopMesh(options),
    policy("PeerAuthentication", "strict", { mtls: { mode: "STRICT" } }, { namespace: "shop" }),
  );
}

/** Service and listeners of both proxies, because nothing redirects traffic. */
export function shopMesh({ server, client, unused, port }: StrictMeshOptions): string {
  const listener = (number: number, protocol: string, bind: string) => ({
    port: { number, protocol, name: protocol.toLowerCase() },
    bind,
    captureMode: "NONE",
    hosts: ["*/*"],
  });
  return documents(
    manifest("ServiceEntry", "shop", {
      hosts: [STRICT_HOST],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: port, protocol: "HTTP", name: "main" }],
      endpoints: [{
        address: server,
        ports: { main: port },
        labels: { app: "shop" },
        serviceAccount: "shop",
      }],
    }, "shop"),
    manifest("Sidecar", "web", { egress: [listener(port, "HTTP", client)] }, "web"),
    manifest("Sidecar", "shop", { egress: [listener(9, "TCP", unused)] }, "shop"),
  );
}
