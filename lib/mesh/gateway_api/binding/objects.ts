/**
 * The fields of the kinds of the Gateway API that binding reads. Fields that are absent and fields that are empty
 * mean the same; defaults of the standard may be filled in or not.
 *
 * @module
 */
import type { ConfigObject, LabelRequirement, ObjectKey } from "../../model/mod.ts";

/** The group of the standard's kinds. */
export const GATEWAY_GROUP = "gateway.networking.k8s.io";

/** Group of the standard's kinds that are tried out. */
export const X_GATEWAY_GROUP = "gateway.networking.x-k8s.io";

/** Reports if a group is one of the Gateway API. */
export function isGatewayGroup(group: string): boolean {
  return group === GATEWAY_GROUP || group === X_GATEWAY_GROUP;
}

/** A selector of labels as the orchestrator has it. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly (Omit<LabelRequirement, "values"> & {
    readonly values?: readonly string[];
  })[];
}

/** Namespaces whose objects may attach; `from` is `All`, `Same` (default of routes), `Selector` or `None`. */
export interface AllowedNamespaces {
  readonly from?: string;
  readonly selector?: LabelSelector;
}

/** A kind with its group; without group: that of the standard. */
export interface GroupKind {
  readonly group?: string;
  readonly kind: string;
}

/** A reference to an object; without namespace: that of the object with the reference. */
export interface ObjectReference {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface ListenerTls {
  /** `Terminate` (default) or `Passthrough`. */
  readonly mode?: string;
  readonly certificateRefs?: readonly ObjectReference[];
  readonly options?: Readonly<Record<string, string>>;
}

/** A listener of a Gateway or of a ListenerSet. */
export interface ListenerSpec {
  readonly name: string;
  readonly hostname?: string;
  readonly port: number;
  readonly protocol: string;
  readonly tls?: ListenerTls;
  readonly allowedRoutes?: {
    readonly namespaces?: AllowedNamespaces;
    readonly kinds?: readonly GroupKind[];
  };
}

/** Validation of the certificates of clients. */
export interface FrontendTls {
  readonly validation?: {
    readonly caCertificateRefs?: readonly ObjectReference[];
    /** `AllowValidOnly` (default) or `AllowInsecureFallback`. */
    readonly mode?: string;
  };
}

export interface GatewaySpec {
  readonly gatewayClassName: string;
  readonly listeners?: readonly ListenerSpec[];
  readonly addresses?: readonly { readonly type?: string; readonly value?: string }[];
  readonly allowedListeners?: { readonly namespaces?: AllowedNamespaces };
  readonly infrastructure?: { readonly parametersRef?: ObjectReference };
  /** `All`: routes that use default Gateways attach to it; `None` (default): they do not. */
  readonly defaultScope?: string;
  readonly tls?: {
    readonly backend?: { readonly clientCertificateRef?: ObjectReference };
    readonly frontend?: {
      readonly default?: FrontendTls;
      readonly perPort?: readonly { readonly port: number; readonly tls?: FrontendTls }[];
    };
  };
}

export interface GatewayClassSpec {
  readonly controllerName: string;
  readonly parametersRef?: ObjectReference;
}

export interface ListenerSetSpec {
  /** The definition requires it. */
  readonly parentRef?: ObjectReference;
  readonly listeners?: readonly ListenerSpec[];
}

export interface ReferenceGrantSpec {
  readonly from?: readonly {
    readonly group: string;
    readonly kind: string;
    readonly namespace: string;
  }[];
  readonly to?: readonly {
    readonly group: string;
    readonly kind: string;
    readonly name?: string;
  }[];
}

/** A reference from a route to a parent: a Gateway (default), ListenerSet, Service or ServiceEntry. */
export interface ParentReference extends ObjectReference {
  readonly sectionName?: string;
  readonly port?: number;
}

/** A reference to a backend: a Service (default), ServiceImport, Hostname or XBackend. */
export interface BackendReference extends ObjectReference {
  readonly port?: number;
  readonly weight?: number;
}

/** A filter of a route, as far as it names objects. */
export interface RouteFilter {
  readonly type?: string;
  readonly requestMirror?: { readonly backendRef?: BackendReference };
  readonly extensionRef?: ObjectReference;
  readonly externalAuth?: { readonly backendRef?: BackendReference };
}

export interface RouteRule {
  readonly name?: string;
  readonly retry?: object;
  readonly sessionPersistence?: object;
  readonly filters?: readonly RouteFilter[];
  readonly backendRefs?:
    readonly (BackendReference & { readonly filters?: readonly RouteFilter[] })[];
}

/** The fields that all kinds of routes have. */
export interface RouteSpec {
  readonly parentRefs?: readonly ParentReference[];
  readonly hostnames?: readonly string[];
  /** `All`: it attaches to default Gateways, too; `None`: it does not. */
  readonly useDefaultGateways?: string;
  readonly rules?: readonly RouteRule[];
}

export interface BackendTlsPolicySpec {
  readonly targetRefs?: readonly (ObjectReference & { readonly sectionName?: string })[];
  /** The definition requires it. */
  readonly validation?: {
    readonly caCertificateRefs?: readonly ObjectReference[];
    readonly wellKnownCACertificates?: string;
    /** The same field under the name that it has in messages. */
    readonly wellKnownCaCertificates?: string;
  };
}

/** Validation of servers' certificates. */
export type TlsValidation = NonNullable<BackendTlsPolicySpec["validation"]>;

/** An XBackend, as far as it names objects or can be refused. */
export interface BackendSpec {
  readonly tls?: {
    readonly mode?: string;
    readonly validation?: TlsValidation;
  };
}

/** An XMesh. */
export interface MeshSpec {
  readonly controllerName: string;
  readonly parametersRef?: ObjectReference;
}

export interface BackendTrafficPolicySpec {
  readonly targetRefs?: readonly ObjectReference[];
}

export type Gateway = ConfigObject<GatewaySpec>;
export type GatewayClass = ConfigObject<GatewayClassSpec>;
export type ListenerSet = ConfigObject<ListenerSetSpec>;
export type ReferenceGrant = ConfigObject<ReferenceGrantSpec>;
/** A route; `meta.kind` is its kind. */
export type Route = ConfigObject<RouteSpec>;
export type BackendTlsPolicy = ConfigObject<BackendTlsPolicySpec>;
export type ApiBackend = ConfigObject<BackendSpec>;
export type ApiMesh = ConfigObject<MeshSpec>;
export type BackendTrafficPolicy = ConfigObject<BackendTrafficPolicySpec>;

export const ROUTE_KINDS = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"] as const;
export type RouteKind = typeof ROUTE_KINDS[number];

/** Reports if routes that use default Gateways attach to a Gateway. */
export function isDefaultGateway({ defaultScope }: GatewaySpec): boolean {
  return defaultScope === "All";
}

/** Reports if a route attaches to default Gateways. */
export function usesDefaultGateways({ useDefaultGateways }: RouteSpec): boolean {
  return useDefaultGateways === "All";
}

/** The key of the object that a reference of an object in `namespace` names. */
export function referenced(ref: ObjectReference, namespace: string): ObjectKey {
  return { namespace: ref.namespace || namespace, name: ref.name };
}
