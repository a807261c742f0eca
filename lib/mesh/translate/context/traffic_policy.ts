/**
 * The traffic policy of a cluster, merged from DestinationRules and the mesh configuration.
 *
 * @module
 */
import type { MeshConfig_DefaultTrafficPolicy } from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  type Subset,
  type TrafficPolicy,
  type TrafficPolicy_PortTrafficPolicy,
  TrafficPolicySchema,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  type Candidate,
  choose,
  type Decision,
  type DecisionLog,
  NO_DECISIONS,
  type PassedOver,
  type Source,
} from "../../../kit/base/mod.ts";
import type { Policy } from "../../derive/mod.ts";
import { create } from "../../../kit/proto/mod.ts";

/** Groups of settings that can also be set for one port. */
const GROUPS = ["loadBalancer", "connectionPool", "outlierDetection", "tls"] as const;

/** Groups that apply to the whole destination. */
const WHOLE = ["tunnel", "proxyProtocol", "retryBudget"] as const;

/** The policies of one cluster. */
export interface PolicyLevels {
  /** The rule's policy. */
  readonly rule: TrafficPolicy | undefined;
  /** The subset's policy; `undefined` for the cluster of the whole service. */
  readonly subset?: TrafficPolicy | undefined;
  /** Port of the service. */
  readonly port: number;
  /** The mesh's defaults, for groups that neither rule nor subset sets. */
  readonly defaults?: MeshConfig_DefaultTrafficPolicy | undefined;
  /** The objects of the policies, for the record. */
  readonly objects?: { readonly rule: ObjectPath; readonly subset: ObjectPath };
}

/** A part of an object. */
interface ObjectPath {
  /** `DestinationRule/namespace/name`. */
  readonly object: string;
  /** `spec.subsets[v1]`. */
  readonly field: string;
}

/** The merged policy of a cluster. */
export interface MergedPolicy {
  /** Without port settings; `undefined` where nothing is set. */
  readonly policy: TrafficPolicy | undefined;
  /** The source of each group, by group; empty while no decisions are recorded. */
  readonly decisions: ReadonlyMap<string, Decision>;
}

const NONE: ReadonlyMap<string, Decision> = new Map();

/**
 * Merges the rules of a service for one port, or for a subset there.
 *
 * @param log only tells whether decisions are recorded: those about the policy are returned, and the
 * caller records the ones that it uses
 */
export function mergedPolicy(
  log: DecisionLog,
  { rules, subset, port, defaults }: {
    readonly rules: Policy;
    readonly subset?: Subset | undefined;
    readonly port: number;
    readonly defaults?: MeshConfig_DefaultTrafficPolicy | undefined;
  },
): MergedPolicy {
  const levels = { rule: rules.trafficPolicy, subset: subset?.trafficPolicy, port, defaults };
  if (log.decide === undefined) {
    return { policy: mergeTrafficPolicy(NO_DECISIONS, levels), decisions: NONE };
  }
  const decisions = new Map<string, Decision>();
  const collect = log.mapped((decision) => {
    decisions.set(decision.group, { ...decision, of: [] });
    return undefined;
  });
  const at = subset === undefined ? -1 : rules.subsets.indexOf(subset);
  const objects = {
    rule: { object: `DestinationRule/${rules.trafficPolicyOf}`, field: "spec" },
    subset: {
      object: `DestinationRule/${rules.subsetsOf[at] ?? ""}`,
      field: `spec.subsets[${subset?.name ?? ""}]`,
    },
  };
  return { policy: mergeTrafficPolicy(collect, { ...levels, objects }), decisions };
}

/**
 * The policy of a cluster: the subset's over the rule's, group by group. Settings of the port replace
 * all four groups of their level. A group is taken as a whole: nothing inside it is inherited, and
 * the settings of a port also replace groups that they do not mention.
 *
 * @param log takes the source of each group, and the groups that are not set
 * @returns a policy without port settings; `undefined` where nothing is set
 */
export function mergeTrafficPolicy(
  log: DecisionLog,
  { rule, subset, port, defaults, objects }: PolicyLevels,
): TrafficPolicy | undefined {
  if (rule === undefined && subset === undefined && defaults === undefined) {
    for (const group of GROUPS) log.decide?.({ group, source: "built-in" });
    return undefined;
  }
  const merged = create(TrafficPolicySchema);
  const levels = [
    ...levelOf(subset, port, objects?.subset),
    ...levelOf(rule, port, objects?.rule),
  ];
  for (const group of GROUPS) setGroup(log, merged, group, { levels, defaults });
  for (const group of WHOLE) {
    const candidates = levels.map((l) => candidate(l, group, l.policy[group]));
    setValue(merged, group, choose<TrafficPolicy[Whole]>(log, group, candidates));
  }
  return merged;
}

/** One of the policies that are merged. */
interface Level {
  readonly policy: TrafficPolicy;
  /** Its settings of the port. */
  readonly own: TrafficPolicy_PortTrafficPolicy | undefined;
  readonly object?: string;
  /** Field paths of the policy and of its settings of the port. */
  readonly at: string;
  readonly ownAt: string;
}

function levelOf(
  policy: TrafficPolicy | undefined,
  port: number,
  from: ObjectPath | undefined,
): Level[] {
  if (policy === undefined) return [];
  const i = policy.portLevelSettings.findIndex((p) => p.port?.number === port);
  const at = `${from?.field ?? ""}.trafficPolicy`;
  return [{
    policy,
    own: policy.portLevelSettings[i],
    object: from?.object,
    at,
    ownAt: `${at}.portLevelSettings[${i}]`,
  }];
}

function candidate<V>(level: Level, group: string, value: V, at: string = level.at): Candidate<V> {
  if (level.object === undefined) return { value, source: "object" };
  return { value, source: "object", object: level.object, field: `${at}.${group}` };
}

type Group = typeof GROUPS[number];

type Whole = typeof WHOLE[number];

/** Settings of the port close the levels below, whether they have the group or not. */
function setGroup(
  log: DecisionLog,
  merged: TrafficPolicy,
  group: Group,
  { levels, defaults }: { readonly levels: readonly Level[] } & Pick<PolicyLevels, "defaults">,
): void {
  const candidates: Candidate<TrafficPolicy[Group]>[] = [];
  const closed: PassedOver[] = [];
  let closing: Level | undefined;
  for (const level of levels) {
    const { policy, own } = level;
    if (closing !== undefined) {
      if (own?.[group] !== undefined) closed.push(closedBy(closing, level, group, level.ownAt));
    } else {
      candidates.push(
        own === undefined
          ? candidate(level, group, policy[group])
          : candidate(level, group, own[group], level.ownAt),
      );
      if (own !== undefined) closing = level;
    }
    if (closing !== undefined && policy[group] !== undefined && log.decide !== undefined) {
      closed.push(closedBy(closing, level, group, level.at));
    }
  }
  const fallback = group === "connectionPool" || group === "outlierDetection"
    ? defaults?.[group]
    : undefined;
  candidates.push({ value: fallback, source: "mesh", field: `defaultTrafficPolicy.${group}` });
  const value = choose(log, { group, closed }, candidates);
  if (value === undefined) log.decide?.({ group, source: "built-in", passedOver: closed });
  setValue(merged, group, value);
}

function closedBy(by: Level, level: Level, group: string, at: string): PassedOver {
  const source: Source = { source: "object", object: level.object, field: `${at}.${group}` };
  return { ...source, why: `${by.ownAt} replaces it, whatever it mentions` };
}

/** Group and value belong together; the checker cannot follow that through a loop. */
function setValue<G extends Group | Whole>(
  merged: TrafficPolicy,
  group: G,
  value: TrafficPolicy[Group | Whole],
): void {
  merged[group] = value as TrafficPolicy[G];
}
