/**
 * Outbound clusters and their endpoints: one cell per service and the rules that
 * won, shared by every namespace that sees the same.
 *
 * @module
 */
import {
  deriveTelling,
  lookUp,
  networkOf,
  parsePlace,
  type Policy,
  splitServiceKey,
  type Tell,
  type Told,
  within,
} from "../derive/mod.ts";
import type { Derived, Read, Resource } from "../graph/mod.ts";
import type { Endpoint, Place, Service, ServicePort } from "../model/mod.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { Subset } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  buildOutboundCluster,
  type ClusterListener,
  clusterName,
  localityRule,
  mergeTrafficPolicy,
  notingListener,
  type PolicyListener,
} from "./cluster/mod.ts";
import {
  type AssignmentInput,
  encodeAssignment,
  type LocalityRule,
  planAssignment,
  type Reach,
  waysTo,
} from "./endpoint/mod.ts";
import { type Context, type Pick, pick, splitKey } from "./context.ts";
import { mutualInput, parseKind, takesMutual } from "./mutual.ts";
import { clusterDefaults, meshLocality } from "./defaults.ts";
import { hashPolicyFor } from "./route/mod.ts";
import { differences, encodeResource, resourceOf, sameResources } from "./resource.ts";

/** Tables whose values are lists of resources. */
export interface Layered {
  /** What a namespace sees (`""`: everybody). */
  readonly base: Derived<readonly Resource[]>;
  /** What a namespace sees otherwise than everybody. */
  readonly overlay: Derived<readonly Resource[]>;
}

/** With what proxies of a place see otherwise than others of their namespace. */
export interface Placed extends Layered {
  /** The keys of the other tables with `|place` at the end. */
  readonly placed: Derived<readonly Resource[]>;
}

/**
 * Creates the tables of outbound clusters: `kind|NS|host`, the kind being an
 * address family, or `family.router` for gateways.
 */
export function deriveOutboundClusters(context: Context): Placed {
  const { mesh } = context;
  const { graph } = mesh;
  const content = deriveTelling<readonly Resource[]>(graph, "cds.content", (read, key, tell) => {
    const [kind = "", service = "", rules = "", place = ""] = splitKey(key, 4);
    return clustersOf(read, context, { kind, service, rules, place: placeOf(place) }, tell);
  }, { equal: sameResources });
  const base = deriveTelling<readonly Resource[]>(graph, "cds", (read, key, tell) => {
    const [kind = "", namespace = "", host = ""] = splitKey(key, 3);
    const chosen = pick(read, context, namespace, host, tell);
    if (chosen === undefined) return [];
    const shared = sharedKind(kind, read.get(mesh.services.service, chosen.service));
    return lookUp(read, content, `${shared}|${chosen.service}|${chosen.rules}|`, tell);
  }, { equal: sameResources });
  const placed = deriveTelling<readonly Resource[]>(graph, "cds.placed", (read, key, tell) => {
    const [kind = "", namespace = "", host = "", place = ""] = splitKey(key, 4);
    const chosen = pickPlaced(read, context, namespace, host, place, tell);
    if (chosen === undefined) return [];
    const shared = sharedKind(kind, read.get(mesh.services.service, chosen.service));
    const here = `${shared}|${chosen.service}|${chosen.rules}|${place}`;
    return differences(
      lookUp(read, content, here, tell),
      read.get(base, `${kind}|${namespace}|${host}`),
    );
  }, { equal: sameResources });
  return { base, overlay: overlayOf(context, "cds.overlay", base, 3, 1), placed };
}

/** Creates the tables of endpoint assignments: `NS|host`. */
export function deriveAssignments(context: Context): Placed {
  const { graph } = context.mesh;
  const content = deriveTelling<readonly Resource[]>(graph, "eds.content", (read, key, tell) => {
    const [service = "", rules = "", place = ""] = splitKey(key, 3);
    return assignmentsOf(read, context, { service, rules, place: placeOf(place) }, tell);
  }, { equal: sameResources });
  const base = deriveTelling<readonly Resource[]>(graph, "eds", (read, key, tell) => {
    const [namespace = "", host = ""] = splitKey(key, 2);
    const chosen = pick(read, context, namespace, host, tell);
    return chosen === undefined
      ? []
      : lookUp(read, content, `${chosen.service}|${chosen.rules}|`, tell);
  }, { equal: sameResources });
  const placed = deriveTelling<readonly Resource[]>(graph, "eds.placed", (read, key, tell) => {
    const [namespace = "", host = "", place = ""] = splitKey(key, 3);
    const chosen = pickPlaced(read, context, namespace, host, place, tell);
    if (chosen === undefined) return [];
    const here = `${chosen.service}|${chosen.rules}|${place}`;
    return differences(lookUp(read, content, here, tell), read.get(base, `${namespace}|${host}`));
  }, { equal: sameResources });
  return { base, overlay: overlayOf(context, "eds.overlay", base, 2, 0), placed };
}

/** As `pick`, but rules for the workload go before all others. */
function pickPlaced(
  read: Read,
  context: Context,
  namespace: string,
  host: string,
  place: string,
  tell: Tell | undefined,
): Pick | undefined {
  const chosen = pick(read, context, namespace, host, tell);
  if (chosen === undefined) return undefined;
  const { rules } = parsePlace(place);
  const own = context.mesh.policies.selected(read, host, rules, tell);
  return own === "" ? chosen : { ...chosen, rules: own };
}

function placeOf(key: string): Place | undefined {
  return key === "" ? undefined : parsePlace(key);
}

/** How a service's endpoints are reached from a place. */
function reachOf(read: Read, { mesh, clusterId }: Context): Reach {
  const map = read.get(mesh.networks.all, "");
  return {
    networkOf: (endpoint) => networkOf(map, endpoint, clusterId),
    gateways: map.gateways,
  };
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

/** What the content of a host is made from, and nothing else. */
interface ContentKey {
  /** `namespace/host`. */
  readonly service: string;
  /** As `Policies.ruleKey`. */
  readonly rules: string;
  readonly place: Place | undefined;
}

function clustersOf(
  read: Read,
  context: Context,
  { kind, service: serviceKey, rules, place }: ContentKey & { readonly kind: string },
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
  const reach = place && reachOf(read, context);
  const selected = place?.rules.includes(policy.rules[0] ?? "") ?? false;
  const resources: Resource[] = [];
  for (const port of service.ports) {
    if (port.protocol === "UDP") continue;
    for (const subset of [undefined, ...policy.subsets]) {
      const name = clusterName("outbound", port.number, subset?.name ?? "", service.host);
      const listening = tell && listenerOf(within(tell, name)!, policy, subset);
      const merged = mergeTrafficPolicy(
        policy.trafficPolicy,
        subset?.trafficPolicy,
        port.number,
        fallback,
        listening?.policy,
      );
      const cluster = buildOutboundCluster({
        service,
        port,
        subset: subset === undefined ? undefined : { name: subset.name, labels: subset.labels },
        policy: merged,
        // Routes are shared with proxies that the rule is not for.
        hashPolicy: selected ? hashPolicyFor(merged?.loadBalancer) : undefined,
        endpoints,
        mesh: defaults,
        rule: policy.rules[0],
        role,
        mutual,
        takesMutual: takes,
        place,
        reach,
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
  { service: serviceKey, rules, place }: ContentKey,
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
  const common = {
    endpoints,
    telemetryLabel: context.features.endpointTelemetryLabel,
    clusterId: context.clusterId,
    mutual: takesMutual(read, context),
    sendUnhealthy: context.features.sendUnhealthyEndpoints,
    drainingLabel: context.features.drainingLabel,
    place,
    reach: place && reachOf(read, context),
  };
  const ruleOf = place && localityRules(read, context, policy);
  return service.ports
    .filter((port) => port.protocol !== "UDP")
    .flatMap((port) =>
      [undefined, ...policy.subsets].map((subset) => {
        const [, host] = splitServiceKey(service.key);
        const name = clusterName("outbound", port.number, subset?.name ?? "", host);
        const resource = assignment({
          ...common,
          clusterName: name,
          portName: port.name,
          subsetLabels: subset?.labels,
          localityRule: ruleOf?.(port, subset, within(tell, name)),
        }, listener);
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

/** Finds what the merged policy of a port, or of a subset there, says about localities. */
function localityRules(
  read: Read,
  { mesh }: Context,
  policy: Policy,
): (
  port: ServicePort,
  subset: Subset | undefined,
  tell: Tell | undefined,
) => LocalityRule | undefined {
  const fallback = mesh.field(read, "defaultTrafficPolicy");
  const setting = meshLocality(read, mesh);
  return (port, subset, tell) => {
    const groups = tell && new Map<string, Told>();
    const merged = mergeTrafficPolicy(
      policy.trafficPolicy,
      subset?.trafficPolicy,
      port.number,
      fallback,
      groups && notingListener(groups, policy, subset),
    );
    for (const group of ["loadBalancer", "outlierDetection"]) {
      const told = groups?.get(group);
      if (told !== undefined) tell?.(told);
    }
    return localityRule(merged, setting);
  };
}

function assignment(input: AssignmentInput, listener: AssignmentListener | undefined): Resource {
  if (listener !== undefined) tellEndpoints(listener, input);
  return resourceOf(input.clusterName, encodeAssignment(input));
}

/** Who hears where endpoints are from. */
interface AssignmentListener {
  readonly tell: Tell;
  /** Of each endpoint, in the same order. */
  readonly sources: readonly Omit<Told, "of">[];
}

/** Says of each endpoint whose it is, which are reached through another network's gateway, and which are not served. */
function tellEndpoints({ tell, sources }: AssignmentListener, input: AssignmentInput): void {
  const served = new Set(
    planAssignment(input).flatMap((l) => l.endpoints.map((p) => p.endpoint)),
  );
  for (const [i, endpoint] of input.endpoints.entries()) {
    const told = sources[i];
    if (told === undefined) continue;
    const here = within(tell, input.clusterName)!;
    if (served.has(endpoint)) here(told);
    else {here({
        ...told,
        group: isBehind(endpoint, input) ? "endpoint behind a gateway" : "endpoint left out",
      });}
  }
}

/** Whether an endpoint is of a network that is entered by gateways. */
function isBehind(endpoint: Endpoint, { place, reach }: AssignmentInput): boolean {
  return place !== undefined && reach !== undefined &&
    waysTo(reach.networkOf(endpoint), place, reach.gateways) !== undefined;
}
