/**
 * Ingress objects as the API gives them, as far as they are used.
 *
 * @module
 */
import type { ListItem, ResourceType } from "../../../../kit/orch/mod.ts";

export const INGRESS: ResourceType = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "Ingress",
  plural: "ingresses",
  namespaced: true,
};

export const INGRESS_CLASS: ResourceType = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IngressClass",
  plural: "ingressclasses",
  namespaced: false,
};

export interface IngressBackend {
  readonly service?: {
    readonly name: string;
    readonly port?: { readonly number?: number; readonly name?: string };
  };
}

/** A path of a rule. */
export interface IngressPath {
  readonly path?: string;
  readonly pathType?: string;
  readonly backend: IngressBackend;
}

export interface Ingress extends ListItem {
  readonly spec?: {
    readonly ingressClassName?: string;
    readonly defaultBackend?: IngressBackend;
    readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName?: string }[];
    readonly rules?: readonly {
      readonly host?: string;
      readonly http?: { readonly paths: readonly IngressPath[] };
    }[];
  };
}

export interface IngressClass extends ListItem {
  readonly spec?: { readonly controller?: string };
}

export interface PortedService extends ListItem {
  readonly spec?: { readonly ports?: readonly { readonly name?: string; readonly port: number }[] };
}
