/**
 * The configuration that the demo writes, one file for each step.
 *
 * @module
 */

/** Ports that differ from run to run. */
export interface DemoPorts {
  /** Port of the service and of the client's proxy. */
  readonly shop: number;
  readonly v1: number;
  readonly v2: number;
  /** Port of the ingress gateway. */
  readonly ingress: number;
}

/**
 * The loopback addresses of the proxies, by workload. Those of the servers accept mutual TLS at the
 * ports of their backends, which listen at 127.0.0.1.
 */
export const ADDRESSES = {
  client: "127.0.0.10",
  ingress: "127.0.0.11",
  v1: "127.0.0.12",
  v2: "127.0.0.13",
  guest: "127.0.0.14",
} as const;

/** The service account of a workload, as policies write it. */
export function principalOf(account: string): string {
  return `cluster.local/ns/demo/sa/${account}`;
}

/** The host under which the two backends are one service. */
export const HOST = "shop.demo.mesh";

/** The service with two endpoints, one for each version. */
export function service(p: DemoPorts): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata:
  name: shop
  namespace: demo
spec:
  hosts: [${HOST}]
  location: MESH_INTERNAL
  resolution: STATIC
  ports:
  - {number: ${p.shop}, name: http, protocol: HTTP}
  endpoints:
  - {address: ${ADDRESSES.v1}, ports: {http: ${p.v1}}, labels: {app: shop, version: v1}, serviceAccount: shop}
  - {address: ${ADDRESSES.v2}, ports: {http: ${p.v2}}, labels: {app: shop, version: v2}, serviceAccount: shop}
`;
}

/**
 * The listeners of the callers' proxies are on loopback, because traffic is not redirected here. The
 * servers call nobody.
 */
export function sidecars(p: DemoPorts): string {
  const caller = (app: "client" | "guest", bind: string): string =>
    `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata:
  name: ${app}
  namespace: demo
spec:
  workloadSelector: {labels: {app: ${app}}}
  egress:
  - port: {number: ${p.shop}, protocol: HTTP, name: shop}
    bind: ${bind}
    captureMode: NONE
    hosts: ["./*"]
---
`;
  return caller("client", "127.0.0.1") + caller("guest", ADDRESSES.guest) +
    `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata:
  name: shop
  namespace: demo
spec:
  workloadSelector: {labels: {app: shop}}
  egress:
  - hosts: ["~/*"]
`;
}

/** Servers accept nothing but mutual TLS. */
export const STRICT: string = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata:
  name: strict
  namespace: demo
spec:
  mtls: {mode: STRICT}
`;

/** One caller may not use the shop. */
export const DENY_GUEST: string = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata:
  name: no-guests
  namespace: demo
spec:
  selector: {matchLabels: {app: shop}}
  action: DENY
  rules:
  - from:
    - source: {principals: ["${principalOf("guest")}"]}
`;

/** The subsets by version. */
export const SUBSETS: string = `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata:
  name: shop
  namespace: demo
spec:
  host: ${HOST}
  subsets:
  - {name: v1, labels: {version: v1}}
  - {name: v2, labels: {version: v2}}
`;

/** Settings of the demo's VirtualService. */
export interface Routing {
  /** Percentage for v1; the rest goes to v2. */
  readonly v1: number;
  /** Requests with `x-user: tester` go to v2. */
  readonly header?: boolean;
  /** Percentage of requests that are answered 503. */
  readonly fault?: number;
}

/** The routes, for the client's proxy and for the gateway. */
export function routes({ v1, header = false, fault }: Routing): string {
  const tester = `  - match:
    - headers: {x-user: {exact: tester}}
    route:
    - destination: {host: ${HOST}, subset: v2}
`;
  const abort = fault === undefined ? "" : `    fault:
      abort: {httpStatus: 503, percentage: {value: ${fault}}}
`;
  return `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata:
  name: shop
  namespace: demo
spec:
  hosts: [${HOST}]
  gateways: [mesh, ingress]
  http:
${header ? tester : ""}  - route:
    - destination: {host: ${HOST}, subset: v1}
      weight: ${v1}
    - destination: {host: ${HOST}, subset: v2}
      weight: ${100 - v1}
${abort}`;
}

/** The same with a mistake: a weight that is not a number. */
export function brokenRoutes(): string {
  return routes({ v1: 0 }).replace("weight: 100", "weight: all");
}

/** The ingress gateway. */
export function gateway(p: DemoPorts): string {
  return `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata:
  name: ingress
  namespace: demo
spec:
  selector: {mesh: ingress}
  servers:
  - port: {number: ${p.ingress}, name: http, protocol: HTTP}
    bind: 127.0.0.1
    hosts: ["${HOST}"]
`;
}
