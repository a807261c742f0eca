/**
 * Services, endpoints, pods and nodes, as far as the mesh reads them.
 *
 * @module
 */
import type { ListItem } from "../../../orch/mod.ts";

/** A port of a Service. */
export interface ApiServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
}

/** A Service. */
export interface ApiService extends ListItem {
  readonly spec?: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly externalName?: string;
    readonly publishNotReadyAddresses?: boolean;
    readonly ports?: readonly ApiServicePort[];
  };
}

/** An address of an EndpointSlice. */
export interface ApiEndpoint {
  readonly addresses: readonly string[];
  readonly conditions?: { readonly ready?: boolean };
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
  readonly labels: Readonly<Record<string, string>>;
  readonly serviceAccount: string;
}

/** The kept part of a node. */
export interface NodeFacts {
  readonly name: string;
  readonly region: string;
  readonly zone: string;
  readonly subzone: string;
}

/** The facts of a pod. */
export function podFacts(item: ListItem): PodFacts {
  const { metadata, spec } = item as ListItem & { spec?: { serviceAccountName?: string } };
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    labels: metadata.labels ?? {},
    serviceAccount: spec?.serviceAccountName ?? "default",
  };
}

/** The facts of a node. */
export function nodeFacts({ metadata: { name, labels = {} } }: ListItem): NodeFacts {
  return {
    name,
    region: labels["topology.kubernetes.io/region"] ?? "",
    zone: labels["topology.kubernetes.io/zone"] ?? "",
    subzone: labels["topology.mesh.io/subzone"] ?? "",
  };
}
