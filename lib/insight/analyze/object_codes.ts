/**
 * Codes of messages about single configuration objects.
 *
 * @module
 */
import type { CodeRow } from "./code_row.ts";

/** Codes of fields of an object. */
export type ObjectCode =
  | "MSH0002"
  | "MSH0128"
  | "MSH0129"
  | "MSH0130"
  | "MSH0131"
  | "MSH0134"
  | "MSH0138"
  | "MSH0140"
  | "MSH0151"
  | "MSH0152"
  | "MSH0153"
  | "MSH0154"
  | "MSH0155"
  | "MSH0157"
  | "MSH0165";

/** The codes, in order. */
export const OBJECT_CODES: Readonly<Record<ObjectCode, CodeRow>> = {
  MSH0002: {
    name: "Deprecated",
    level: "Warning",
    text: "Deprecated feature in use: {0}",
    reason: "It works in this version, and may not in a later one.",
    remedy: "Use what replaces it.",
  },
  MSH0128: {
    name: "NoServerCertificateVerificationDestinationLevel",
    level: "Warning",
    text: "DestinationRule {0} in {1} uses TLS mode {2} without caCertificates for host {3}",
    reason: "The certificate of the server is not verified: anyone on the way can answer.",
    remedy: "Write caCertificates, or credentialName with a workloadSelector.",
  },
  MSH0129: {
    name: "NoServerCertificateVerificationPortLevel",
    level: "Warning",
    text:
      "DestinationRule {0} in {1} uses TLS mode {2} without caCertificates for host {3} at port {4}",
    reason:
      "The certificate of the server is not verified at this port: anyone on the way can answer.",
    remedy:
      "Write caCertificates, or credentialName with a workloadSelector, in the settings of the port.",
  },
  MSH0130: {
    name: "VirtualServiceUnreachableRule",
    level: "Warning",
    text: "Rule {0} of the VirtualService is never used: {1}",
    reason: "An earlier rule takes all requests of this one.",
    remedy: "Move the rule up, or remove it.",
  },
  MSH0131: {
    name: "VirtualServiceIneffectiveMatch",
    level: "Info",
    text: "Match {1} of rule {0} is never used: rule {2} has an equal or wider one",
    reason: "Requests follow the earlier rule.",
    remedy: "Remove the match, or move its rule up.",
  },
  MSH0134: {
    name: "ServiceEntryAddressesRequired",
    level: "Warning",
    text: "The port needs addresses: its protocol is TCP or not given",
    reason: "All connections to the port number are taken for this host.",
    remedy: "Write spec.addresses, or the protocol of the port if it is another one.",
  },
  MSH0138: {
    name: "GatewayDuplicateCertificate",
    level: "Warning",
    text: "Gateways {0} use the same certificate",
    reason: "Clients send requests for one host over a connection to another, and get 404.",
    remedy: "Merge the Gateways, or give them certificates of their own.",
  },
  MSH0140: {
    name: "IngressRouteRulesNotAffected",
    level: "Warning",
    text:
      "Subsets of VirtualService {0} have no effect on requests of the gateways of VirtualService {1}",
    reason:
      "Gateways use the rules of the VirtualService that is bound to them: requests reach every subset.",
    remedy: "Name the subset in the destination of the VirtualService of the gateway.",
  },
  MSH0151: {
    name: "DataproxyFilterUsesRelativeOperation",
    level: "Warning",
    text:
      "The operation depends on patches that were applied before, and the DataproxyFilter has no priority",
    reason: "Another DataproxyFilter may change the result.",
    remedy: "Use INSERT_FIRST or ADD, or write spec.priority.",
  },
  MSH0152: {
    name: "DataproxyFilterUsesReplaceOperationIncorrectly",
    level: "Error",
    text: "REPLACE is only for HTTP_FILTER and NETWORK_FILTER",
    reason: "The patch is ignored.",
    remedy: "Use MERGE, or REMOVE and ADD.",
  },
  MSH0153: {
    name: "DataproxyFilterUsesAddOperationIncorrectly",
    level: "Error",
    text: "ADD is not for ROUTE_CONFIGURATION and HTTP_ROUTE",
    reason: "The patch is ignored.",
    remedy: "Use MERGE or an INSERT operation.",
  },
  MSH0154: {
    name: "DataproxyFilterUsesRemoveOperationIncorrectly",
    level: "Error",
    text: "REMOVE is not for ROUTE_CONFIGURATION and HTTP_ROUTE",
    reason: "The patch is ignored.",
    remedy: "Remove the object that the route is from.",
  },
  MSH0155: {
    name: "DataproxyFilterUsesRelativeOperationWithProxyVersion",
    level: "Warning",
    text:
      "The operation depends on patches that were applied before, the patch is for one proxy version, and the DataproxyFilter has no priority",
    reason: "During an upgrade the patch may not apply.",
    remedy: "Write spec.priority.",
  },
  MSH0157: {
    name: "InvalidTelemetryProvider",
    level: "Warning",
    text: 'Telemetry {0} in namespace "{1}" has access logs without provider',
    reason: "The entry is ignored.",
    remedy: "Name a provider, or write defaultProviders.accessLogging in the mesh configuration.",
  },
  MSH0165: {
    name: "ReferencedInternalGateway",
    level: "Warning",
    text: "VirtualService {0} refers to the generated Gateway {1}",
    reason:
      "The name may change, and the mesh does not support rules of both kinds for one gateway.",
    remedy: "Use an HTTPRoute of the Gateway, or write a Gateway of your own.",
  },
};
