/**
 * Pods and their parts as plain JSON values, as the orchestrator's API has them.
 *
 * @module
 */

/** A JSON object. */
export type Json = Record<string, unknown>;

/** A container of a pod. */
export interface Container extends Json {
  name: string;
  image?: string;
  env?: EnvEntry[];
  ports?: (Json & { containerPort?: number; name?: string })[];
}

/** An environment variable of a container. */
export interface EnvEntry extends Json {
  name: string;
  value?: string;
}

/** Metadata of a pod, or of the template of a workload. */
export interface PodMeta extends Json {
  name?: string;
  generateName?: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly controller?: boolean;
  }[];
}

/** The parts of a pod's spec that injection reads; others are kept as they are. */
export interface PodSpec extends Json {
  containers: Container[];
  initContainers?: Container[];
  volumes?: (Json & { name: string })[];
  imagePullSecrets?: (Json & { name: string })[];
  hostNetwork?: boolean;
  serviceAccountName?: string;
}

/** A pod, or the template of a workload. */
export interface Pod extends Json {
  metadata?: PodMeta;
  spec?: PodSpec;
}

/** The name of the container with the proxy. */
export const PROXY_CONTAINER = "mesh-proxy";

export function annotationsOf(pod: Pod): Readonly<Record<string, string>> {
  return pod.metadata?.annotations ?? {};
}

export function labelsOf(pod: Pod): Readonly<Record<string, string>> {
  return pod.metadata?.labels ?? {};
}

/** All containers of a pod, those that initialise it first. */
export function allContainers({ spec }: Pod): readonly Container[] {
  return [...spec?.initContainers ?? [], ...spec?.containers ?? []];
}

/** The container with the proxy, if the pod has one. */
export function proxyOf(pod: Pod): Container | undefined {
  return allContainers(pod).find(({ name }) => name === PROXY_CONTAINER);
}
