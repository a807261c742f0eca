/**
 * Which traffic policy a cluster gets.
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
  type PassedOver,
  type Policy,
  type Source,
  type Tell,
  type Told,
} from "../../derive/mod.ts";
import { create } from "../../proto/mod.ts";

/** The groups of settings that a port can have for itself. */
const GROUPS = ["loadBalancer", "connectionPool", "outlierDetection", "tls"] as const;

/** Groups that stand for the destination as a whole. */
const WHOLE = ["tunnel", "proxyProtocol", "retryBudget"] as const;

/** What is written down of whoever gave a group. */
export interface PolicyListener {
  readonly tell: Tell;
  /** Reference of the object that the rule's policy is from, `DestinationRule/NS/NAME`. */
  readonly rule: string;
  /** Of the subset's, and its place there. */
  readonly subset?: { readonly object: string; readonly field: string };
}

/** Has the groups of a merged policy noted, for whoever makes something of them to tell. */
export function notingListener(
  groups: Map<string, Told>,
  policy: Policy,
  subset: Subset | undefined,
): PolicyListener {
  const at = subset === undefined ? -1 : policy.subsets.indexOf(subset);
  return {
    tell: (told) => groups.set(told.group, { ...told, of: [] }),
    rule: `DestinationRule/${policy.trafficPolicyOf}`,
    subset: {
      object: `DestinationRule/${policy.subsetsOf[at] ?? ""}`,
      field: `spec.subsets[${subset?.name ?? ""}]`,
    },
  };
}

/**
 * The policy of a cluster: subset over rule, group by group; settings of the
 * port replace all four groups of the level they stand at. A group is taken as
 * a whole: nothing inside it is inherited, and a port's settings leave nothing
 * of the destination's in force, not even in groups they do not mention.
 *
 * @param rule the rule's policy
 * @param subset the subset's policy; `undefined` for the cluster of the whole service
 * @param port service port number
 * @param defaults the mesh's own, for groups that nobody set
 * @param listener told where each group is from, and those that nobody set
 * @returns a policy without port settings; `undefined` when nobody set anything
 */
export function mergeTrafficPolicy(
  rule: TrafficPolicy | undefined,
  subset: TrafficPolicy | undefined,
  port: number,
  defaults?: MeshConfig_DefaultTrafficPolicy,
  listener?: PolicyListener,
): TrafficPolicy | undefined {
  if (rule === undefined && subset === undefined && defaults === undefined) {
    for (const group of GROUPS) listener?.tell({ group, source: "built-in" });
    return undefined;
  }
  const merged = create(TrafficPolicySchema);
  const levels = [
    ...levelOf(subset, port, listener?.subset),
    ...levelOf(rule, port, listener && { object: listener.rule, field: "spec" }),
  ];
  for (const group of GROUPS) setGroup(merged, group, levels, defaults, listener?.tell);
  for (const group of WHOLE) {
    const candidates = levels.map((l) => candidate(l, group, l.policy[group]));
    setValue(merged, group, choose(listener?.tell, group, candidates));
  }
  return merged;
}

/** A policy that takes part, the highest first. */
interface Level {
  readonly policy: TrafficPolicy;
  /** Its settings of the port. */
  readonly own: TrafficPolicy_PortTrafficPolicy | undefined;
  readonly object?: string;
  /** Where the policy stands, and its settings of the port. */
  readonly at: string;
  readonly ownAt: string;
}

function levelOf(
  policy: TrafficPolicy | undefined,
  port: number,
  from: { readonly object: string; readonly field: string } | undefined,
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
  merged: TrafficPolicy,
  group: Group,
  levels: readonly Level[],
  defaults: MeshConfig_DefaultTrafficPolicy | undefined,
  tell: Tell | undefined,
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
    if (closing !== undefined && policy[group] !== undefined && tell !== undefined) {
      closed.push(closedBy(closing, level, group, level.at));
    }
  }
  const fallback = group === "connectionPool" || group === "outlierDetection"
    ? defaults?.[group]
    : undefined;
  candidates.push({ value: fallback, source: "mesh", field: `defaultTrafficPolicy.${group}` });
  const value = choose(tell, group, candidates, undefined, closed);
  if (value === undefined) tell?.({ group, source: "built-in", passedOver: closed });
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
