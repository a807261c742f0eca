/**
 * Outbound clusters of services.
 *
 * @module
 */
import { isReferred } from "../authentication/mod.ts";
import {
  type Cluster,
  Cluster_DiscoveryType as DiscoveryType,
  Cluster_EdsClusterConfigSchema,
  Cluster_LbPolicy as LbPolicy,
  ClusterSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { Metadata } from "#envoy/config/core/v3/base_pb.ts";
import { type Decision, formatDuration } from "../../../kit/base/mod.ts";
import type { Resolution, Role, ServicePort } from "../../model/mod.ts";
import { create, type JsonObject } from "../../../kit/proto/mod.ts";
import {
  applyConnectionPool,
  applyDns,
  applyHttpOptions,
  applyLoadBalancer,
  applyMutualTls,
  applyOutlierDetection,
  applyProxyProtocol,
  applyTls,
  applyTunnels,
  type ClusterDecisions,
  dnsAssignment,
  isOriginalDestination,
  isPassthrough,
  keepSessions,
  namesOfRequests,
  type OutboundClusterInput,
  requestNames,
  resolveRequestedNames,
  UNLIMITED,
  upstreamHttp,
} from "../cluster_options/mod.ts";
import { adsSource, clusterName, configObject, meshMetadata, sessionRule } from "../core/mod.ts";
import { canonicalOf } from "../endpoints/mod.ts";
import { serviceMetadata } from "./service_metadata.ts";
import { statisticsName } from "./stat_name.ts";

/**
 * Builds the cluster of a service's port or subset.
 *
 * @returns `undefined` if there can never be an endpoint: a DNS subset that selects no endpoint, or
 * a UDP port
 */
export function buildOutboundCluster(input: OutboundClusterInput): Cluster | undefined {
  const { service, port, policy, mesh } = input;
  if (port.protocol === "UDP") return undefined;
  const cluster = namedCluster(input);
  const { name } = cluster;
  if (isDns(cluster) && !isPassthrough(policy?.loadBalancer)) {
    const single = service.resolution === "DNS_ROUND_ROBIN";
    cluster.loadAssignment = dnsAssignment(name, input, single);
    if (cluster.loadAssignment === undefined) return undefined;
    applyDns(cluster, mesh);
  }
  applyConnectionPool(cluster, mesh, {
    pool: policy?.connectionPool,
    retryBudget: policy?.retryBudget,
    decisions: input.decisions,
  });
  applyUpstream(cluster, input);
  if (sessionRule(service.labels, mesh.sessions) !== undefined) keepSessions(cluster);
  if (service.resolution === "NONE" && mesh.targetPortOfNone) toTargetPort(cluster, port);
  if (isEds(cluster)) {
    // The name of the endpoint assignment is the cluster's name, which is Envoy's default.
    cluster.edsClusterConfig = create(Cluster_EdsClusterConfigSchema, { edsConfig: adsSource() });
  }
  if (input.decisions !== undefined) recordGroups(input.decisions, cluster, input);
  return cluster;
}

/** Builds a cluster with its name, type and metadata. */
function namedCluster(input: OutboundClusterInput): Cluster {
  const { service, port, mesh, role = "sidecar" } = input;
  const subset = input.subset?.name ?? "";
  const name = clusterName("outbound", port.number, subset, service.host);
  return create(ClusterSchema, {
    name,
    altStatName: statisticsName(mesh.statNames?.outbound ?? "", name, { service, port, subset }),
    clusterDiscoveryType: typeOf(
      service.headless === true && mesh.headlessEds === true ? "STATIC" : service.resolution,
      role,
    ),
    metadata: metadataOf(input),
  });
}

/** Applies the settings of connections and requests to endpoints: HTTP, TLS, load balancing. */
function applyUpstream(cluster: Cluster, input: OutboundClusterInput): void {
  const { service, port, policy, mesh, role = "sidecar" } = input;
  const pool = policy?.connectionPool;
  const http = upstreamHttp(port, pool, mesh.h2Upgrade, role === "sidecar");
  const { subjectAltNames } = service;
  const dynamic = service.resolution === "DYNAMIC_DNS";
  const names = dynamic
    ? requestNames(policy?.tls, subjectAltNames)
    : mesh.autoSni
    ? namesOfRequests(policy?.tls, subjectAltNames)
    : undefined;
  applyHttpOptions(cluster, http, pool, {
    names,
    outside: service.meshExternal,
    errorCodes: policy?.outlierDetection?.outlierDetectionHttpErrorCodes,
    hashPolicy: input.hashPolicy,
  });
  applyTls(cluster, policy?.tls, {
    http,
    serviceNames: subjectAltNames,
    credentials: role === "router" || input.selected === true ||
      (input.authorities === true && isReferred(policy?.tls?.credentialName ?? "")),
    certificate: input.clientCertificate,
    defaults: mesh.tls,
  });
  applyMutualTls(cluster, input, http);
  if (isEds(cluster)) applyTunnels(cluster, input);
  applyProxyProtocol(cluster, policy?.proxyProtocol);
  applyOutlierDetection(cluster, policy?.outlierDetection, mesh);
  if (dynamic && !isPassthrough(policy?.loadBalancer)) resolveRequestedNames(cluster, mesh, names!);
  else applyLoadBalancer(cluster, policy, mesh, service.distribution);
}

/** Records the result of each group of the policy. */
function recordGroups(
  { log, policy: groups }: ClusterDecisions,
  cluster: Cluster,
  { mesh, policy }: OutboundClusterInput,
): void {
  const [limits] = cluster.circuitBreakers?.thresholds ?? [];
  const limited = limits !== undefined &&
    [limits.maxConnections, limits.maxPendingRequests, limits.maxRequests, limits.maxRetries]
      .some((limit) => limit !== UNLIMITED);
  const values: Record<string, Decision["value"]> = {
    loadBalancer: cluster.loadBalancingPolicy === undefined
      ? LbPolicy[cluster.lbPolicy]
      : "BACKEND_UTILIZATION",
    connectionPool: limited ? "limits" : "no limits",
    outlierDetection: cluster.outlierDetection === undefined ? "off" : "on",
    tls: cluster.transportSocket === undefined ? "off" : "on",
  };
  for (const decision of groups.values()) {
    log.decide?.({ ...decision, value: decision.value ?? values[decision.group] });
  }
  if (mesh.h2Upgrade && policy?.connectionPool?.http?.h2UpgradePolicy === undefined) {
    log.decide?.({ group: "http2", source: "mesh", field: "h2UpgradePolicy", value: true });
  }
  if (isDns(cluster)) {
    const builtIn = mesh.builtIn?.dnsRefreshRate === true;
    log.decide?.({
      group: "dnsRefreshRate",
      ...(builtIn ? { source: "built-in" } : { source: "mesh", field: "dnsRefreshRate" }),
      value: formatDuration(mesh.dnsRefreshRateMs),
    });
  }
}

function typeOf(resolution: Resolution, role: Role): Cluster["clusterDiscoveryType"] {
  const value = discoveryType(resolution, role);
  return value === undefined ? { case: undefined } : { case: "type", value };
}

/** Returns `undefined` for a type that is not one of Envoy's built-in types. */
function discoveryType(resolution: Resolution, role: Role): DiscoveryType | undefined {
  switch (resolution) {
    case "STATIC":
      return DiscoveryType.EDS;
    case "DNS":
      return DiscoveryType.STRICT_DNS;
    case "DNS_ROUND_ROBIN":
      return DiscoveryType.LOGICAL_DNS;
    case "NONE":
      return role === "router" ? DiscoveryType.EDS : DiscoveryType.ORIGINAL_DST;
    case "DYNAMIC_DNS":
      return undefined;
  }
}

function isDns(cluster: Cluster): boolean {
  const type = cluster.clusterDiscoveryType.value;
  return type === DiscoveryType.STRICT_DNS || type === DiscoveryType.LOGICAL_DNS;
}

/** Connections to original destinations use the workload's port, if it differs. */
function toTargetPort(cluster: Cluster, { number, targetPort }: ServicePort): void {
  if (targetPort === number || !isOriginalDestination(cluster)) return;
  cluster.lbConfig = create(ClusterSchema, {
    lbConfig: { case: "originalDstLbConfig", value: { upstreamPortOverride: targetPort } },
  }).lbConfig;
}

function isEds(cluster: Cluster): boolean {
  return cluster.clusterDiscoveryType.value === DiscoveryType.EDS;
}

/** Metadata: the service, and the rule that configured the cluster. */
function metadataOf(input: OutboundClusterInput): Metadata | undefined {
  const { service, subset, mesh } = input;
  const fields: JsonObject = {};
  // This is not a list as in inbound clusters, because metric formats cannot read lists. The port
  // is omitted, because it is in the cluster's name.
  if (mesh.telemetryLabel) fields.service = serviceMetadata(service);
  if (service.meshExternal) {
    fields.external = true;
    if (mesh.canonicalOutside) {
      const { name, revision } = canonicalOf(service);
      fields.canonical_service = name;
      fields.canonical_revision = revision;
    }
  }
  if (input.rule !== undefined) Object.assign(fields, configObject("DestinationRule", input.rule));
  if (subset !== undefined) fields.subset = subset.name;
  return Object.keys(fields).length === 0 ? undefined : meshMetadata(fields);
}
