/**
 * Services, endpoints, pods and nodes, as far as the mesh reads them.
 *
 * @module
 */
import { type PodFactsOfAmbient, WORKLOAD_NAME } from "../../../model/mod.ts";
import type { ListItem } from "../../../../kit/orch/mod.ts";

export interface ApiServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
  /** Port of the pods: a number, or the name of a container's port. */
  readonly targetPort?: number | string;
  /** Port of the nodes, of Services of the types `NodePort` and `LoadBalancer`. */
  readonly nodePort?: number;
}

export interface ApiService extends ListItem {
  readonly spec?: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly externalName?: string;
    readonly externalIPs?: readonly string[];
    readonly selector?: Readonly<Record<string, string>>;
    /** `PreferClose`, `PreferSameZone` or `PreferSameNode`. */
    readonly trafficDistribution?: string;
    /** `Cluster` or `Local`. */
    readonly internalTrafficPolicy?: string;
    readonly publishNotReadyAddresses?: boolean;
    readonly ipFamilies?: readonly string[];
    readonly ports?: readonly ApiServicePort[];
  };
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    };
  };
}

/** An address of an EndpointSlice. */
export interface ApiEndpoint {
  readonly addresses: readonly string[];
  readonly conditions?: {
    readonly ready?: boolean;
    readonly serving?: boolean;
    readonly terminating?: boolean;
  };
  /** Name of the pod below the host of a headless Service. */
  readonly hostname?: string;
  readonly targetRef?: {
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
  readonly nodeName?: string;
  readonly zone?: string;
}

/** An EndpointSlice. */
export interface ApiSlice extends ListItem {
  readonly addressType?: string;
  readonly endpoints?: readonly ApiEndpoint[] | null;
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null;
}

/** The kept part of a pod. */
export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly serviceAccount: string;
  /** Name of the workload (Deployment, StatefulSet and so on) that made the pod. */
  readonly workload: string;
  readonly node: string;
  /** Empty without an address, and for a pod that has ended. */
  readonly address: string;
  /** Its addresses of all families; empty as `address` is. */
  readonly addresses: readonly string[];
  readonly ready: boolean;
  /** Set in ambient mode. */
  readonly ambient?: PodFactsOfAmbient;
}

/** The kept part of a node. */
export interface NodeFacts {
  readonly name: string;
  readonly region: string;
  readonly zone: string;
  readonly subzone: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Addresses at which networks outside reach it (`ExternalIP`). */
  readonly addresses: readonly string[];
}

export interface ApiNode extends ListItem {
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}

interface ApiPod extends ListItem {
  readonly spec?: {
    readonly serviceAccountName?: string;
    readonly nodeName?: string;
    readonly hostNetwork?: boolean;
    readonly containers?: readonly {
      readonly ports?: readonly { readonly name?: string; readonly containerPort?: number }[];
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip?: string }[];
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Annotation of a pod whose traffic the node's agent redirects. */
const REDIRECTION = "ambient.mesh.io/redirection";

/** The facts of a pod that ambient mode adds. */
export function withAmbient(facts: PodFacts, item: ListItem): PodFacts {
  const { metadata, spec } = item as ApiPod;
  const named = (spec?.containers ?? []).flatMap(({ ports = [] }) => ports)
    .flatMap(({ name = "", containerPort }) =>
      name === "" || containerPort === undefined ? [] : [[name, containerPort] as const]
    );
  return {
    ...facts,
    ambient: {
      addresses: facts.addresses,
      kind: kindOf(metadata),
      hostNetwork: spec?.hostNetwork === true,
      ports: Object.fromEntries(named),
      redirected: metadata.annotations?.[REDIRECTION] === "enabled",
    },
  };
}

function kindOf({ ownerReferences }: ListItem["metadata"]): PodFactsOfAmbient["kind"] {
  const owner = ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return "pod";
  if (owner.kind !== "Job") return "deployment";
  return /-\d{8,11}$/.test(owner.name) ? "cronjob" : "job";
}

export function podFacts(item: ListItem): PodFacts {
  const { metadata, spec, status } = item as ApiPod;
  const ended = status?.phase === "Succeeded" || status?.phase === "Failed";
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    labels: metadata.labels ?? {},
    serviceAccount: spec?.serviceAccountName ?? "default",
    workload: metadata.labels?.[WORKLOAD_NAME] || workloadOf(metadata),
    node: spec?.nodeName ?? "",
    address: ended ? "" : status?.podIP ?? "",
    addresses: ended ? [] : addressesOf(status),
    ready: metadata.deletionTimestamp === undefined &&
      (status?.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True"),
  };
}

function addressesOf(status: ApiPod["status"]): string[] {
  const all = [status?.podIP, ...(status?.podIPs ?? []).map(({ ip }) => ip)];
  return [...new Set(all.filter((ip) => ip !== undefined && ip !== ""))] as string[];
}

/** Labels with the suffix that a Deployment, or a Rollout, gives to the name of its ReplicaSet. */
const TEMPLATE_HASHES = ["pod-template-hash", "rollouts-pod-template-hash"];

/**
 * The name of a pod's workload: that of its controller, without the suffix of a Deployment's or
 * Rollout's ReplicaSet and of a CronJob's Job, or that of the DeploymentConfig behind it; a pod without
 * a controller is its own workload.
 */
function workloadOf({ name, labels, ownerReferences }: ListItem["metadata"]): string {
  const owner = ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return name;
  const suffix = TEMPLATE_HASHES.map((label) => `-${labels?.[label]}`)
    .find((one) => owner.kind === "ReplicaSet" && owner.name.endsWith(one));
  if (suffix !== undefined) return owner.name.slice(0, -suffix.length);
  if (owner.kind === "ReplicationController" && labels?.deploymentconfig) {
    return labels.deploymentconfig;
  }
  // A CronJob names its Jobs by the minute of their start, in 8 to 11 digits.
  return owner.kind === "Job" ? owner.name.replace(/-\d{8,11}$/, "") : owner.name;
}
