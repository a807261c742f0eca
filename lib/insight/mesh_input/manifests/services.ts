/**
 * Services in manifests as a cluster would have them: with virtual addresses, and with the endpoints of
 * the pods that they select. Pure.
 *
 * @module
 */
import type { PlainDocument } from "../../analyze/mod.ts";
import type { OrchObject } from "../../../kit/orch/mod.ts";
import { hasLabels, objectKey } from "../../../mesh/model/mod.ts";
import { addressesOf, RANGES } from "./addresses.ts";
import type { ManifestPod } from "./pods.ts";

/** A port of a Service. */
export interface ManifestPort {
  readonly name?: string;
  readonly port: number;
  readonly targetPort?: number | string;
}

export interface ManifestService extends OrchObject {
  readonly metadata: OrchObject["metadata"] & { readonly namespace: string };
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly ManifestPort[];
  };
}

/** Reports if a document is a Service. */
export function isService({ kind, group }: Pick<PlainDocument, "kind" | "group">): boolean {
  return kind === "Service" && group === "";
}

/** The Services of documents, with virtual addresses where a document has none. */
export function servicesOf(
  documents: readonly PlainDocument[],
): { readonly document: PlainDocument; readonly service: ManifestService }[] {
  const address = addressesOf(RANGES.services, documents.map(objectKey));
  return documents.map((document) => ({
    document,
    service: serviceOf(document, address(objectKey(document))),
  }));
}

function serviceOf(
  { namespace, name, labels, annotations, value }: PlainDocument,
  address: string,
): ManifestService {
  const spec: ManifestService["spec"] = Object(value.spec);
  const hasAddress = spec.clusterIP !== undefined || spec.type === "ExternalName";
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace, labels, annotations },
    spec: hasAddress ? spec : { ...spec, clusterIP: address },
  };
}

/** The endpoints of a Service: one slice for each pod, because named ports differ between pods. */
export function slicesOf(
  service: ManifestService,
  pods: readonly ManifestPod[],
): OrchObject[] {
  const { metadata: { namespace, name }, spec } = service;
  const { selector = {}, ports = [] } = spec;
  if (spec.type === "ExternalName" || Object.keys(selector).length === 0) return [];
  return pods.filter(({ metadata }) =>
    metadata.namespace === namespace && hasLabels(metadata.labels, selector)
  ).map((pod) => sliceOf({ namespace, name, ports }, pod));
}

interface Front {
  readonly namespace: string;
  readonly name: string;
  readonly ports: readonly ManifestPort[];
}

/** An EndpointSlice, as far as the mesh reads it. */
interface ManifestSlice extends OrchObject {
  readonly addressType: "IPv4";
  readonly endpoints: readonly unknown[];
  readonly ports: readonly { readonly name?: string; readonly port: number }[];
}

function sliceOf({ namespace, name, ports }: Front, pod: ManifestPod): ManifestSlice {
  const { subdomain, hostname } = pod.spec as {
    readonly subdomain?: string;
    readonly hostname?: string;
  };
  const [owner] = pod.metadata.ownerReferences ?? [];
  // The pods of a StatefulSet have their names as host names.
  const host = owner?.kind === "StatefulSet"
    ? pod.metadata.name
    : subdomain === name
    ? hostname
    : undefined;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name}-${pod.metadata.name}`,
      namespace,
      labels: { "kubernetes.io/service-name": name },
    },
    addressType: "IPv4",
    endpoints: [{
      addresses: [pod.status.podIP],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: { kind: "Pod", name: pod.metadata.name, namespace },
      ...host === undefined ? {} : { hostname: host },
    }],
    ports: ports.flatMap(({ name: own, port, targetPort = port }) => {
      const number = typeof targetPort === "number" ? targetPort : portNamed(pod, targetPort);
      return number === undefined
        ? []
        : [{ port: number, ...own === undefined ? {} : { name: own } }];
    }),
  };
}

/** The port of a pod's containers with a name. */
function portNamed({ spec }: ManifestPod, name: string): number | undefined {
  const { containers = [], initContainers = [] } = spec as {
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
  };
  return [...containers, ...initContainers].flatMap(({ ports = [] }) => ports)
    .find((one) => one.name === name)?.containerPort;
}

interface Container {
  readonly ports?: readonly { readonly name?: string; readonly containerPort?: number }[];
}
