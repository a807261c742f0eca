/**
 * Outbound clusters: one cell per service and the rules that won, shared by every
 * namespace that sees the same.
 *
 * @module
 */
import { serviceKeys } from "../../model/mod.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { Subset } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  deriveTelling,
  lookUp,
  policiesOf,
  type Policy,
  ruleKeys,
  type Tell,
  type Telling,
  type Told,
  within,
} from "../../derive/mod.ts";
import {
  applySettings,
  buildOutboundCluster,
  type ClusterListener,
  clusterName,
  hashPolicyFor,
} from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import {
  type ContentKey,
  type Context,
  mergeTrafficPolicy,
  notingListener,
  type Pick,
  pick,
  pickPlaced,
  placeOf,
  type PolicyListener,
  reachOf,
} from "../context/mod.ts";
import {
  differences,
  encodeResource,
  overlayOf,
  type Placed,
  sameResources,
  splitKey,
} from "../resources/mod.ts";
import { mutualInput, takesMutual } from "../security/mod.ts";
import { clusterDefaults, parseKind } from "../settings/mod.ts";

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
  const seen: Telling<readonly Resource[]> = (read, key, tell) => {
    const [kind = "", namespace = "", host = ""] = splitKey(key, 3);
    const chosen = pick(read, context, namespace, host, tell);
    if (chosen === undefined) return [];
    const shared = sharedKind(read, context, kind, chosen);
    return lookUp(read, content, `${shared}|${chosen.service}|${chosen.rules}|`, tell);
  };
  const base = deriveTelling(graph, "cds", seen, { equal: sameResources });
  const placed = deriveTelling<readonly Resource[]>(graph, "cds.placed", (read, key, tell) => {
    const [kind = "", namespace = "", host = "", place = ""] = splitKey(key, 4);
    const chosen = pickPlaced(read, context, namespace, host, place, tell);
    if (chosen === undefined) return [];
    const shared = sharedKind(read, context, kind, chosen);
    const here = `${shared}|${chosen.service}|${chosen.rules}|${place}`;
    return differences(
      lookUp(read, content, here, tell),
      read.get(base, `${kind}|${namespace}|${host}`),
    );
  }, { equal: sameResources });
  return { base, overlay: overlayOf(context, "cds.overlay", base, 3, 1, seen), placed };
}

/**
 * Gateways share the clusters of sidecars, but for services without resolution, as they see no
 * original destination, and for rules that name credentials, which sidecars are not handed.
 */
function sharedKind(read: Read, { mesh }: Context, kind: string, { service, rules }: Pick): string {
  if (!kind.includes(".router")) return kind;
  if (read.get(mesh.services.service, serviceKeys.decode(service))?.resolution === "NONE") {
    return kind;
  }
  return namesCredentials(read.get(mesh.policies.policy, ruleKeys.decode(rules)))
    ? kind
    : kind.replace(".router", "");
}

function namesCredentials(policy: Policy): boolean {
  return policiesOf(policy).some(({ tls }) => tls !== undefined && tls.credentialName !== "");
}

function clustersOf(
  read: Read,
  context: Context,
  { kind, service: serviceKey, rules, place }: ContentKey & { readonly kind: string },
  tell: Tell | undefined,
): Resource[] {
  const service = lookUp(read, context.mesh.services.service, serviceKeys.decode(serviceKey), tell);
  if (service === undefined) return [];
  const policy = lookUp(read, context.mesh.policies.policy, ruleKeys.decode(rules), tell);
  const { role, family, names } = parseKind(kind);
  const defaults = clusterDefaults(read, context, family);
  const endpoints = service.resolution === "STATIC"
    ? []
    : lookUp(read, context.mesh.services.endpoints, serviceKeys.decode(serviceKey), tell);
  const fallback = context.mesh.field(read, "defaultTrafficPolicy");
  const mutual = names && mutualInput(read, context, names, service);
  const takes = takesMutual(read, context);
  const reach = place && reachOf(read, context);
  const selected = place?.rules.includes(policy.rules[0] ?? "") ?? false;
  const settings = context.settings(read, "clusters");
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
        selected,
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
        applySettings(cluster, settings);
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
