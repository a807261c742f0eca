/**
 * The one table of resource kinds: names, versions, message, rules.
 *
 * @module
 */
import type { DescMessage, Message } from "../proto/mod.ts";
import { DestinationRuleSchema } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { GatewaySchema } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { ServiceEntrySchema } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { SidecarSchema } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { VirtualServiceSchema } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { WorkloadEntrySchema } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { ObjectIdentity, Report } from "./problem.ts";
import { validateDestinationRule } from "./destination_rule.ts";
import { validateGateway } from "./gateway.ts";
import { validateServiceEntry } from "./service_entry.ts";
import { validateSidecar } from "./sidecar.ts";
import { validateVirtualService } from "./virtual_service.ts";
import { validateWorkloadEntry } from "./workload_entry.ts";

/** How a kind is called. */
export interface KindName {
  readonly kind: string;
  readonly group: string;
  /** Storage version first. */
  readonly versions: readonly string[];
  readonly plural: string;
  readonly scope: "namespaced" | "cluster";
}

/** A kind that is read: its specification's message and rules. */
export interface Kind extends KindName {
  readonly schema: DescMessage;
  /** Checks what types cannot say; paths begin with `spec`. */
  readonly validate: (spec: Message, identity: ObjectIdentity, report: Report) => void;
}

const NETWORKING = "networking.mesh.io";
const THREE_VERSIONS = ["v1", "v1alpha3", "v1beta1"] as const;

function networking<D extends Message>(
  kind: string,
  plural: string,
  schema: DescMessage,
  validate: (spec: D, identity: ObjectIdentity, report: Report) => void,
): Kind {
  return {
    kind,
    group: NETWORKING,
    versions: THREE_VERSIONS,
    plural,
    scope: "namespaced",
    schema,
    validate: validate as Kind["validate"],
  };
}

/** Kinds that are read and acted on. */
export const KINDS: readonly Kind[] = [
  networking("ServiceEntry", "serviceentries", ServiceEntrySchema, validateServiceEntry),
  networking("WorkloadEntry", "workloadentries", WorkloadEntrySchema, validateWorkloadEntry),
  networking("Sidecar", "sidecars", SidecarSchema, validateSidecar),
  networking("VirtualService", "virtualservices", VirtualServiceSchema, validateVirtualService),
  networking("DestinationRule", "destinationrules", DestinationRuleSchema, validateDestinationRule),
  networking("Gateway", "gateways", GatewaySchema, validateGateway),
];

function later(
  group: string,
  versions: readonly string[],
  names: Readonly<Record<string, string>>,
  scope: KindName["scope"] = "namespaced",
): KindName[] {
  return Object.entries(names).map(([kind, plural]) => ({ kind, group, versions, plural, scope }));
}

/** Kinds that belong to the interface and are not read yet: their objects are set aside by name. */
export const LATER_KINDS: readonly KindName[] = [
  ...later(NETWORKING, THREE_VERSIONS, { WorkloadGroup: "workloadgroups" }),
  ...later(NETWORKING, ["v1alpha3"], { DataproxyFilter: "dataproxyfilters" }),
  ...later(NETWORKING, ["v1beta1"], { ProxyConfig: "proxyconfigs" }),
  ...later("security.mesh.io", ["v1", "v1beta1"], {
    AuthorizationPolicy: "authorizationpolicies",
    RequestAuthentication: "requestauthentications",
    PeerAuthentication: "peerauthentications",
  }),
  ...later("telemetry.mesh.io", ["v1", "v1alpha1"], { Telemetry: "telemetries" }),
  ...later("extensions.mesh.io", ["v1alpha1"], {
    WasmPlugin: "wasmplugins",
    TrafficExtension: "trafficextensions",
  }),
  ...later("networking.k8s.io", ["v1"], { Ingress: "ingresses" }),
  ...later("networking.k8s.io", ["v1"], { IngressClass: "ingressclasses" }, "cluster"),
  ...later("gateway.networking.k8s.io", ["v1", "v1alpha2", "v1beta1"], {
    Gateway: "gateways",
    HTTPRoute: "httproutes",
  }),
  ...later("gateway.networking.k8s.io", ["v1", "v1alpha2", "v1beta1"], {
    GatewayClass: "gatewayclasses",
  }, "cluster"),
  ...later("gateway.networking.k8s.io", ["v1", "v1alpha2"], {
    GRPCRoute: "grpcroutes",
    TCPRoute: "tcproutes",
    TLSRoute: "tlsroutes",
  }),
  ...later("gateway.networking.k8s.io", ["v1alpha2"], { UDPRoute: "udproutes" }),
  ...later("gateway.networking.k8s.io", ["v1beta1", "v1alpha2"], {
    ReferenceGrant: "referencegrants",
  }),
  ...later("gateway.networking.k8s.io", ["v1"], {
    BackendTLSPolicy: "backendtlspolicies",
    ListenerSet: "listenersets",
  }),
  ...later("gateway.networking.x-k8s.io", ["v1alpha1"], {
    XBackend: "xbackends",
    XBackendTrafficPolicy: "xbackendtrafficpolicies",
  }),
  ...later("inference.networking.k8s.io", ["v1"], { InferencePool: "inferencepools" }),
];

/** The kind of a group, read or not; `undefined` when the interface does not have it. */
export function findKind(group: string, kind: string): Kind | KindName | undefined {
  const named = (one: KindName) => one.kind === kind && one.group === group;
  return KINDS.find(named) ?? LATER_KINDS.find(named);
}

/** Whether a kind is read. */
export function isRead(kind: Kind | KindName): kind is Kind {
  return "schema" in kind;
}
