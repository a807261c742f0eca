/**
 * Outbound clusters and their endpoints: one cell per service and the rules that
 * won, shared by every namespace that sees the same.
 *
 * @module
 */
import {
  deriveTelling,
  lookUp,
  type Policy,
  splitServiceKey,
  type Tell,
  type Told,
  within,
} from "../derive/mod.ts";
import type { Derived, Read, Resource } from "../graph/mod.ts";
import type { Endpoint, Service, ServicePort } from "../model/mod.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { Subset } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  buildOutboundCluster,
  type ClusterListener,
  clusterName,
  mergeTrafficPolicy,
  notingListener,
  type PolicyListener,
} from "./cluster/mod.ts";
import { type AssignmentInput, encodeAssignment, planAssignment } from "./endpoint/mod.ts";
import { type Context, pick, splitKey } from "./context.ts";
import { mutualInput, parseKind, type TakesMutual, takesMutual } from "./mutual.ts";
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
  const content = deriveTelling<readonly Resource[]>(graph, "cds.content", (read, key, tell) => {
    const [kind = "", service = "", rules = ""] = splitKey(key, 3);
    return clustersOf(read, context, kind, service, rules, tell);
  }, { equal: sameResources });
  const base = deriveTelling<readonly Resource[]>(graph, "cds", (read, key, tell) => {
    const [kind = "", namespace = "", host = ""] = splitKey(key, 3);
    const chosen = pick(read, context, namespace, host, tell);
    if (chosen === undefined) return [];
    const shared = sharedKind(kind, read.get(mesh.services.service, chosen.service));
    return lookUp(read, content, `${shared}|${chosen.service}|${chosen.rules}`, tell);
  }, { equal: sameResources });
  return { base, overlay: overlayOf(context, "cds.overlay", base, 3, 1) };
}

/** Creates the tables of endpoint assignments: `NS|host`. */
export function deriveAssignments(context: Context): Layered {
  const { graph } = context.mesh;
  const content = deriveTelling<readonly Resource[]>(graph, "eds.content", (read, key, tell) => {
    const [service = "", rules = ""] = splitKey(key, 2);
    return assignmentsOf(read, context, service, rules, tell);
  }, { equal: sameResources });
  const base = deriveTelling<readonly Resource[]>(graph, "eds", (read, key, tell) => {
    const [namespace = "", host = ""] = splitKey(key, 2);
    const chosen = pick(read, context, namespace, host, tell);
    return chosen === undefined
      ? []
      : lookUp(read, content, `${chosen.service}|${chosen.rules}`, tell);
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
  return deriveTelling<readonly Resource[]>(mesh.graph, name, (read, key, tell) => {
    const split = splitKey(key, parts);
    split[at] = "";
    return differences(lookUp(read, base, key, tell), read.get(base, split.join("|")));
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
  tell: Tell | undefined,
): Resource[] {
  const service = lookUp(read, context.mesh.services.service, serviceKey, tell);
  if (service === undefined) return [];
  const policy = lookUp(read, context.mesh.policies.policy, rules, tell);
  const { role, family, names } = parseKind(kind);
  const defaults = clusterDefaults(read, context, family);
  const endpoints = service.resolution === "STATIC"
    ? []
    : lookUp(read, context.mesh.services.endpoints, serviceKey, tell);
  const fallback = context.mesh.field(read, "defaultTrafficPolicy");
  const mutual = names && mutualInput(read, context, names, service);
  const takes = takesMutual(read, context);
  const resources: Resource[] = [];
  for (const port of service.ports) {
    if (port.protocol === "UDP") continue;
    for (const subset of [undefined, ...policy.subsets]) {
      const name = clusterName("outbound", port.number, subset?.name ?? "", service.host);
      const listening = tell && listenerOf(within(tell, name)!, policy, subset);
      const cluster = buildOutboundCluster({
        service,
        port,
        subset: subset === undefined ? undefined : { name: subset.name, labels: subset.labels },
        policy: mergeTrafficPolicy(
          policy.trafficPolicy,
          subset?.trafficPolicy,
          port.number,
          fallback,
          listening?.policy,
        ),
        endpoints,
        mesh: defaults,
        rule: policy.rules[0],
        role,
        mutual,
        takesMutual: takes,
        listener: listening?.cluster,
      });
      if (cluster !== undefined) {
        resources.push(encodeResource(cluster.name, ClusterSchema, cluster));
      }
    }
  }
  return resources;
}

/** Has the policy's groups noted, and told by the cluster that is made of them. */
function listenerOf(
  tell: Tell,
  policy: Policy,
  subset: Subset | undefined,
): { policy: PolicyListener; cluster: ClusterListener } {
  const groups = new Map<string, Told>();
  return { policy: notingListener(groups, policy, subset), cluster: { tell, groups } };
}

function assignmentsOf(
  read: Read,
  context: Context,
  serviceKey: string,
  rules: string,
  tell: Tell | undefined,
): Resource[] {
  const service = lookUp(read, context.mesh.services.service, serviceKey, tell);
  // Of services without resolution only gateways ask for endpoints.
  const { resolution } = service ?? {};
  if (service === undefined || (resolution !== "STATIC" && resolution !== "NONE")) return [];
  const sources: Omit<Told, "of">[] = [];
  const endpoints = lookUp(
    read,
    context.mesh.services.endpoints,
    serviceKey,
    tell && ((told) => sources.push(told)),
  );
  const policy = lookUp(read, context.mesh.policies.policy, rules, tell);
  const listener = tell && { tell, sources };
  const mutual = takesMutual(read, context);
  return service.ports
    .filter((port) => port.protocol !== "UDP")
    .flatMap((port) =>
      [undefined, ...policy.subsets].map((subset) => {
        const resource = assignment(
          context,
          service,
          port,
          endpoints,
          subset,
          mutual,
          listener,
        );
        if (subset !== undefined) {
          const rule = policy.subsetsOf[policy.subsets.indexOf(subset)];
          within(tell, resource.name)?.({
            group: "subset",
            source: "object",
            object: `DestinationRule/${rule}`,
            field: `spec.subsets[${subset.name}].labels`,
            value: subset.name,
          });
        }
        return resource;
      })
    );
}

function assignment(
  { features, clusterId }: Context,
  service: Service,
  port: ServicePort,
  endpoints: readonly Endpoint[],
  subset: Subset | undefined,
  mutual: TakesMutual,
  listener: AssignmentListener | undefined,
): Resource {
  const [, host] = splitServiceKey(service.key);
  const name = clusterName("outbound", port.number, subset?.name ?? "", host);
  const input: AssignmentInput = {
    clusterName: name,
    endpoints,
    portName: port.name,
    subsetLabels: subset?.labels,
    telemetryLabel: features.endpointTelemetryLabel,
    clusterId,
    mutual,
    sendUnhealthy: features.sendUnhealthyEndpoints,
  };
  if (listener !== undefined) tellEndpoints(listener, input);
  return resourceOf(name, encodeAssignment(input));
}

/** Who hears where endpoints are from. */
interface AssignmentListener {
  readonly tell: Tell;
  /** Of each endpoint, in the same order. */
  readonly sources: readonly Omit<Told, "of">[];
}

/** Says of each endpoint whose it is, and of those that are not served that they are not. */
function tellEndpoints({ tell, sources }: AssignmentListener, input: AssignmentInput): void {
  const served = new Set(
    planAssignment(input).flatMap((l) => l.endpoints.map((p) => p.endpoint)),
  );
  for (const [i, endpoint] of input.endpoints.entries()) {
    const told = sources[i];
    if (told === undefined) continue;
    const here = within(tell, input.clusterName)!;
    if (served.has(endpoint)) here(told);
    else here({ ...told, group: "endpoint left out" });
  }
}
