/**
 * How a proxy's place orders and weighs endpoints: the share that localities get,
 * and who stands in when the nearest fail.
 *
 * @module
 */
import type {
  LocalityLoadBalancerSetting,
  TrafficPolicy,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { topologyLabels } from "../../derive/mod.ts";
import type { Locality, ProxyLocality } from "../../model/mod.ts";
import type { LocalityRule, PlannedEndpoint, PlannedLocality } from "./planned.ts";

/** Whether a rule asks for shares or an order of its own, so that localities count by their weight. */
export function weighsLocalities({ setting, failsOver }: LocalityRule): boolean {
  const { distribute, failover, failoverPriority } = setting;
  return distribute.length > 0 ||
    (failsOver && (failover.length > 0 || failoverPriority.length > 0));
}

/** Gives localities the shares, or the priorities, that they have for a place. */
export function arrange(
  localities: readonly PlannedLocality[],
  rule: LocalityRule,
  place: ProxyLocality,
): PlannedLocality[] {
  const { distribute, failover, failoverPriority } = rule.setting;
  if (distribute.length > 0) return share(localities, place.locality, distribute);
  if (!rule.failsOver) return [...localities];
  let ordered = [...localities];
  if (failoverPriority.length > 0) ordered = orderByLabels(ordered, place, failoverPriority);
  if (failoverPriority.length === 0 || failover.length > 0) {
    ordered = orderByDistance(ordered, place.locality, failover);
  }
  return renumber(ordered);
}

type Distribute = LocalityLoadBalancerSetting["distribute"];

type Failover = LocalityLoadBalancerSetting["failover"];

/**
 * Shares by percent. What no share is for gets nothing; of localities that a share
 * is for together, each gets a part by its weight. The narrowest pattern that
 * covers a locality counts.
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

/** Whether a pattern (`region/zone/subzone`, parts may be `*` or missing at the end) covers a locality. */
function covers(pattern: string, { region, zone, subzone }: Locality): boolean {
  const own = [region, zone, subzone];
  return pattern.split("/").every((part, i) => part === "*" || part === own[i]);
}

/** How many parts a pattern names. */
function narrowness(pattern: string): number {
  return pattern.split("/").filter((part) => part !== "*").length;
}

/** Room that each priority by labels leaves for those by distance. */
const DISTANCES = 5;

/** The nearest first: the same subzone, zone, region, the region that a rule names, any other. */
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

/** Who agrees in the first labels goes before who agrees in fewer; localities are split by that. */
function orderByLabels(
  localities: readonly PlannedLocality[],
  place: ProxyLocality,
  wanted: readonly string[],
): PlannedLocality[] {
  const labels = wanted.map((text) => {
    const at = text.indexOf("=");
    const key = at < 0 ? text : text.slice(0, at);
    return { key, value: at < 0 ? place.labels[key] ?? "" : text.slice(at + 1) };
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
  return { ...endpoint.labels, ...topologyLabels(endpoint.locality, network) };
}

/** Envoy wants priorities without gaps, from 0. */
function renumber(localities: readonly PlannedLocality[]): PlannedLocality[] {
  const used = [...new Set(localities.map((one) => one.priority))].sort((a, b) => a - b);
  const rank = new Map(used.map((priority, i) => [priority, i]));
  return localities.map((one) => ({ ...one, priority: rank.get(one.priority)! }))
    .sort((a, b) => a.priority - b.priority);
}

/**
 * The setting of a rule, else the mesh's; not both.
 *
 * @param policy merged, see `mergeTrafficPolicy`
 * @returns `undefined` where it is switched off
 */
export function localityRule(
  policy: Pick<TrafficPolicy, "loadBalancer" | "outlierDetection"> | undefined,
  mesh: LocalityLoadBalancerSetting | undefined,
): LocalityRule | undefined {
  const setting = policy?.loadBalancer?.localityLbSetting ?? mesh;
  if (setting === undefined || setting.enabled === false) return undefined;
  return { setting, failsOver: policy?.outlierDetection !== undefined };
}
