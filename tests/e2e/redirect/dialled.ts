/**
 * Configuration of a mesh in which the address that a workload dials decides where HTTP goes.
 *
 * @module
 */
import { documents, manifest, type Spec } from "../../support/manifest.ts";
import { BESIDE, ELSEWHERE } from "./network.ts";

/** Port of both backends. */
export const BACKEND = 8000;

/** Port of the instances that are called one by one. */
export const NODES = 8055;

/** Addresses of services at port 80: one declares HTTP, the other one nothing. */
export const DIALLED = { declared: "10.98.0.1", detected: "10.98.0.3" } as const;

function service(name: string, port: Spec, more: Spec): string {
  return manifest("ServiceEntry", name, {
    hosts: [`${name}.test`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 80, name: "main", ...port }],
    ...more,
  }, "shop");
}

/** A rule by which the routes of a host are recognized. */
function rule(name: string, status: number): string {
  return manifest("VirtualService", name, {
    hosts: [`${name}.test`],
    http: [{
      match: [{ uri: { prefix: "/ruled" } }],
      directResponse: { status },
    }, { route: [{ destination: { host: `${name}.test` } }] }],
  }, "shop");
}

/** The documents. */
export const DIALLED_CONFIGURATION: string = documents(
  service("declared", { protocol: "HTTP" }, {
    addresses: [DIALLED.declared],
    endpoints: [{ address: ELSEWHERE, ports: { main: BACKEND } }],
  }),
  service("detected", {}, {
    addresses: [DIALLED.detected],
    endpoints: [{ address: BESIDE, ports: { main: BACKEND } }],
  }),
  service("nodes", { number: NODES }, {
    resolution: "NONE",
    workloadSelector: { labels: { app: "nodes" } },
  }),
  ...[ELSEWHERE, BESIDE].map((address, i) =>
    manifest("WorkloadEntry", `node-${i}`, { address, labels: { app: "nodes" } }, "shop")
  ),
  rule("declared", 418),
  rule("detected", 451),
  rule("nodes", 429),
);
