/**
 * Codes that only Mesh has: their numbers begin at 1001, apart from those of the interface.
 *
 * @module
 */
import type { CodeRow } from "./code_row.ts";

/** Codes of mistakes that show in the connections of two objects, or in the state of a cluster. */
export type OwnCode =
  | "MSH1001"
  | "MSH1002"
  | "MSH1003"
  | "MSH1004"
  | "MSH1005"
  | "MSH1006"
  | "MSH1007"
  | "MSH1008"
  | "MSH1009"
  | "MSH1010";

/** The codes, in order. */
export const OWN_CODES: Readonly<Record<OwnCode, CodeRow>> = {
  MSH1001: {
    name: "TlsModeConflict",
    level: "Error",
    text: "Clients send {0} to {1}, and its workloads accept {2} ({3})",
    reason: "The server closes every connection: callers are answered 503.",
    remedy:
      "Remove tls from the DestinationRule: clients then send what the server accepts. Or change the mode of the PeerAuthentication.",
  },
  MSH1002: {
    name: "UnknownPrincipal",
    level: "Warning",
    text: "No workload has the identity {0}",
    reason: "No request comes from it: a rule that allows it allows nobody.",
    remedy: "Write the service account of the callers: TRUST-DOMAIN/ns/NAMESPACE/sa/ACCOUNT.",
  },
  MSH1003: {
    name: "PrincipalWithScheme",
    level: "Warning",
    text: "The principal {0} begins with spiffe://, and no principal of a request does",
    reason: "The value matches no request: a rule that allows it allows nobody.",
    remedy: "Write it without spiffe://.",
  },
  MSH1004: {
    name: "EgressPortWithoutService",
    level: "Warning",
    text: "No service that the egress listener imports has the port {0}",
    reason: "Requests to the port of the listener are answered 502.",
    remedy: "Use a port of the imported services, or import a service that has the port.",
  },
  MSH1005: {
    name: "NetworkPluginNotReadyOnNode",
    level: "Error",
    text: "No ready pod of the network plugin is on node {0}, where {1} pods need it: {2}",
    reason:
      "Pods with a proxy do not start on the node, or do not run their application: nothing redirects their traffic.",
    remedy:
      "Look at the pod mesh-cni-node of the node: its /readyz has the reasons. Without one, install the plugin: components.cni.enabled=true.",
  },
  MSH1006: {
    name: "NetworkPluginAbsent",
    level: "Error",
    text: "Injection leaves traffic to the network plugin, and the cluster has no pod of it",
    reason: "Pods with a proxy do not run their application: nothing redirects their traffic.",
    remedy:
      "Install the plugin (components.cni.enabled=true), or let init containers redirect traffic (values.pilot.cni.enabled=false).",
  },
  MSH1007: {
    name: "NodeWaitsForNetworkPlugin",
    level: "Warning",
    text: "Node {0} has the taint {1}, and {2} pod of the network plugin is on it",
    reason: "Pods that do not tolerate the taint are not scheduled to the node.",
    remedy: "Look at the pod mesh-cni-node of the node: its /readyz has the reasons.",
  },
  MSH1008: {
    name: "GatewayAPIObjectNotUsed",
    level: "Error",
    text: "Condition {0} is false, reason {1}: {2}",
    reason: "The daemon writes the same into the status of the object once it is applied.",
    remedy: "Correct the field; the message says what is allowed.",
  },
  MSH1009: {
    name: "AmbientModeWithoutEffect",
    level: "Warning",
    text: "Ambient mode does not do what is written: {0}",
    reason: "Node proxies carry connections of pods; requests are a matter of waypoints.",
    remedy: "Change the label or the field, or let a waypoint apply the policy (targetRefs).",
  },
  MSH1010: {
    name: "DaemonWithOneVersionOfIP",
    level: "Warning",
    text:
      "MESH_DUAL_STACK of the daemon is not true, and Services have addresses of both versions of IP: {0}, the first is {1}",
    reason:
      "Proxies with addresses of both versions use IPv4 alone. Connections to the other address are not routed, and policies on requests do not apply to them.",
    remedy:
      "Set values.pilot.env.MESH_DUAL_STACK=true, or give Services one version (ipFamilyPolicy: SingleStack).",
  },
};
