/**
 * The switches that steer generation, as plain data: translation reads no environment.
 *
 * @module
 */
import type { KnownProtocol, SessionLabels } from "../../envoy/mod.ts";
import type { Protocol } from "../../model/mod.ts";

/** What the environment switches. */
export interface Features {
  /** Gateways take HTTP/3 where their service has a UDP port beside the one with TLS. */
  readonly quicListeners: boolean;
  /** The TLS that a Sidecar's ingress listeners name is ended. */
  readonly tlsOnIngress: boolean;
  /** Ports of services are served beside the ingress listeners of a Sidecar. */
  readonly ingressBesideServices: boolean;
  /** Proxies forget metrics that nothing counts for a while. */
  readonly forgetMetrics: boolean;
  /** Where HTTP is found on ports that declare nothing, mutual TLS says so. */
  readonly tellsFound: boolean;
  /** Accept HTTP/1.0 in outbound listeners. */
  readonly http10: boolean;
  /** A gateway takes only Gateways of its own namespace. */
  readonly scopeGatewayToNamespace: boolean;
  /** Telemetry metadata of clusters and endpoints; the switch of endpoints alone is the next one. */
  readonly telemetryLabel: boolean;
  /** Requests that are traced where nobody says how many, percent. */
  readonly traceSampling: number;
  /** Proxies tell each other of their workloads. */
  readonly peersTell: boolean;
  /** Telemetry labels of endpoints. */
  readonly endpointTelemetryLabel: boolean;
  /** Keep 503 out of the default retry policy for requests that are unsafe to repeat. */
  readonly excludeUnsafe503: boolean;
  /** Selectors of namespaces bound what configuration is read of them. */
  readonly enhancedScoping: boolean;
  /** Add a retry policy to inbound routes. */
  readonly inboundRetry: boolean;
  /** Jitter of periodic DNS resolution, ms. */
  readonly dnsJitterMs: number;
  /** Endpoints that are not ready are sent too, marked unhealthy. */
  readonly sendUnhealthyEndpoints: boolean;
  /** Sidecars trust the remote address of outbound connections. */
  readonly sidecarUseRemoteAddress: boolean;
  /** Use the host of each request as TLS server name towards a service whose rule gives none. */
  readonly autoSni: boolean;
  /** Pass `100-continue` on instead of answering it. */
  readonly proxy100Continue: boolean;
  /** Policies that select by labels apply to gateways of the orchestrator's Gateway API too. */
  readonly selectorsForApiGateways: boolean;
  /** Callers must be of the mesh's trust domain, or of one of its aliases. */
  readonly checkTrustDomain: boolean;
  /**
   * Who fetches the keys of tokens: this program, the proxies, or the proxies where
   * the keys are at a service of the mesh and this program elsewhere.
   */
  readonly remoteKeys: "daemon" | "proxy" | "hybrid";
  /** `targetPort` counts for services without resolution. */
  readonly targetPortOfNone: boolean;
  /** Clients of headless services choose among their endpoints instead of going where they meant to. */
  readonly headlessEds?: boolean;
  /** Label of endpoints that are sent as draining; empty: none. */
  readonly drainingLabel: string;
  /** Sessions stay with one endpoint for services with one of these labels; `undefined`: for none. */
  readonly sessions?: SessionLabels;
  /** Rules for one host are merged only where they are exported to the same namespaces. */
  readonly mergeEqualExports: boolean;
  /** Localities share traffic by their weight in every cluster. */
  readonly weighLocalities: boolean;
  /** Addresses of the mesh networks are internal ones to HTTP listeners. */
  readonly internalNetworks: boolean;
  /** Proxies with addresses of both families serve both; default: IPv4 alone. */
  readonly dualStack?: boolean;
  /** Where workloads have IPv6 addresses alone, what they send to IPv4 addresses is caught too. */
  readonly ipv4Outbound: boolean;
  /** Look into what the document database's clients say, for statistics. */
  readonly documentFilter: boolean;
  /** Speak the key-value store's protocol towards clients, request by request. */
  readonly keyValueFilter: boolean;
  /** Proxies that can are sent virtual hosts as resources of their own. */
  readonly vhds: boolean;
  /** Hosts without addresses are given some, for every proxy; otherwise for those that ask. */
  readonly giveAddresses: boolean;
  /** Gateways have the clusters alone that their routes use. */
  readonly filterGatewayClusters: boolean;
  /** Of endpoints outside the mesh, what a rule says of TLS goes before what they say themselves. */
  readonly preferRuleTls: boolean;
  /** What is outside the mesh has a canonical service, named in metadata. */
  readonly canonicalOutside: boolean;
  /** The authorities of the mesh configuration are served to agents. */
  readonly multiRoot: boolean;
}

/** Whether and how a port's protocol is looked into. */
export function knownProtocol(
  { documentFilter, keyValueFilter }: Features,
  protocol: Protocol,
): KnownProtocol | undefined {
  if (protocol === "Mongo" && documentFilter) return "document";
  return protocol === "Redis" && keyValueFilter ? "key-value" : undefined;
}
