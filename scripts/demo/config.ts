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
  - {address: 127.0.0.1, ports: {http: ${p.v1}}, labels: {version: v1}}
  - {address: 127.0.0.1, ports: {http: ${p.v2}}, labels: {version: v2}}
`;
}

/** The client's proxy listens on loopback, because traffic is not redirected here. */
export function sidecar(p: DemoPorts): string {
  return `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata:
  name: client
  namespace: demo
spec:
  egress:
  - port: {number: ${p.shop}, protocol: HTTP, name: shop}
    bind: 127.0.0.1
    captureMode: NONE
    hosts: ["./*"]
`;
}

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
