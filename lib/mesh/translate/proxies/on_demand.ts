/**
 * Configuration on demand: which proxies have it, and the workload class by which they share what they
 * asked for.
 *
 * @module
 */
import { canonicalJson, parseBoolean } from "../../../kit/base/mod.ts";
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import type { Labels } from "../../derive/mod.ts";
import { converted, type KeyCodec, text } from "../../graph/mod.ts";
import { refusedVirtualHost } from "../../envoy/mod.ts";
import { type OnDemand, type ProxyClass, type ProxyNode, TYPE_URLS } from "../../model/mod.ts";
import { hasHostsOnDemand, WORKLOAD_OPTION } from "../context/mod.ts";
import { encodeResource } from "../resources/mod.ts";
import type { BaseContext } from "./features.ts";

/** Annotation of workloads and label of namespaces: `true` or `false`. */
const SWITCH = "mesh.io/on-demand";

/** Labels that differ between replicas or releases of one workload. */
const PASSING_LABELS: ReadonlySet<string> = new Set([
  "apps.kubernetes.io/pod-index",
  "batch.kubernetes.io/controller-uid",
  "batch.kubernetes.io/job-name",
  "controller-revision-hash",
  "controller-uid",
  "job-name",
  "pod-template-generation",
  "pod-template-hash",
  "statefulset.kubernetes.io/pod-name",
]);

/**
 * Reports if a proxy has configuration on demand. Its metadata (`ON_DEMAND`) decides, then the
 * annotation of its workload, the label of its namespace, the mesh. It is decided when the
 * proxy connects.
 */
export function isSwitchedOn(
  { mesh, features }: Pick<BaseContext, "mesh" | "features">,
  { metadata, namespace }: ProxyNode,
): boolean {
  const own = typeof metadata.NAMESPACE === "string" ? metadata.NAMESPACE : namespace;
  const meta = mesh.tables.namespaces.peek(`/${own}`)?.meta;
  const said = [
    metadata.ON_DEMAND,
    textIn(metadata.ANNOTATIONS, SWITCH),
    meta?.labels[SWITCH],
  ];
  for (const value of said) {
    const is = parseBoolean(String(value ?? ""));
    if (is !== undefined) return is;
  }
  return features.onDemand === true;
}

/** The same proxy without configuration on demand: it is sent what it may ask for. */
export function wholeNode(node: ProxyNode): ProxyNode {
  const { ODCDS: _, ...metadata } = node.metadata;
  return { ...node, metadata: { ...metadata, ON_DEMAND: "false" } };
}

/** Reports if proxies of a class ask for resources on demand. */
export function asksOnDemand({ options }: Pick<ProxyClass, "options">): boolean {
  return options.ODCDS === "true";
}

function textIn(value: unknown, key: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = (value as Record<string, unknown>)[key];
  return typeof found === "string" ? found : undefined;
}

/** The common properties of the proxies of a workload class. */
export interface WorkloadClass {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Without those that differ between replicas or releases. */
  readonly labels: Labels;
}

/** The codec of {@link WorkloadClass}: canonical JSON. */
export const workloadClasses: KeyCodec<WorkloadClass> = converted(text, {
  encode: (workload: WorkloadClass) => canonicalJson(workload),
  decode: (json) => JSON.parse(json) as WorkloadClass,
});

/** The workload class of a proxy. */
export function workloadClass(
  { namespace, serviceAccount, labels }: WorkloadClass,
): string {
  const lasting = Object.entries(labels).filter(([label]) => !PASSING_LABELS.has(label));
  return workloadClasses.encode({
    namespace,
    serviceAccount,
    labels: Object.fromEntries(lasting),
  });
}

/** Reports if requests are routed to a cluster; other clusters are part of the proxy's own set-up. */
function isOutbound(cluster: string): boolean {
  return cluster.startsWith("outbound|");
}

/** The resources of a type that proxies of a class are sent on demand; `undefined`: none. */
export function onDemandOf(
  cls: ProxyClass,
  typeUrl: string,
  most: number,
): OnDemand | undefined {
  const workload = cls.options[WORKLOAD_OPTION];
  const owner = `${cls.namespace}/${cls.serviceAccount}`;
  const sharers = workload === undefined ? undefined : { workload, owner };
  if (typeUrl === TYPE_URLS.cluster) {
    return cls.options.ODCDS === "true" ? { withheld: isOutbound, sharers } : undefined;
  }
  if (typeUrl !== TYPE_URLS.virtualHost || !hasHostsOnDemand(cls)) return undefined;
  return {
    withheld: () => true,
    sharers,
    refusal: (name) => encodeResource(name, VirtualHostSchema, refusedVirtualHost(name, most)),
  };
}
