/**
 * Resource types of the orchestrator that the project uses.
 *
 * @module
 */
import type { ResourceType } from "./resource.ts";

function type(
  [group, version]: readonly [group: string, version: string],
  kind: string,
  plural: string,
  namespaced = true,
): ResourceType {
  return { group, version, kind, plural, namespaced };
}

const CORE = ["", "v1"] as const;

export const NAMESPACE: ResourceType = type(CORE, "Namespace", "namespaces", false);
export const NODE: ResourceType = type(CORE, "Node", "nodes", false);
export const POD: ResourceType = type(CORE, "Pod", "pods");
export const SERVICE: ResourceType = type(CORE, "Service", "services");
export const SERVICE_ACCOUNT: ResourceType = type(CORE, "ServiceAccount", "serviceaccounts");
export const SECRET: ResourceType = type(CORE, "Secret", "secrets");
export const CONFIG_MAP: ResourceType = type(CORE, "ConfigMap", "configmaps");
export const EVENT: ResourceType = type(CORE, "Event", "events");
export const ENDPOINT_SLICE: ResourceType = type(
  ["discovery.k8s.io", "v1"],
  "EndpointSlice",
  "endpointslices",
);
export const LEASE: ResourceType = type(["coordination.k8s.io", "v1"], "Lease", "leases");
export const DEPLOYMENT: ResourceType = type(["apps", "v1"], "Deployment", "deployments");
export const REPLICA_SET: ResourceType = type(["apps", "v1"], "ReplicaSet", "replicasets");
export const DAEMON_SET: ResourceType = type(["apps", "v1"], "DaemonSet", "daemonsets");
export const CUSTOM_RESOURCE_DEFINITION: ResourceType = type(
  ["apiextensions.k8s.io", "v1"],
  "CustomResourceDefinition",
  "customresourcedefinitions",
  false,
);
export const CERTIFICATE_REQUEST: ResourceType = type(
  ["certificates.k8s.io", "v1"],
  "CertificateSigningRequest",
  "certificatesigningrequests",
  false,
);

const ADMISSION = ["admissionregistration.k8s.io", "v1"] as const;

/** Configurations of mutating webhooks. */
export const MUTATING_WEBHOOKS: ResourceType = type(
  ADMISSION,
  "MutatingWebhookConfiguration",
  "mutatingwebhookconfigurations",
  false,
);
/** Configurations of validating webhooks. */
export const VALIDATING_WEBHOOKS: ResourceType = type(
  ADMISSION,
  "ValidatingWebhookConfiguration",
  "validatingwebhookconfigurations",
  false,
);
