/**
 * What a policy says about localities.
 *
 * @module
 */
import type {
  LocalityLoadBalancerSetting,
  TrafficPolicy,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { LocalityRule } from "../endpoint/mod.ts";

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
