/**
 * Which traffic policy a cluster gets.
 *
 * @module
 */
import {
  type TrafficPolicy,
  type TrafficPolicy_PortTrafficPolicy,
  TrafficPolicySchema,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { MeshConfig_DefaultTrafficPolicy } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { create } from "../../proto/mod.ts";

/** The groups of settings that a port can have for itself. */
const GROUPS = ["loadBalancer", "connectionPool", "outlierDetection", "tls"] as const;

/** Groups that stand for the destination as a whole. */
const WHOLE = ["tunnel", "proxyProtocol", "retryBudget"] as const;

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
 * @returns a policy without port settings; `undefined` when nobody set anything
 */
export function mergeTrafficPolicy(
  rule: TrafficPolicy | undefined,
  subset: TrafficPolicy | undefined,
  port: number,
  defaults?: MeshConfig_DefaultTrafficPolicy,
): TrafficPolicy | undefined {
  if (rule === undefined && subset === undefined && defaults === undefined) return undefined;
  const merged = create(TrafficPolicySchema);
  for (const level of [rule, subset]) {
    if (level !== undefined) applyLevel(merged, level, port);
  }
  merged.connectionPool ??= defaults?.connectionPool;
  merged.outlierDetection ??= defaults?.outlierDetection;
  return merged;
}

function applyLevel(merged: TrafficPolicy, level: TrafficPolicy, port: number): void {
  const own = portSettings(level, port);
  if (own !== undefined) copyGroups(merged, own, GROUPS, true);
  else copyGroups(merged, level, GROUPS, false);
  copyGroups(merged, level, WHOLE, false);
}

function portSettings(
  policy: TrafficPolicy,
  port: number,
): TrafficPolicy_PortTrafficPolicy | undefined {
  return policy.portLevelSettings.find((p) => p.port?.number === port);
}

/** Copies groups that are set, with `replace` the others too. */
function copyGroups<G extends keyof TrafficPolicy>(
  to: TrafficPolicy,
  from: Partial<Pick<TrafficPolicy, G>>,
  groups: readonly G[],
  replace: boolean,
): void {
  for (const group of groups) {
    const value = from[group];
    if (value !== undefined || replace) to[group] = value as TrafficPolicy[G];
  }
}
