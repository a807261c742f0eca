/**
 * Objects of a mesh in ambient mode without an orchestrator: workloads behind node proxies, services, and a
 * waypoint.
 *
 * @module
 */
import { toYaml } from "../../lib/kit/text/mod.ts";
import { documents, manifest, type Spec } from "./manifest.ts";

/** The label of services behind the waypoint of {@link waypoint}. */
export const USE_WAYPOINT = { "mesh.io/use-waypoint": "wp" };

/** A workload of its own service account that takes tunnels; `tlsMode: mesh`: a sidecar is beside it. */
export function workload(
  name: string,
  address: string,
  tlsMode = "disabled",
  network?: string,
): string {
  return toYaml({
    apiVersion: "networking.mesh.io/v1",
    kind: "WorkloadEntry",
    metadata: {
      name,
      namespace: "shop",
      labels: {
        app: name,
        "networking.mesh.io/tunnel": "http",
        "security.mesh.io/tlsMode": tlsMode,
      },
    },
    spec: { address, serviceAccount: name, ...(network === undefined ? {} : { network }) },
  });
}

/** A service at an address, `NAME.test`. */
export function service(
  name: string,
  address: string,
  spec: Spec,
  labels: Readonly<Record<string, string>> = {},
): string {
  return toYaml({
    apiVersion: "networking.mesh.io/v1",
    kind: "ServiceEntry",
    metadata: { name, namespace: "shop", labels },
    spec: { hosts: [`${name}.test`], addresses: [address], resolution: "STATIC", ...spec },
  });
}

/** The waypoint `wp` with the service in front of its proxy. */
export function waypoint(address: string): string {
  return documents(
    toYaml({
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      metadata: { name: "wp", namespace: "shop" },
      spec: {
        gatewayClassName: "mesh-waypoint",
        listeners: [{ name: "mesh", port: 15008, protocol: "HBONE" }],
      },
    }),
    manifest("ServiceEntry", "wp", {
      hosts: ["wp-mesh-waypoint.shop.svc.cluster.local"],
      addresses: ["10.96.8.9"],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: 15008, name: "mesh", protocol: "TLS" }],
      endpoints: [{ address, serviceAccount: "wp", labels: { app: "wp" } }],
    }, "shop"),
  );
}
