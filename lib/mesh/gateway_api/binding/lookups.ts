/**
 * Questions of binding about the mesh. Each function answers about one object or one bucket, so that a
 * caller with recorded reads depends on what was asked alone.
 *
 * @module
 */
import type { ObjectKey } from "../../model/mod.ts";
import type { ClassNames } from "./classes.ts";
import type { GatewayClass, ListenerSet, ReferenceGrant } from "./objects.ts";

/** Labels of namespaces. */
export interface NamespaceLookup {
  /** Labels of a namespace; undefined: it is not known. */
  namespaceLabels(name: string): Readonly<Record<string, string>> | undefined;
}

/** ReferenceGrants. */
export interface GrantLookup {
  /** The ReferenceGrants in a namespace. */
  grants(namespace: string): readonly ReferenceGrant[];
}

/** The state of a Secret or a ConfigMap: usable, absent, or why it is not usable. */
export type MaterialState = "valid" | "missing" | {
  readonly invalid: string;
  /** True: proxies have the version before, which was usable. */
  readonly lastGoodServes?: boolean;
};

/** Certificates. */
export interface MaterialLookup {
  /** A Secret with a certificate and its key. */
  certificate(secret: ObjectKey): MaterialState;
  /** Certificates of authorities, in a ConfigMap or a Secret. */
  authorities(kind: "ConfigMap" | "Secret", object: ObjectKey): MaterialState;
}

/** Parameters of Gateways. */
export interface ParametersLookup {
  /** A ConfigMap that a Gateway or its class names. */
  parameters(object: ObjectKey): MaterialState;
}

/** A backend as it was found. */
export interface BackendTarget {
  /** Host of the mesh. */
  readonly host: string;
  /** Namespace of the service. */
  readonly namespace: string;
  /** Numbers of its ports. */
  readonly ports: readonly number[];
}

/** Backends and parents that are no gateways. */
export interface ServiceLookup {
  /** The Service (`svc`) or ServiceImport (`clusterset`) of that name. */
  service(kind: "Service" | "ServiceImport", object: ObjectKey): BackendTarget | undefined;
  /** The host as an object in `namespace` sees it. */
  host(name: string, namespace: string): BackendTarget | undefined;
  /** The services of a ServiceEntry; undefined: there is no such object. */
  serviceEntry(object: ObjectKey): readonly BackendTarget[] | undefined;
}

/** The lookups of `bindGateway`. */
export interface GatewayLookups extends NamespaceLookup, GrantLookup, MaterialLookup {
  /** Names of the controller and of the default class. */
  readonly names?: ClassNames;
  gatewayClass(name: string): GatewayClass | undefined;
  /** The ListenerSets whose parent is the Gateway. */
  listenerSets(gateway: ObjectKey): readonly ListenerSet[];
}

/** The lookups of `resolveBackend`. */
export interface BackendLookups extends GrantLookup {
  service: ServiceLookup["service"];
  host: ServiceLookup["host"];
  /** An XBackend; undefined: there is none. A text: why requests cannot be sent there. */
  backend(object: ObjectKey): BackendTarget | string | undefined;
}
