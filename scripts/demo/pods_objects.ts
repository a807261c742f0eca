/**
 * The objects that the demo of pods applies.
 *
 * @module
 */
import { WORKLOAD_IMAGE } from "../cluster/node/workload.ts";

/** Namespace whose pods get proxies. */
export const NAMESPACE = "shop";
/** Namespace whose pods get none. */
export const OUTSIDE = "outside";

/** Label of the namespace. */
export const INJECTION = "mesh-injection=enabled";

/** Names of the Deployments in the namespace of the mesh. */
export const DEPLOYMENTS: readonly string[] = ["shop-v1", "shop-v2", "client", "guest"];
/** Name of the Deployment outside. */
export const OUTSIDER = "outsider";

const PORT = 8080;

interface Workload {
  readonly name: string;
  readonly namespace: string;
  /** Default: the name. */
  readonly app?: string;
  readonly version?: string;
}

/** Accounts, a Service and Deployments, as they are written without a mesh. */
export function workloads(): string {
  const service = `apiVersion: v1
kind: Service
metadata: {name: shop, namespace: ${NAMESPACE}}
spec:
  selector: {app: shop}
  ports: [{name: http, port: 80, targetPort: ${PORT}}]
`;
  return [
    service,
    ...["shop", "client", "guest"].map(account),
    server("v1"),
    server("v2"),
    caller({ name: "client", namespace: NAMESPACE }),
    caller({ name: "guest", namespace: NAMESPACE }),
    caller({ name: OUTSIDER, namespace: OUTSIDE }),
  ].join("---\n");
}

function account(name: string): string {
  return `apiVersion: v1
kind: ServiceAccount
metadata: {name: ${name}, namespace: ${NAMESPACE}}
`;
}

/** A version of the server. */
export function server(version: string): string {
  const container = `{name: app, image: "${WORKLOAD_IMAGE}", imagePullPolicy: Never,
        args: [serve, "${PORT}"], ports: [{containerPort: ${PORT}}],
        readinessProbe: {httpGet: {path: /, port: ${PORT}}, periodSeconds: 1}}`;
  const workload = { name: `shop-${version}`, namespace: NAMESPACE, app: "shop", version };
  return deployment(workload, container);
}

function caller(workload: Workload): string {
  const container = `{name: app, image: "${WORKLOAD_IMAGE}", imagePullPolicy: Never,
        args: [sleep, 24h]}`;
  return deployment(workload, container);
}

function deployment({ name, namespace, app = name, version }: Workload, container: string): string {
  const labels = version === undefined ? `{app: ${app}}` : `{app: ${app}, version: ${version}}`;
  const account = namespace === NAMESPACE ? app : "default";
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  selector: {matchLabels: ${labels}}
  template:
    metadata: {labels: ${labels}}
    spec:
      serviceAccountName: ${account}
      terminationGracePeriodSeconds: 2
      containers:
      - ${container}
`;
}

/** Subsets, and a split between the versions. */
export function split(v1: number): string {
  return `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: shop, namespace: ${NAMESPACE}}
spec:
  host: shop
  subsets:
  - {name: v1, labels: {version: v1}}
  - {name: v2, labels: {version: v2}}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: shop, namespace: ${NAMESPACE}}
spec:
  hosts: [shop]
  http:
  - route:
    - {destination: {host: shop, subset: v1}, weight: ${v1}}
    - {destination: {host: shop, subset: v2}, weight: ${100 - v1}}
`;
}

/** Servers of the namespace accept nothing but mutual TLS. */
export const STRICT: string = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: ${NAMESPACE}}
spec:
  mtls: {mode: STRICT}
`;

/** A caller that is denied. */
export const DENY_GUEST: string = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: no-guest, namespace: ${NAMESPACE}}
spec:
  selector: {matchLabels: {app: shop}}
  action: DENY
  rules:
  - from: [{source: {principals: [cluster.local/ns/${NAMESPACE}/sa/guest]}}]
`;

/** A VirtualService with a field that does not exist. */
export const MISSPELT: string = split(50).split("---\n")[1]!.replace("weight: 50", "wieght: 50");
