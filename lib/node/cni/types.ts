/**
 * Data that the parts of the network plugin hand to each other.
 *
 * @module
 */
import type { Runner } from "../capture/mod.ts";

/** A call of the plugin by the container runtime, as the helper on the node hands it over. */
export interface PluginCall {
  /** The variables `CNI_*` of the call. */
  readonly env: Readonly<Record<string, string>>;
  /** The standard input of the call. */
  readonly stdin: string;
}

/** The output of the helper, and its exit status. */
export interface PluginAnswer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A variable of a container. */
export interface PodVariable {
  readonly name: string;
  readonly value?: string;
}

/** Ids that a pod or a container runs as. */
export interface PodSecurity {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
}

/** A container as the plugin and the repair read it. */
export interface PodContainer {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly PodVariable[];
  readonly securityContext?: PodSecurity;
}

/** The end of a container. */
export interface Terminated {
  readonly exitCode: number;
  readonly message?: string;
}

/** The state of a container. */
export interface PodContainerStatus {
  readonly name: string;
  readonly containerID?: string;
  readonly restartCount?: number;
  readonly state?: { readonly terminated?: Terminated; readonly running?: unknown };
  readonly lastState?: { readonly terminated?: Terminated };
}

/** A pod as the API server sends it; fields that are not read are left out. */
export interface CniPod {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly nodeName?: string;
    readonly hostNetwork?: boolean;
    readonly serviceAccountName?: string;
    readonly dnsPolicy?: string;
    readonly dnsConfig?: { readonly nameservers?: readonly string[] };
    readonly securityContext?: PodSecurity;
    readonly containers?: readonly PodContainer[];
    readonly initContainers?: readonly PodContainer[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly initContainerStatuses?: readonly PodContainerStatus[];
    readonly containerStatuses?: readonly PodContainerStatus[];
  };
}

/** The names by which the container runtime tells of a pod. */
export interface PodRef {
  readonly namespace: string;
  readonly name: string;
  /** Absent with runtimes that do not send it. */
  readonly uid?: string;
}

/** Reads pods. */
export interface PodReader {
  /**
   * @returns `undefined` if there is no pod of this name
   * @throws if the API server gives no answer; the plugin tries again
   */
  read(pod: PodRef, signal: AbortSignal): Promise<CniPod | undefined>;
}

/**
 * Nameservers of pods by the policies of the orchestrator. Absent: they are not known; DNS queries to
 * every server are captured then.
 */
export interface NodeNameservers {
  /** Those of pods with the policy `ClusterFirst`: in the agent's own resolv.conf in the pod network. */
  readonly cluster?: readonly string[];
  /** Those of pods with the policy `Default`: of the node. */
  readonly node?: readonly string[];
}

/** The paths of the node's network namespaces in this process. */
export interface NamespacePaths {
  /**
   * The path at which this process sees a namespace that the container runtime names.
   *
   * @throws {CniFault} 4 for a path outside of the folders of namespaces
   */
  map(path: string): string;
  /**
   * Checks that the namespace is there, and is not that of the node.
   *
   * @throws {CniFault} 3 if it is missing, 4 if it is the node's own
   */
  check(seen: string): Promise<void>;
}

/** Repetition of reading a pod. */
export interface RetryTimes {
  readonly attempts: number;
  readonly pauseMs: number;
}

/** Pods in ambient mode that start. */
export interface AmbientPlugin {
  /**
   * Takes a pod into the mesh before its containers start.
   *
   * @param seen its network namespace, as this process sees it
   * @param addresses those that the plugins before gave it
   * @returns false: it is not in ambient mode
   * @throws if it cannot be taken; the container runtime tries again
   */
  addStarting(pod: CniPod, seen: string, addresses: readonly string[]): Promise<boolean>;
}

/** Dependencies of the verbs. */
export interface PluginDeps {
  readonly pods: PodReader;
  readonly paths: NamespacePaths;
  /** Runs programs in the network namespace at a path that this process sees. */
  runnerFor(seen: string): Runner;
  /** Namespaces that are left alone, besides those of the network configuration. */
  readonly excludeNamespaces: ReadonlySet<string>;
  readonly nameservers: NodeNameservers;
  /** Absent: ambient mode is off. */
  readonly ambient?: AmbientPlugin;
  /** Default: 30 attempts, one each second. */
  readonly retry?: RetryTimes;
}
