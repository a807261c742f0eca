/**
 * The objects that the demo of the cluster writes.
 *
 * @module
 */
import type { Narrator } from "./narrator.ts";

/** A pod of the demo: a backend on this machine. */
export interface ShownPod {
  readonly name: string;
  readonly version: string;
  readonly address: string;
  readonly port: number;
}

/** The parts that the steps use. */
export interface ClusterDemo {
  readonly narrator: Narrator;
  /** Port of the Service and of the client's proxy. */
  readonly port: number;
  readonly kubeconfig: string;
  readonly kubectlPath: string;
  /** Runs `kubectl`; throws if it fails. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Runs `kubectl`. */
  tryKubectl(
    args: readonly string[],
    input?: string,
  ): Promise<{ readonly success: boolean; readonly text: string }>;
  apply(text: string): Promise<string>;
  /** Sends requests and counts the answers by backend. */
  split(): Promise<{
    readonly counts: Readonly<Record<string, number>>;
    readonly seen: string;
  }>;
}

/** Loopback address of the client's proxy. */
export const CLIENT = "127.0.0.20";

/** Namespace of all objects. */
export const NAMESPACE = "demo";

/** Host of the Service. */
export const HOST: string = `shop.${NAMESPACE}.svc.cluster.local`;

/**
 * Namespace, Service, the service account that the API server requires of pods, subsets, and the
 * client's listener, which is on loopback because traffic is not redirected here.
 */
export function objects(port: number): string {
  return `apiVersion: v1
kind: Namespace
metadata: {name: ${NAMESPACE}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: ${NAMESPACE}}
---
apiVersion: v1
kind: Service
metadata: {name: shop, namespace: ${NAMESPACE}}
spec:
  ports: [{name: http, port: ${port}}]
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: shop, namespace: ${NAMESPACE}}
spec:
  host: shop
  subsets:
  - {name: v1, labels: {version: v1}}
  - {name: v2, labels: {version: v2}}
---
apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: client, namespace: ${NAMESPACE}}
spec:
  workloadSelector: {labels: {app: client}}
  egress:
  - port: {number: ${port}, protocol: HTTP, name: http}
    bind: ${CLIENT}
    captureMode: NONE
    hosts: ["./*"]
`;
}

export function podObject({ name, version }: ShownPod): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: ${NAMESPACE}, labels: {app: shop, version: ${version}}}
spec:
  containers: [{name: backend, image: none}]
`;
}

/** The status that a kubelet would report. */
export function podStatus({ address }: ShownPod): unknown {
  const conditions = [{ type: "Ready", status: "True" }];
  return { status: { phase: "Running", podIP: address, podIPs: [{ ip: address }], conditions } };
}

/** The slice of a pod. Each pod has its own, because their ports differ. */
export function slice({ name, address, port }: ShownPod): string {
  return `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: ${name}, namespace: ${NAMESPACE}, labels: {kubernetes.io/service-name: shop}}
addressType: IPv4
ports: [{name: http, port: ${port}}]
endpoints:
- addresses: [${address}]
  targetRef: {kind: Pod, name: ${name}, namespace: ${NAMESPACE}}
`;
}

/** A split between the versions. */
export function routes(v1: number): string {
  return `apiVersion: networking.mesh.io/v1
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

/** The patch that sends everything to v2. */
export const VERSION_2: unknown = {
  spec: { http: [{ route: [{ destination: { host: "shop", subset: "v2" } }] }] },
};

/** A VirtualService with a field that does not exist. */
export const MISSPELT: string = routes(50).replace("weight: 50", "wieght: 50");
