/**
 * Endpoints of outbound clusters: one cell per service and the rules that won,
 * shared by every namespace that sees the same.
 *
 * @module
 */
import type { Subset } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  deriveTelling,
  lookUp,
  type Policy,
  ruleKeys,
  type Tell,
  type Telling,
  type Told,
  within,
} from "../../derive/mod.ts";
import {
  type AssignmentInput,
  canonicalOf,
  clusterName,
  encodeAssignment,
  type LocalityRule,
  localityRule,
  planAssignment,
  waysTo,
} from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { type Endpoint, serviceKeys, type ServicePort } from "../../model/mod.ts";
import {
  type ContentKey,
  type Context,
  mergeTrafficPolicy,
  notingListener,
  pick,
  pickPlaced,
  placeOf,
  reachOf,
} from "../context/mod.ts";
import {
  differences,
  overlayOf,
  type Placed,
  resourceOf,
  sameResources,
  splitKey,
} from "../resources/mod.ts";
import { takesMutual } from "../security/mod.ts";
import { meshLocality } from "../settings/mod.ts";

/** Creates the tables of endpoint assignments: `NS|host`. */
export function deriveAssignments(context: Context): Placed {
  const { graph } = context.mesh;
  const content = deriveTelling<readonly Resource[]>(graph, "eds.content", (read, key, tell) => {
    const [service = "", rules = "", place = ""] = splitKey(key, 3);
    return assignmentsOf(read, context, { service, rules, place: placeOf(place) }, tell);
  }, { equal: sameResources });
  const seen: Telling<readonly Resource[]> = (read, key, tell) => {
    const [namespace = "", host = ""] = splitKey(key, 2);
    const chosen = pick(read, context, namespace, host, tell);
    return chosen === undefined
      ? []
      : lookUp(read, content, `${chosen.service}|${chosen.rules}|`, tell);
  };
  const base = deriveTelling(graph, "eds", seen, { equal: sameResources });
  const placed = deriveTelling<readonly Resource[]>(graph, "eds.placed", (read, key, tell) => {
    const [namespace = "", host = "", place = ""] = splitKey(key, 3);
    const chosen = pickPlaced(read, context, namespace, host, place, tell);
    if (chosen === undefined) return [];
    const here = `${chosen.service}|${chosen.rules}|${place}`;
    return differences(lookUp(read, content, here, tell), read.get(base, `${namespace}|${host}`));
  }, { equal: sameResources });
  return { base, overlay: overlayOf(context, "eds.overlay", base, 2, 0, seen), placed };
}

function assignmentsOf(
  read: Read,
  context: Context,
  { service: serviceKey, rules, place }: ContentKey,
  tell: Tell | undefined,
): Resource[] {
  const service = lookUp(read, context.mesh.services.service, serviceKeys.decode(serviceKey), tell);
  // Of services without resolution only gateways ask for endpoints.
  const { resolution } = service ?? {};
  if (service === undefined || (resolution !== "STATIC" && resolution !== "NONE")) return [];
  const sources: Omit<Told, "of">[] = [];
  const endpoints = lookUp(
    read,
    context.mesh.services.endpoints,
    service,
    tell && ((told) => sources.push(told)),
  );
  const policy = lookUp(read, context.mesh.policies.policy, ruleKeys.decode(rules), tell);
  const listener = tell && { tell, sources };
  const common = {
    endpoints,
    telemetryLabel: context.features.endpointTelemetryLabel,
    canonical: context.features.canonicalOutside && service.meshExternal
      ? canonicalOf(service)
      : undefined,
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
        const name = clusterName("outbound", port.number, subset?.name ?? "", service.host);
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
