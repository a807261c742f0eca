/**
 * Outbound clusters. Their content is one cell for each service and the rules that apply to it, shared
 * by all namespaces that see the same.
 *
 * @module
 */
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { flatMapInParts } from "../../../kit/base/mod.ts";
import { policiesOf, type Policy } from "../../derive/mod.ts";
import {
  applySettings,
  buildOutboundCluster,
  clusterName,
  hashPolicyFor,
} from "../../envoy/mod.ts";
import { isOfBackendTls } from "../../gateway_api/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import { type ServiceKey, serviceKeys, type ServicePort } from "../../model/mod.ts";
import {
  type ClusterVariant,
  followRulesAt,
  followServiceRules,
  localityOf,
  mergedPolicy,
  reachOf,
  type ServiceRules,
  topologyOf,
} from "../context/mod.ts";
import type { Context } from "./features.ts";
import {
  type ByLocality,
  differences,
  encodeResource,
  overlayOf,
  type ResourcesOf,
  resourceTable,
} from "../resources/mod.ts";
import { mutualInput, takesMutual } from "../security/mod.ts";
import { clusterDefaults } from "./defaults.ts";
import {
  type ClusterContent,
  clusterContents,
  type ClusterKey,
  clusterKeys,
  localClusterKeys,
} from "./keys.ts";

/** Creates the tables of outbound clusters. */
export function deriveOutboundClusters(context: Context): ByLocality<ClusterKey> {
  const { graph } = context.mesh;
  const mutualPorts = deriveMutualPorts(context);
  const content = resourceTable(
    graph,
    "cds.content",
    clusterContents,
    (read, key) => clustersOf(read, context, mutualPorts, key),
  );
  const contentOf = (
    read: Read,
    variant: ClusterVariant,
    chosen: ServiceRules,
    locality: string,
  ): readonly Resource[] => {
    const shared = sharedVariant(read, context, variant, chosen);
    return read.follow(content, { variant: shared, content: { ...chosen, locality } });
  };
  const seen: ResourcesOf<ClusterKey> = (read, { variant, namespace, host }) => {
    const chosen = followServiceRules(read, context, { namespace }, host);
    return chosen === undefined ? [] : contentOf(read, variant, chosen, "");
  };
  const base = resourceTable(graph, "cds", clusterKeys, seen);
  const local = resourceTable(graph, "cds.placed", localClusterKeys, (read, key) => {
    const { locality, ...shared } = key;
    const chosen = followRulesAt(read, context, key);
    if (chosen === undefined) return [];
    return differences(contentOf(read, key.variant, chosen, locality), read.get(base, shared));
  });
  return { base, overlay: overlayOf(context, "cds.overlay", base, seen), local };
}

/**
 * Gateways share the clusters of sidecars, with three exceptions: services without resolution, because
 * gateways see no original destination; services with a port without a declared protocol, to which
 * gateways speak HTTP/1.1 and sidecars what their clients speak; and rules with credentials, which
 * sidecars do not get.
 */
function sharedVariant(
  read: Read,
  { mesh }: Context,
  variant: ClusterVariant,
  { service, rules }: ServiceRules,
): ClusterVariant {
  if (variant.role !== "router") return variant;
  const { resolution, ports = [] } = read.get(mesh.services.service, service) ?? {};
  if (resolution === "NONE") return variant;
  if (ports.some(({ protocol }) => protocol === "Unsupported")) return variant;
  return namesCredentials(read.get(mesh.policies.policy, rules))
    ? variant
    : { ...variant, role: "sidecar" };
}

function namesCredentials(policy: Policy): boolean {
  return policiesOf(policy).some(({ tls }) => tls !== undefined && tls.credentialName !== "");
}

/**
 * Creates the table: a service → the names of its ports whose instances are known and all accept mutual
 * TLS. Clusters of original destinations depend on it, and not on every change of an endpoint.
 */
function deriveMutualPorts(context: Context): Derived<readonly string[], ServiceKey> {
  const { services, graph } = context.mesh;
  return graph.derive("cds.mutualPorts", serviceKeys, (read, key): readonly string[] => {
    const takes = takesMutual(read, context);
    const endpoints = read.get(services.endpoints, key);
    return (read.get(services.service, key)?.ports ?? []).map(({ name }) => name).filter((name) => {
      const instances = endpoints.filter(({ ports }) => ports[name] !== undefined);
      return instances.length > 0 && instances.every((one) => takes(one, one.ports[name]!));
    });
  });
}

/** Reports if a BackendTLSPolicy is among what a policy comes from: its authorities are no secret. */
function isOfPolicy(read: Read, { mesh }: Context, { rules }: Policy): boolean {
  return rules.some((key) => {
    const row = read.get(mesh.tables.destinationRules, key);
    return row !== undefined && isOfBackendTls(row.meta);
  });
}

/** The clusters of a service: one for each port, and for each subset there. */
function clustersOf(
  read: Read,
  context: Context,
  mutualPorts: Derived<readonly string[], ServiceKey>,
  { variant, content }: ClusterContent,
): readonly Resource[] {
  const { mesh } = context;
  const service = read.follow(mesh.services.service, content.service);
  if (service === undefined || service.alias !== undefined) return [];
  const rules = read.follow(mesh.policies.policy, content.rules);
  const { role, family, secrets, lacksUtilization } = variant;
  const proxyLocality = localityOf(content.locality);
  const selected = proxyLocality?.rules.includes(rules.rules[0] ?? "") ?? false;
  const ofPolicy = isOfPolicy(read, context, rules);
  const shared = {
    service,
    clientCertificate: ofPolicy ? proxyLocality?.certificate : undefined,
    authorities: ofPolicy,
    endpoints: service.resolution === "DNS" || service.resolution === "DNS_ROUND_ROBIN"
      ? read.follow(mesh.services.endpoints, content.service)
      : [],
    mesh: { ...clusterDefaults(read, context, family), lacksUtilization },
    rule: rules.rules[0],
    role,
    selected,
    mutual: secrets && mutualInput(read, context, secrets, service),
    takesMutual: takesMutual(read, context),
    instancesTakeMutual: ({ name }: ServicePort) =>
      read.follow(mutualPorts, content.service).includes(name),
    topologyOf: topologyOf(read, context, rules.subsets),
    proxyLocality,
    reach: proxyLocality && reachOf(read, context),
  };
  const defaults = mesh.field(read, "defaultTrafficPolicy");
  const settings = context.settings(read, "clusters");
  const wanted = service.ports.filter(({ protocol }) => protocol !== "UDP")
    .flatMap((port) => [undefined, ...rules.subsets].map((subset) => ({ port, subset })));
  return flatMapInParts(read, wanted, ({ port, subset }) => {
    const name = clusterName("outbound", port.number, subset?.name ?? "", service.host);
    const { policy, decisions } = mergedPolicy(read, {
      rules,
      subset,
      port: port.number,
      defaults,
    });
    const cluster = buildOutboundCluster({
      ...shared,
      port,
      subset: subset === undefined ? undefined : { name: subset.name, labels: subset.labels },
      policy,
      // Routes are shared with proxies that the rule does not select.
      hashPolicy: selected ? hashPolicyFor(policy?.loadBalancer) : undefined,
      decisions: read.decide && { log: read.within(name), policy: decisions },
    });
    if (cluster === undefined) return [];
    applySettings(cluster, settings);
    return [encodeResource(cluster.name, ClusterSchema, cluster)];
  });
}
