/**
 * The one table of resource kinds: names, versions, message, rules.
 *
 * @module
 */
import { type DescMessage, type Message, StructSchema } from "../proto/mod.ts";
import { WasmPluginSchema } from "#mesh/extensions/v1alpha1/wasm_pb.ts";
import { DataproxyFilterSchema } from "#mesh/networking/v1alpha3/dataproxy_filter_pb.ts";
import { DestinationRuleSchema } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { GatewaySchema } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { ServiceEntrySchema } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { AuthorizationPolicySchema } from "#mesh/security/v1beta1/authorization_policy_pb.ts";
import { PeerAuthenticationSchema } from "#mesh/security/v1beta1/peer_authentication_pb.ts";
import { RequestAuthenticationSchema } from "#mesh/security/v1beta1/request_authentication_pb.ts";
import { SidecarSchema } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { VirtualServiceSchema } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { WorkloadEntrySchema } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import { WorkloadGroupSchema } from "#mesh/networking/v1alpha3/workload_group_pb.ts";
import { ProxyConfigSchema } from "#mesh/networking/v1beta1/proxy_config_pb.ts";
import { TelemetrySchema } from "#mesh/telemetry/v1alpha1/telemetry_pb.ts";
import { validateDataproxyFilter } from "./dataproxy_filter.ts";
import type { ObjectIdentity, Report } from "./problem.ts";
import { validateAuthorizationPolicy } from "./authorization_policy.ts";
import { validateDestinationRule } from "./destination_rule.ts";
import { validateGateway } from "./gateway.ts";
import { validateProxyConfigResource } from "./proxy_config.ts";
import { checkWrittenPorts, validatePeerAuthentication } from "./peer_authentication.ts";
import { validateRequestAuthentication } from "./request_authentication.ts";
import { validateServiceEntry } from "./service_entry.ts";
import { validateSidecar } from "./sidecar.ts";
import { validateTelemetry } from "./telemetry.ts";
import { validateVirtualService } from "./virtual_service.ts";
import { validateWasmPlugin } from "./wasm_plugin.ts";
import { validateWorkloadEntry } from "./workload_entry.ts";
import { validateWorkloadGroup } from "./workload_group.ts";

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
  /** Set where only metadata counts: the specification is not looked at, and read as empty. */
  readonly metadataOnly?: boolean;
  /** Checks what types cannot say; paths begin with `spec`. */
  readonly validate: (spec: Message, identity: ObjectIdentity, report: Report) => void;
  /** Checks what the message no longer shows: the specification as it is written. */
  readonly checkWritten?: (value: unknown, report: Report) => void;
}

const NETWORKING = "networking.mesh.io";
const THREE_VERSIONS = ["v1", "v1alpha3", "v1beta1"] as const;
const SECURITY = "security.mesh.io";
const SECURITY_VERSIONS = ["v1", "v1beta1"] as const;

type Validate<D extends Message> = (spec: D, identity: ObjectIdentity, report: Report) => void;

/** A namespaced kind; its rules take its own message. */
function kindOf<D extends Message>(
  name: Omit<KindName, "scope">,
  schema: DescMessage,
  validate: Validate<D>,
): Kind {
  return { ...name, scope: "namespaced", schema, validate: validate as Kind["validate"] };
}

function networking<D extends Message>(
  kind: string,
  plural: string,
  schema: DescMessage,
  validate: Validate<D>,
  versions: readonly string[] = THREE_VERSIONS,
): Kind {
  return kindOf({ kind, group: NETWORKING, versions, plural }, schema, validate);
}

function security<D extends Message>(
  kind: string,
  plural: string,
  schema: DescMessage,
  validate: Validate<D>,
): Kind {
  return kindOf({ kind, group: SECURITY, versions: SECURITY_VERSIONS, plural }, schema, validate);
}

/** Kinds that are read; which of their fields act, `ACTING` says. */
export const KINDS: readonly Kind[] = [
  networking("ServiceEntry", "serviceentries", ServiceEntrySchema, validateServiceEntry),
  networking("WorkloadEntry", "workloadentries", WorkloadEntrySchema, validateWorkloadEntry),
  networking("Sidecar", "sidecars", SidecarSchema, validateSidecar),
  networking("VirtualService", "virtualservices", VirtualServiceSchema, validateVirtualService),
  networking("DestinationRule", "destinationrules", DestinationRuleSchema, validateDestinationRule),
  networking("Gateway", "gateways", GatewaySchema, validateGateway),
  security(
    "AuthorizationPolicy",
    "authorizationpolicies",
    AuthorizationPolicySchema,
    validateAuthorizationPolicy,
  ),
  security(
    "RequestAuthentication",
    "requestauthentications",
    RequestAuthenticationSchema,
    validateRequestAuthentication,
  ),
  {
    ...security(
      "PeerAuthentication",
      "peerauthentications",
      PeerAuthenticationSchema,
      validatePeerAuthentication,
    ),
    checkWritten: checkWrittenPorts,
  },
  networking("WorkloadGroup", "workloadgroups", WorkloadGroupSchema, validateWorkloadGroup),
  networking(
    "DataproxyFilter",
    "dataproxyfilters",
    DataproxyFilterSchema,
    validateDataproxyFilter,
    [
      "v1alpha3",
    ],
  ),
  networking("ProxyConfig", "proxyconfigs", ProxyConfigSchema, validateProxyConfigResource, [
    "v1beta1",
  ]),
  kindOf(
    {
      kind: "Telemetry",
      group: "telemetry.mesh.io",
      versions: ["v1", "v1alpha1"],
      plural: "telemetries",
    },
    TelemetrySchema,
    validateTelemetry,
  ),
  kindOf(
    {
      kind: "WasmPlugin",
      group: "extensions.mesh.io",
      versions: ["v1alpha1"],
      plural: "wasmplugins",
    },
    WasmPluginSchema,
    validateWasmPlugin,
  ),
  {
    kind: "Namespace",
    group: "",
    versions: ["v1"],
    plural: "namespaces",
    scope: "cluster",
    schema: StructSchema,
    metadataOnly: true,
    validate: () => {},
  },
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
  ...later("extensions.mesh.io", ["v1alpha1"], { TrafficExtension: "trafficextensions" }),
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
