/**
 * Endpoints of outbound clusters. Their content is one cell for each service and the rules that apply
 * to it, shared by all namespaces that see the same.
 *
 * @module
 */
import type { Subset } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { RecordedDecision } from "../../../kit/base/mod.ts";
import { type HostKey, hostKeys, type Policy } from "../../derive/mod.ts";
import {
  type AssignmentInput,
  canonicalOf,
  clusterName,
  encodeAssignment,
  gatewaysTo,
  type LocalityRule,
  localityRule,
  planAssignment,
  sessionRule,
} from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { acceptsTunnels, type Endpoint, type Service, type ServicePort } from "../../model/mod.ts";
import {
  type ContentKey,
  contentKeys,
  followRulesAt,
  followServiceRules,
  localityOf,
  mergedPolicy,
  reachOf,
  topologyOf,
  visibleEndpoints,
} from "../context/mod.ts";
import type { Context } from "./features.ts";
import {
  type ByLocality,
  differences,
  localHostKeys,
  overlayOf,
  resourceOf,
  type ResourcesOf,
  resourceTable,
} from "../resources/mod.ts";
import { takesMutual } from "../security/mod.ts";
import { meshLocality } from "./mesh_locality.ts";
import { acrossNetworks } from "./across.ts";
import { throughWaypoint } from "./through_waypoints.ts";
import { type EndpointWay, tunnelsOf } from "./tunnels.ts";

/** Creates the tables of endpoint assignments. */
export function deriveEndpoints(
  context: Context,
  way: EndpointWay = "direct",
): ByLocality<HostKey> {
  const { graph } = context.mesh;
  const named = way === "direct" ? "eds" : `eds.${way}`;
  const content = resourceTable(
    graph,
    `${named}.content`,
    contentKeys,
    (read, key) => assignmentsOf(read, context, key, way),
  );
  const seen: ResourcesOf<HostKey> = (read, { namespace, host }) => {
    const chosen = followServiceRules(read, context, { namespace }, host);
    return chosen === undefined ? [] : read.follow(content, { ...chosen, locality: "" });
  };
  const base = resourceTable(graph, named, hostKeys, seen);
  const local = resourceTable(graph, `${named}.placed`, localHostKeys, (read, key) => {
    const { locality, ...shared } = key;
    const chosen = followRulesAt(read, context, key);
    if (chosen === undefined) return [];
    return differences(read.follow(content, { ...chosen, locality }), read.get(base, shared));
  });
  return { base, overlay: overlayOf(context, `${named}.overlay`, base, seen), local };
}

/** The assignments of a service: one for each port, and for each subset there. */
function assignmentsOf(
  read: Read,
  context: Context,
  { service: serviceKey, rules, locality }: ContentKey,
  way: EndpointWay,
): readonly Resource[] {
  const { mesh, features } = context;
  const proxyLocality = localityOf(locality);
  const service = read.follow(mesh.services.service, serviceKey);
  // Only gateways subscribe to endpoints of services without resolution.
  const { resolution } = service ?? {};
  if (service === undefined || service.alias !== undefined) return [];
  if (resolution !== "STATIC" && resolution !== "NONE") return [];
  const sources: RecordedDecision[] = [];
  const collecting = read.mapped((decision) => {
    sources.push(decision);
    return undefined;
  });
  const all = collecting.follow(mesh.services.endpoints, serviceKey);
  const isVisible = visibleEndpoints(read, context, service, proxyLocality);
  const endpoints = isVisible === undefined ? all : all.filter(isVisible);
  const shown = isVisible === undefined
    ? sources
    : sources.filter((_, i) => all[i] !== undefined && isVisible(all[i]));
  const policy = read.follow(mesh.policies.policy, rules);
  const common = {
    endpoints,
    telemetryLabel: features.telemetryLabel && features.endpointTelemetryLabel,
    canonical: features.canonicalOutside && service.meshExternal ? canonicalOf(service) : undefined,
    mutual: mutualOf(read, context, way),
    ...(way === "direct" || way === "captured" ? {} : { tunnel: tunnelsOf(read, context) }),
    topologyOf: topologyOf(read, context, policy.subsets),
    sendUnhealthy: features.sendUnhealthyEndpoints,
    keepDraining: sessionRule(service.labels, features.sessions) !== undefined,
    drainingLabel: features.drainingLabel,
    proxyLocality,
    reach: proxyLocality && reachOf(read, context),
  };
  const ruleOf = proxyLocality && localityRules(read, context, policy, service);
  const { host } = service;
  const across = proxyLocality && acrossNetworks(read, context, way, serviceKey);
  const through = way === "waypoints" && features.ingressWaypoints === true
    ? throughWaypoint(read, context, serviceKey, service)
    : undefined;
  return service.ports
    .filter((port) => port.protocol !== "UDP")
    .flatMap((port) =>
      [undefined, ...policy.subsets].map((subset) => {
        const name = clusterName("outbound", port.number, subset?.name ?? "", host);
        const inside = read.within(name);
        const input = {
          ...common,
          clusterName: name,
          portName: port.name,
          subsetLabels: subset?.labels,
          localityRule: ruleOf?.(inside, port, subset),
          across: across?.(port),
          // A waypoint applies subsets itself.
          ...(through === undefined ? {} : {
            endpoints: through.endpoints(port),
            tunnel: through.tunnel(port),
            subsetLabels: undefined,
          }),
        };
        if (through === undefined) recordEndpoints(inside, shown, input);
        if (subset !== undefined) recordSubset(inside, policy, subset);
        return resourceOf(name, encodeAssignment(input));
      })
    );
}

/** Finds the endpoints with mutual TLS; the node proxy of a waypoint opens tunnels to those that accept them. */
function mutualOf(read: Read, context: Context, way: EndpointWay): ReturnType<typeof takesMutual> {
  const takes = takesMutual(read, context);
  return way === "captured" ? (one, port) => !acceptsTunnels(one) && takes(one, port) : takes;
}

function recordSubset(read: Read, policy: Policy, subset: Subset): void {
  read.decide?.({
    group: "subset",
    source: "object",
    object: `DestinationRule/${policy.subsetsOf[policy.subsets.indexOf(subset)]}`,
    field: `spec.subsets[${subset.name}].labels`,
    value: subset.name,
  });
}

type LocalityRuleOf = (
  inside: Read,
  port: ServicePort,
  subset: Subset | undefined,
) => LocalityRule | undefined;

/** Finds the locality settings in the merged policy of a port, or of a subset there. */
function localityRules(
  read: Read,
  { mesh }: Context,
  rules: Policy,
  service: Service,
): LocalityRuleOf {
  const defaults = mesh.field(read, "defaultTrafficPolicy");
  const setting = meshLocality(read, mesh);
  return (inside, port, subset) => {
    const { policy, decisions } = mergedPolicy(inside, {
      rules,
      subset,
      port: port.number,
      defaults,
    });
    for (const group of ["loadBalancer", "outlierDetection"]) {
      const decision = decisions.get(group);
      if (decision !== undefined) inside.decide?.(decision);
    }
    const isPreferred = policy?.loadBalancer?.localityLbSetting === undefined &&
      service.distribution !== undefined;
    if (isPreferred) {
      inside.decide?.({
        group: "trafficDistribution",
        source: "object",
        object: service.distributionSource ?? service.source,
        field: "trafficDistribution",
        value: service.distribution,
      });
    }
    return localityRule(policy, setting, service.distribution);
  };
}

/**
 * Records the source of each endpoint, the endpoints behind another network's gateway, and those that
 * are left out.
 *
 * @param sources of each endpoint, in the same order
 */
function recordEndpoints(
  read: Read,
  sources: readonly RecordedDecision[],
  input: AssignmentInput,
): void {
  if (read.decide === undefined) return;
  const served = new Set(
    planAssignment(input).flatMap((locality) => locality.endpoints.map((p) => p.endpoint)),
  );
  for (const [i, endpoint] of input.endpoints.entries()) {
    const source = sources[i];
    if (source === undefined) continue;
    const group = served.has(endpoint)
      ? source.group
      : isBehindGateway(endpoint, input)
      ? "endpoint behind a gateway"
      : "endpoint left out";
    read.decide({ ...source, group });
  }
}

/** Reports if an endpoint is in a network that is entered by gateways. */
function isBehindGateway(endpoint: Endpoint, { proxyLocality, reach }: AssignmentInput): boolean {
  return proxyLocality !== undefined && reach !== undefined &&
    gatewaysTo(reach.networkOf(endpoint), proxyLocality, reach.gateways) !== undefined;
}
