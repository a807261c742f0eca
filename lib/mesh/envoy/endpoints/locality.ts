/**
 * Orders and weighs endpoints by the proxy's locality: the shares of localities and the failover
 * order.
 *
 * @module
 */
import {
  type LocalityLoadBalancerSetting,
  LocalityLoadBalancerSettingSchema,
  type TrafficPolicy,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  type Distribution,
  type Locality,
  NEAR_LABELS,
  NODE_LABELS,
  nodeLabels,
  type ProxyLocality,
  topologyLabels,
} from "../../model/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import type { LocalityRule, PlannedEndpoint, PlannedLocality } from "./planned.ts";

/** Reports if a rule defines distribution or failover, so that localities are weighted. */
export function weighsLocalities({ setting, failsOver }: LocalityRule): boolean {
  const { distribute, failover, failoverPriority } = setting;
  return distribute.length > 0 ||
    (failsOver && (failover.length > 0 || failoverPriority.length > 0));
}

/** Sets the shares or the priorities of localities, as seen from a locality. */
export function arrange(
  localities: readonly PlannedLocality[],
  rule: LocalityRule,
  proxyLocality: ProxyLocality,
): PlannedLocality[] {
  const { distribute, failover, failoverPriority } = rule.setting;
  if (distribute.length > 0) return share(localities, proxyLocality.locality, distribute);
  if (!rule.failsOver) return [...localities];
  let ordered = [...localities];
  if (failoverPriority.length > 0) {
    ordered = orderByLabels(ordered, proxyLocality, failoverPriority);
  }
  if (failoverPriority.length === 0 || failover.length > 0) {
    ordered = orderByDistance(ordered, proxyLocality.locality, failover);
  }
  return renumber(ordered);
}

type Distribute = LocalityLoadBalancerSetting["distribute"];

type Failover = LocalityLoadBalancerSetting["failover"];

/**
 * Distributes by percent. A locality without share gets no traffic; localities with a common share
 * split it by weight. The most specific matching pattern applies.
 */
function share(
  localities: readonly PlannedLocality[],
  from: Locality,
  rules: Distribute,
): PlannedLocality[] {
  const rule = rules.find((r) => covers(r.from, from));
  if (rule === undefined) return [...localities];
  const shares = Object.entries(rule.to).sort(([a], [b]) => narrowness(b) - narrowness(a));
  const targets = new Map<string, PlannedLocality[]>();
  for (const one of localities) {
    const pattern = shares.find(([to]) => covers(to, one.locality))?.[0];
    if (pattern !== undefined) targets.set(pattern, [...targets.get(pattern) ?? [], one]);
  }
  const weighed = new Map<PlannedLocality, number>();
  for (const [pattern, percent] of shares) {
    const group = targets.get(pattern) ?? [];
    const total = group.reduce((sum, one) => sum + one.weight, 0);
    for (const one of group) weighed.set(one, Math.ceil(one.weight * percent / total));
  }
  return localities.flatMap((one) => {
    const weight = weighed.get(one) ?? 0;
    return weight === 0 ? [] : [{ ...one, weight }];
  });
}

/**
 * Reports if a pattern (`region/zone/subzone`, parts may be `*` or missing at the end) matches a
 * locality.
 */
function covers(pattern: string, { region, zone, subzone }: Locality): boolean {
  const own = [region, zone, subzone];
  return pattern.split("/").every((part, i) => part === "*" || part === own[i]);
}

/** Returns the number of parts that a pattern names. */
function narrowness(pattern: string): number {
  return pattern.split("/").filter((part) => part !== "*").length;
}

/** Number of distance priorities within each label priority. */
const DISTANCES = 5;

/** Orders by distance: same subzone, zone, region, the failover region of a rule, any other. */
function orderByDistance(
  localities: readonly PlannedLocality[],
  from: Locality,
  failover: Failover,
): PlannedLocality[] {
  if (from.region === "") return [...localities];
  const next = failover.find((rule) => rule.from === from.region)?.to;
  return localities.map((one) => ({
    ...one,
    priority: one.priority * DISTANCES + distance(from, one.locality, next),
  }));
}

function distance(from: Locality, to: Locality, next: string | undefined): number {
  if (from.region !== to.region) return next === undefined || next === to.region ? 3 : 4;
  if (from.zone !== to.zone) return 2;
  return from.subzone === to.subzone ? 0 : 1;
}

/**
 * Endpoints that match more leading labels get a higher priority; localities are split accordingly.
 */
function orderByLabels(
  localities: readonly PlannedLocality[],
  proxyLocality: ProxyLocality,
  wanted: readonly string[],
): PlannedLocality[] {
  const labels = wanted.map((text) => {
    const at = text.indexOf("=");
    const key = at < 0 ? text : text.slice(0, at);
    return { key, value: at < 0 ? proxyLocality.labels[key] ?? "" : text.slice(at + 1) };
  });
  return localities.flatMap((one) => {
    const groups = new Map<number, PlannedEndpoint[]>();
    for (const planned of one.endpoints) {
      const theirs = labelsOf(planned);
      const agreed = labels.findIndex(({ key, value }) => (theirs[key] ?? "") !== value);
      const priority = agreed < 0 ? 0 : labels.length - agreed;
      groups.set(priority, [...groups.get(priority) ?? [], planned]);
    }
    return [...groups].sort(([a], [b]) => a - b).map(([priority, endpoints]) => ({
      ...one,
      priority,
      endpoints,
      weight: endpoints.reduce((sum, e) => sum + e.weight, 0),
    }));
  });
}

function labelsOf({ endpoint, network }: PlannedEndpoint): Readonly<Record<string, string>> {
  return {
    ...endpoint.labels,
    ...topologyLabels(endpoint.locality, network),
    ...nodeLabels(endpoint.node),
  };
}

/** Envoy requires priorities without gaps, from 0. */
function renumber(localities: readonly PlannedLocality[]): PlannedLocality[] {
  const used = [...new Set(localities.map((one) => one.priority))].sort((a, b) => a - b);
  const rank = new Map(used.map((priority, i) => [priority, i]));
  return localities.map((one) => ({ ...one, priority: rank.get(one.priority)! }))
    .sort((a, b) => a.priority - b.priority);
}

/**
 * Returns the setting of a rule, otherwise the preference of the service, otherwise the mesh's
 * setting; they are not merged.
 *
 * @param policy merged, see `mergeTrafficPolicy`
 * @param distribution the service's preference for endpoints near the client
 * @returns `undefined` if locality load balancing is disabled
 */
export function localityRule(
  policy: Pick<TrafficPolicy, "loadBalancer" | "outlierDetection"> | undefined,
  mesh: LocalityLoadBalancerSetting | undefined,
  distribution: Distribution | undefined,
): LocalityRule | undefined {
  const own = policy?.loadBalancer?.localityLbSetting;
  const preferred = own === undefined ? nearRule(distribution) : undefined;
  if (preferred !== undefined) return preferred;
  const setting = own ?? mesh;
  if (setting === undefined || setting.enabled === false) return undefined;
  return { setting, failsOver: policy?.outlierDetection !== undefined };
}

/** Priorities of a service that prefers endpoints near the client; they need no outlier detection. */
function nearRule(distribution: Distribution = "any"): LocalityRule | undefined {
  if (distribution === "any") return undefined;
  const failoverPriority = distribution === "same-node" ? NODE_LABELS : NEAR_LABELS;
  const setting = create(LocalityLoadBalancerSettingSchema, {
    failoverPriority: [...failoverPriority],
  });
  return { setting, failsOver: true };
}
