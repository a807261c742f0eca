/**
 * Outbound clusters and their endpoints: one cell per service and the rules that
 * won, shared by every namespace that sees the same.
 *
 * @module
 */
import { splitServiceKey } from "../derive/mod.ts";
import type { Derived, Read, Resource } from "../graph/mod.ts";
import type { Endpoint, Service, ServicePort } from "../model/mod.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { Subset } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { buildOutboundCluster, clusterName, mergeTrafficPolicy } from "./cluster/mod.ts";
import { encodeAssignment } from "./endpoint/mod.ts";
import { type Context, type Family, pick, splitKey } from "./context.ts";
import { clusterDefaults } from "./defaults.ts";
import { differences, encodeResource, resourceOf, sameResources } from "./resource.ts";

/** Tables whose values are lists of resources. */
export interface Layered {
  /** What a namespace sees (`""`: everybody). */
  readonly base: Derived<readonly Resource[]>;
  /** What a namespace sees otherwise than everybody. */
  readonly overlay: Derived<readonly Resource[]>;
}

/**
 * Creates the tables of outbound clusters: `kind|NS|host`, the kind being an
 * address family, or `family.router` for gateways.
 */
export function deriveOutboundClusters(context: Context): Layered {
  const { mesh } = context;
  const { graph } = mesh;
  const content = graph.derive<readonly Resource[]>("cds.content", (read, key) => {
    const [kind = "", service = "", rules = ""] = splitKey(key, 3);
    return clustersOf(read, context, kind, service, rules);
  }, { equal: sameResources });
  const base = graph.derive<readonly Resource[]>("cds", (read, key) => {
    const [kind = "", namespace = "", host = ""] = splitKey(key, 3);
    const chosen = pick(read, context, namespace, host);
    if (chosen === undefined) return [];
    const shared = sharedKind(kind, read.get(mesh.services.service, chosen.service));
    return read.get(content, `${shared}|${chosen.service}|${chosen.rules}`);
  }, { equal: sameResources });
  return { base, overlay: overlayOf(context, "cds.overlay", base, 3, 1) };
}

/** Creates the tables of endpoint assignments: `NS|host`. */
export function deriveAssignments(context: Context): Layered {
  const { graph } = context.mesh;
  const content = graph.derive<readonly Resource[]>("eds.content", (read, key) => {
    const [service = "", rules = ""] = splitKey(key, 2);
    return assignmentsOf(read, context, service, rules);
  }, { equal: sameResources });
  const base = graph.derive<readonly Resource[]>("eds", (read, key) => {
    const [namespace = "", host = ""] = splitKey(key, 2);
    const chosen = pick(read, context, namespace, host);
    return chosen === undefined ? [] : read.get(content, `${chosen.service}|${chosen.rules}`);
  }, { equal: sameResources });
  return { base, overlay: overlayOf(context, "eds.overlay", base, 2, 0) };
}

/**
 * The overlay of a table: what a namespace sees otherwise than everybody. A
 * member that nobody else sees is whole in it. What it hides of one member, another
 * may give: of a name, a resource goes before a tombstone.
 *
 * @param parts how many parts the table's keys have
 * @param at which of them is the namespace
 */
export function overlayOf(
  { mesh }: Context,
  name: string,
  base: Derived<readonly Resource[]>,
  parts: number,
  at: number,
): Derived<readonly Resource[]> {
  return mesh.graph.derive<readonly Resource[]>(name, (read, key) => {
    const split = splitKey(key, parts);
    split[at] = "";
    return differences(read.get(base, key), read.get(base, split.join("|")));
  }, { equal: sameResources });
}

/** Gateways share the clusters of sidecars, but for services without resolution: they see no original destination. */
function sharedKind(kind: string, service: Service | undefined): string {
  return service?.resolution === "NONE" ? kind : kind.replace(".router", "");
}

function clustersOf(
  read: Read,
  context: Context,
  kind: string,
  serviceKey: string,
  rules: string,
): Resource[] {
  const service = read.get(context.mesh.services.service, serviceKey);
  if (service === undefined) return [];
  const policy = read.get(context.mesh.policies.policy, rules);
  const role = kind.endsWith(".router") ? "router" : "sidecar";
  const defaults = clusterDefaults(read, context, kind.replace(".router", "") as Family);
  const endpoints = service.resolution === "STATIC"
    ? []
    : read.get(context.mesh.services.endpoints, serviceKey);
  const fallback = context.mesh.field(read, "defaultTrafficPolicy");
  const resources: Resource[] = [];
  for (const port of service.ports) {
    if (port.protocol === "UDP") continue;
    for (const subset of [undefined, ...policy.subsets]) {
      const cluster = buildOutboundCluster({
        service,
        port,
        subset: subset === undefined ? undefined : { name: subset.name, labels: subset.labels },
        policy: mergeTrafficPolicy(
          policy.trafficPolicy,
          subset?.trafficPolicy,
          port.number,
          fallback,
        ),
        endpoints,
        mesh: defaults,
        rule: policy.rules[0],
        role,
      });
      if (cluster !== undefined) {
        resources.push(encodeResource(cluster.name, ClusterSchema, cluster));
      }
    }
  }
  return resources;
}

function assignmentsOf(
  read: Read,
  context: Context,
  serviceKey: string,
  rules: string,
): Resource[] {
  const service = read.get(context.mesh.services.service, serviceKey);
  // Of services without resolution only gateways ask for endpoints.
  const { resolution } = service ?? {};
  if (service === undefined || (resolution !== "STATIC" && resolution !== "NONE")) return [];
  const endpoints = read.get(context.mesh.services.endpoints, serviceKey);
  const { subsets } = read.get(context.mesh.policies.policy, rules);
  return service.ports
    .filter((port) => port.protocol !== "UDP")
    .flatMap((port) =>
      [undefined, ...subsets].map((subset) => assignment(context, service, port, endpoints, subset))
    );
}

function assignment(
  { features, clusterId }: Context,
  service: Service,
  port: ServicePort,
  endpoints: readonly Endpoint[],
  subset: Subset | undefined,
): Resource {
  const [, host] = splitServiceKey(service.key);
  const name = clusterName("outbound", port.number, subset?.name ?? "", host);
  return resourceOf(
    name,
    encodeAssignment({
      clusterName: name,
      endpoints,
      portName: port.name,
      subsetLabels: subset?.labels,
      telemetryLabel: features.endpointTelemetryLabel,
      clusterId,
      sendUnhealthy: features.sendUnhealthyEndpoints,
    }),
  );
}
