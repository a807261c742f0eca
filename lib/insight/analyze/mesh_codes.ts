/**
 * Codes of messages about references, selectors and conflicts of configuration objects.
 *
 * @module
 */
import type { CodeRow } from "./code_row.ts";

/** Codes of references, selectors, conflicts and the schema. */
export type MeshCode =
  | "MSH0101"
  | "MSH0106"
  | "MSH0109"
  | "MSH0110"
  | "MSH0111"
  | "MSH0112"
  | "MSH0127"
  | "MSH0132"
  | "MSH0133"
  | "MSH0145"
  | "MSH0159"
  | "MSH0160"
  | "MSH0173"
  | "MSH0174"
  | "MSH0177";

/** The codes, in order. */
export const MESH_CODES: Readonly<Record<MeshCode, CodeRow>> = {
  MSH0101: {
    name: "ReferencedResourceNotFound",
    level: "Error",
    text: 'The {0} that is referred to does not exist: "{1}"',
    reason:
      "Requests that follow the reference are answered 503 or 404, or the object is not used.",
    remedy: "Correct the name, or create what it names.",
  },
  MSH0106: {
    name: "SchemaValidationError",
    level: "Error",
    text: "{0}",
    reason: "The document is rejected; the last good version of the object stays in use.",
    remedy: "Correct the document.",
  },
  MSH0109: {
    name: "ConflictingMeshGatewayVirtualServiceHosts",
    level: "Error",
    text: "VirtualServices {0} of the mesh gateway define the same host {1}",
    reason: "Sidecars use the rules of the oldest VirtualService alone; the others have no effect.",
    remedy: "Merge them into one VirtualService, or give them different hosts or exportTo.",
  },
  MSH0110: {
    name: "ConflictingSidecarWorkloadSelectors",
    level: "Error",
    text: 'Sidecars {0} in namespace "{1}" select the same workload {2}',
    reason: "The oldest Sidecar applies to the workload; the others have no effect on it.",
    remedy: "Narrow the selectors, so that each workload is selected by one Sidecar.",
  },
  MSH0111: {
    name: "MultipleSidecarsWithoutWorkloadSelectors",
    level: "Error",
    text: 'Sidecars {0} in namespace "{1}" all lack a workload selector',
    reason: "The oldest Sidecar without a selector applies; the others have no effect.",
    remedy: "Keep one Sidecar without a selector in the namespace.",
  },
  MSH0112: {
    name: "VirtualServiceDestinationPortSelectorRequired",
    level: "Error",
    text: 'Service "{0}" has the ports {1}, and the destination names none of them',
    reason: "The port of the request decides, which need not be a port of the service.",
    remedy: "Write destination.port.number.",
  },
  MSH0127: {
    name: "NoMatchingWorkloadsFound",
    level: "Warning",
    text: "No workload has the labels {0}",
    reason: "The policy has no effect: no proxy is sent it.",
    remedy: "Correct the selector, or give the labels to a workload (MESH_METAJSON_LABELS).",
  },
  MSH0132: {
    name: "VirtualServiceHostNotFoundInGateway",
    level: "Warning",
    text: "Host {0} of VirtualService {1} is not among the hosts of Gateway {2}",
    reason: "The gateway answers requests for the host with 404.",
    remedy: "Add the host to a server of the Gateway, or correct spec.hosts.",
  },
  MSH0133: {
    name: "SchemaWarning",
    level: "Warning",
    text: "{0}",
    reason: "The document is used, but not all of it has an effect.",
    remedy: "Correct the field, or remove it.",
  },
  MSH0145: {
    name: "ConflictingGateways",
    level: "Error",
    text: "Gateways {0} conflict: workload selector {1}, port {2}, hosts {3}",
    reason: "Requests for the hosts are served by rules that are bound to either Gateway.",
    remedy: "Give the Gateways different hosts, ports or selectors, or merge them.",
  },
  MSH0159: {
    name: "ConflictingTelemetryWorkloadSelectors",
    level: "Error",
    text: 'Telemetries {0} in namespace "{1}" select the same workload {2}',
    reason: "The oldest Telemetry applies to the workload; the others have no effect on it.",
    remedy: "Narrow the selectors, so that each workload is selected by one Telemetry.",
  },
  MSH0160: {
    name: "MultipleTelemetriesWithoutWorkloadSelectors",
    level: "Error",
    text: 'Telemetries {0} in namespace "{1}" all lack a workload selector',
    reason: "The oldest Telemetry without a selector applies; the others have no effect.",
    remedy: "Keep one Telemetry without a selector in the namespace.",
  },
  MSH0173: {
    name: "DestinationRuleSubsetNotSelectPods",
    level: "Error",
    text: "Subset {0} of the DestinationRule selects no endpoint",
    reason: "Requests to the subset are answered 503.",
    remedy: "Correct the labels of the subset, or give them to endpoints of the service.",
  },
  MSH0174: {
    name: "UnknownDestinationRuleHost",
    level: "Warning",
    text: "Host {0} of the DestinationRule matches no service",
    reason: "The rule has no effect.",
    remedy: "Correct spec.host, or define the service by a ServiceEntry.",
  },
  MSH0177: {
    name: "ConflictingServiceEntryProtocol",
    level: "Warning",
    text: 'ServiceEntries {0} define host "{1}" port {2} with different protocols: {3}',
    reason: "The protocol of the oldest ServiceEntry is used for all endpoints of the host.",
    remedy: "Declare one protocol for the port in all of them.",
  },
};
