/**
 * Codes of messages about objects of the orchestrator.
 *
 * @module
 */
import type { CodeRow } from "./code_row.ts";

/** Codes of objects of the orchestrator. */
export type DocumentCode =
  | "MSH0102"
  | "MSH0103"
  | "MSH0107"
  | "MSH0108"
  | "MSH0116"
  | "MSH0118"
  | "MSH0123"
  | "MSH0125"
  | "MSH0126"
  | "MSH0135"
  | "MSH0136"
  | "MSH0137"
  | "MSH0139"
  | "MSH0144"
  | "MSH0146"
  | "MSH0147"
  | "MSH0148"
  | "MSH0149"
  | "MSH0150"
  | "MSH0158"
  | "MSH0161"
  | "MSH0162"
  | "MSH0163"
  | "MSH0164"
  | "MSH0166"
  | "MSH0167"
  | "MSH0170"
  | "MSH0171"
  | "MSH0175";

/** The codes, in order. */
export const DOCUMENT_CODES: Readonly<Record<DocumentCode, CodeRow>> = {
  MSH0102: {
    name: "NamespaceNotInjected",
    level: "Info",
    text: "Namespace {0} has no label of injection",
    reason: "Its pods get no proxy and are outside of the mesh.",
    remedy: "Label it mesh-injection=enabled, or mesh-injection=disabled if that is intended.",
  },
  MSH0103: {
    name: "PodMissingProxy",
    level: "Warning",
    text: "Pod {0} has no proxy",
    reason: "It is outside of the mesh: no policies, no mutual TLS.",
    remedy: "Restart the workload, so that the proxy is injected.",
  },
  MSH0107: {
    name: "MisplacedAnnotation",
    level: "Warning",
    text: "Annotation {0} is on the wrong object; it applies to {1}",
    reason: "It has no effect.",
    remedy: "Move it, for workloads to the template of the pods.",
  },
  MSH0108: {
    name: "UnknownAnnotation",
    level: "Warning",
    text: "Annotation {0} is not known",
    reason: "It has no effect.",
    remedy: "Correct the name.",
  },
  MSH0116: {
    name: "DeploymentAssociatedToMultipleServices",
    level: "Warning",
    text: "Deployment {0} is behind Services that use port {1} with different protocols: {2}",
    reason: "The proxy can treat the port in one way only.",
    remedy: "Use one protocol for the port.",
  },
  MSH0118: {
    name: "PortNameIsNotUnderNamingConvention",
    level: "Info",
    text: 'Port name "{0}" (port {1}, targetPort {2}) has no protocol',
    reason: "The protocol is detected at each connection, or the port is TCP.",
    remedy: "Name it <protocol>-<suffix>, for example http-web, or give appProtocol.",
  },
  MSH0123: {
    name: "NamespaceMultipleInjectionLabels",
    level: "Warning",
    text: "The namespace has several labels of injection: {0}",
    reason: "Which of them decides depends on the webhooks.",
    remedy: "Keep one of them.",
  },
  MSH0125: {
    name: "InvalidAnnotation",
    level: "Warning",
    text: "Annotation {0} is invalid: {1}",
    reason: "It has no effect, or the pod is not injected.",
    remedy: "Correct the value.",
  },
  MSH0126: {
    name: "UnknownMeshNetworksServiceRegistry",
    level: "Error",
    text: "Registry {0} in network {1} is unknown",
    reason: "Endpoints of the cluster do not belong to the network.",
    remedy: "Use the name of a cluster of the mesh: Kubernetes, or that of a remote secret.",
  },
  MSH0135: {
    name: "DeprecatedAnnotation",
    level: "Info",
    text: 'Annotation "{0}" is deprecated{1}',
    reason: "It may stop to work.",
    remedy: "Use what replaces it.",
  },
  MSH0136: {
    name: "AlphaAnnotation",
    level: "Info",
    text: 'Annotation "{0}" belongs to an alpha feature',
    reason: "It may change or disappear.",
    remedy: "Do not depend on it in production.",
  },
  MSH0137: {
    name: "DeploymentConflictingPorts",
    level: "Warning",
    text:
      'Deployment {0} is behind Services {1} that share the target port "{2}" and use the ports {3}',
    reason: "The proxy can treat the target port in one way only.",
    remedy: "Use one port for the target port.",
  },
  MSH0139: {
    name: "InvalidWebhook",
    level: "Error",
    text: "{0}",
    reason: "Pods are injected twice, or not at all.",
    remedy: "Correct the selectors or the Service of the webhook.",
  },
  MSH0144: {
    name: "InvalidApplicationUID",
    level: "Warning",
    text: "User 1337 is that of the proxy",
    reason: "Connections of the application are not redirected to the proxy.",
    remedy: "Run the application as another user.",
  },
  MSH0146: {
    name: "ImageAutoWithoutInjectionWarning",
    level: "Warning",
    text: "{0} {1} has image: auto, and no injection webhook selects its pods",
    reason: "The pods do not start: there is no image auto.",
    remedy: "Label the namespace or the template for injection.",
  },
  MSH0147: {
    name: "ImageAutoWithoutInjectionError",
    level: "Error",
    text: "{0} {1} has image: auto, and no injection webhook selects it",
    reason: "The pod does not start: there is no image auto.",
    remedy: "Label the namespace or the pod for injection, and create it again.",
  },
  MSH0148: {
    name: "NamespaceInjectionEnabledByDefault",
    level: "Info",
    text: "The namespace is injected, because enableNamespacesByDefault is set",
    reason: "Its pods get a proxy without a label.",
    remedy: "Label it mesh-injection=disabled if that is not intended.",
  },
  MSH0149: {
    name: "JwtClaimBasedRoutingWithoutRequestAuthN",
    level: "Error",
    text: "Routing by claim {0} at gateway {1} needs a RequestAuthentication for pod {2}",
    reason: "Claims of tokens that were not verified are not used: the route never matches.",
    remedy: "Create a RequestAuthentication that selects the gateway.",
  },
  MSH0150: {
    name: "ExternalNameServiceTypeInvalidPortName",
    level: "Warning",
    text: "The port name of the ExternalName Service is not that of a protocol with host names",
    reason: "TCP connections may not be forwarded.",
    remedy: "Name it <protocol>-<suffix>, for example https-web.",
  },
  MSH0158: {
    name: "PodsMeshProxyImageMismatchInNamespace",
    level: "Warning",
    text: "Proxies of pods {0} have another image than the injector uses",
    reason: "They lack the fixes and settings of the new version.",
    remedy: "Restart the workloads.",
  },
  MSH0161: {
    name: "InvalidGatewayCredential",
    level: "Error",
    text: "The credential of Gateway {0} in {1} has no valid certificate with key",
    reason: "TLS connections to the server are closed.",
    remedy: "Write tls.crt and tls.key in PEM form to the Secret.",
  },
  MSH0162: {
    name: "GatewayPortNotDefinedOnService",
    level: "Warning",
    text: "The Service of the pods with labels {1} has no port {0}",
    reason: "Connections from outside do not reach the server.",
    remedy: "Add the port to the Service, or use one of its ports.",
  },
  MSH0163: {
    name: "InvalidExternalControlPlaneConfig",
    level: "Warning",
    text: 'Address "{0}" of webhook {1} {2}',
    reason: "The API server cannot call the webhook: pods are not injected, objects not validated.",
    remedy:
      "Write clientConfig.url with the host name of the control plane, or clientConfig.service.",
  },
  MSH0164: {
    name: "ExternalControlPlaneAddressIsNotAHostname",
    level: "Info",
    text: "Address {0} of webhook {1} is an IP address",
    reason: "Certificates are hard to issue for it, and it may change.",
    remedy: "Use a host name.",
  },
  MSH0166: {
    name: "IneffectiveSelector",
    level: "Warning",
    text: "The selector has no effect on Gateway {0} of the Gateway API",
    reason: "The policy is not used for requests of the gateway.",
    remedy: "Use targetRefs.",
  },
  MSH0167: {
    name: "IneffectivePolicy",
    level: "Warning",
    text: "The policy has no effect: {0}",
    reason: "Traffic is as if it did not exist.",
    remedy: "Remove it.",
  },
  MSH0170: {
    name: "MultiClusterInconsistentService",
    level: "Warning",
    text: 'Service {0} in namespace "{1}" differs between the clusters {2}: {3}',
    reason:
      "Its endpoints of all clusters are one service, which has one type and one list of ports.",
    remedy: "Give the Service the same type, ports and clusterIP kind in all clusters.",
  },
  MSH0171: {
    name: "NegativeConditionStatus",
    level: "Warning",
    text: "Negative condition {0}, reason {1}: {2}",
    reason: "A controller could not use the object as it is written.",
    remedy: "Follow the message of the condition.",
  },
  MSH0175: {
    name: "JwksUriFetchUnrestricted",
    level: "Warning",
    text:
      "The daemon may fetch key sets from any address (BLOCKED_CIDRS_IN_JWKS_URIS is not set), and there are {0} RequestAuthentications: {1}",
    reason:
      "Who may write a RequestAuthentication can make the daemon send requests into its own network.",
    remedy: "Set BLOCKED_CIDRS_IN_JWKS_URIS to the ranges of the cluster.",
  },
};
