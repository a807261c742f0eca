/**
 * Rows of pods and Services in ambient mode, made by the sources from objects of the orchestrator.
 *
 * @module
 */
import { type ConfigObject } from "../../lib/mesh/model/mod.ts";
import {
  type ApiService,
  type ApiSlice,
  nodeFacts,
  podFacts,
  podRow,
  serviceRow,
  withAmbient,
} from "../../lib/mesh/sources/mod.ts";

/** Properties of a pod. */
export interface PodOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly address?: string;
  readonly account?: string;
  readonly ready?: boolean;
  readonly redirected?: boolean;
  readonly hostNetwork?: boolean;
  /** Kind and name of its controller. */
  readonly owner?: readonly [kind: string, name: string] | undefined;
}

const NODE = nodeFacts({
  metadata: {
    name: "n1",
    labels: { "topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": "z1" },
  },
});

/** The row of a pod of namespace `shop` on node `n1`, of a Deployment unless `owner` is given. */
export function podOf(name: string, options: PodOptions = {}): ConfigObject {
  const { labels = { app: "web" }, address = "10.0.0.1", account = "web", ready = true } = options;
  const { redirected = false, hostNetwork = false } = options;
  const owner = "owner" in options ? options.owner : ["ReplicaSet", "web-5d"] as const;
  const hash = owner?.[0] === "ReplicaSet" ? { "pod-template-hash": "5d" } : {};
  const ownerReferences = owner === undefined
    ? []
    : [{ apiVersion: "", kind: owner[0], name: owner[1], uid: "1", controller: true }];
  const item = {
    metadata: {
      name,
      namespace: "shop",
      labels: { ...labels, ...hash },
      annotations: redirected ? { "ambient.mesh.io/redirection": "enabled" } : {},
      ownerReferences,
    },
    spec: {
      serviceAccountName: account,
      nodeName: "n1",
      hostNetwork,
      containers: [{ ports: [{ name: "http", containerPort: 8080 }] }],
    },
    status: {
      podIP: address,
      podIPs: [{ ip: address }, ...address === "10.0.0.1" ? [{ ip: "fd00:1::1" }] : []],
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  };
  const facts = withAmbient(podFacts(item as never), item as never);
  return podRow(facts, { node: NODE, source: "cluster", network: "", selectable: true })!;
}

/** Properties of a Service. */
export interface ServiceOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly selector?: Readonly<Record<string, string>>;
  readonly targetPort?: number | string;
  readonly clusterIPs?: readonly string[];
  /** Name and address of pods, their account, and readiness. */
  readonly pods?:
    readonly (readonly [name: string, address: string, account?: string, ready?: boolean])[];
  /** True: the pods are in ambient mode; default: false. */
  readonly redirected?: boolean;
  /** Addresses of endpoints that are no pods. */
  readonly endpoints?: readonly string[];
  readonly spec?: ApiService["spec"] | { readonly selector: undefined };
}

/** The row of a Service of namespace `shop`. */
export function serviceOf(name: string, options: ServiceOptions = {}): ConfigObject {
  const { labels = {}, selector = { app: "web" }, clusterIPs = ["10.96.0.1"] } = options;
  const { targetPort, pods = [], endpoints = [], spec, redirected = false } = options;
  const annotations = redirected ? { "ambient.mesh.io/redirection": "enabled" } : {};
  const service = {
    metadata: { name, namespace: "shop", labels },
    spec: {
      selector,
      clusterIPs,
      clusterIP: clusterIPs[0],
      ipFamilies: clusterIPs.map((one) => one.includes(":") ? "IPv6" : "IPv4"),
      ports: [{ name: "http", port: 80, ...(targetPort === undefined ? {} : { targetPort }) }],
      ...spec,
    },
  } as ApiService;
  const slice = {
    metadata: { name: `${name}-1`, namespace: "shop" },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: [
      ...pods.map(([pod, address, , ready = true]) => ({
        addresses: [address],
        conditions: { ready },
        targetRef: { kind: "Pod", name: pod },
      })),
      ...endpoints.map((address) => ({ addresses: [address] })),
    ],
  } as ApiSlice;
  const accounts = new Map(pods.map(([pod, , account]) => [pod, account ?? "web"]));
  return serviceRow(service, {
    slices: [slice],
    pod: (_, pod) => {
      if (!accounts.has(pod)) return undefined;
      const item = {
        metadata: { name: pod, namespace: "shop", annotations },
        spec: { serviceAccountName: accounts.get(pod) },
      } as never;
      return redirected ? withAmbient(podFacts(item), item) : podFacts(item);
    },
    podAt: () => undefined,
    node: () => NODE,
    nodes: () => [],
    addressesOf: () => [],
    isNamedGateway: false,
    network: "",
    domain: "cluster.local",
    source: "cluster",
    selectEntries: true,
    ambient: true,
  });
}
