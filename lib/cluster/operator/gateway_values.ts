/**
 * Older names of values of gateways, as `values.gateways.mesh-ingressgateway` has them, and their
 * places in the chart of gateways.
 *
 * @module
 */
import { isTree, type Tree, valueAt, withValue } from "./tree.ts";
import { mergedValues } from "./merge.ts";

/** The paths of the chart's values, by the older paths. */
export const GATEWAY_VALUES: Readonly<Record<string, readonly string[]>> = {
  "autoscaleEnabled": ["autoscaling", "enabled"],
  "autoscaleMax": ["autoscaling", "maxReplicas"],
  "autoscaleMin": ["autoscaling", "minReplicas"],
  "cpu.targetAverageUtilization": ["autoscaling", "targetCPUUtilizationPercentage"],
  "externalIPs": ["service", "externalIPs"],
  "externalTrafficPolicy": ["service", "externalTrafficPolicy"],
  "loadBalancerIP": ["service", "loadBalancerIP"],
  "loadBalancerSourceRanges": ["service", "loadBalancerSourceRanges"],
  "memory.targetAverageUtilization": ["autoscaling", "targetMemoryUtilizationPercentage"],
  "ports": ["service", "ports"],
  "serviceAnnotations": ["service", "annotations"],
  "type": ["service", "type"],
};

/** Values with the chart's names; a value under the chart's own name wins. */
export function withChartNames(values: Tree): Tree {
  let older: Tree = {};
  let rest = values;
  for (const [path, target] of Object.entries(GATEWAY_VALUES)) {
    const steps = path.split(".");
    const value = valueAt(values, steps);
    if (value === undefined) continue;
    older = withValue(older, target, value);
    rest = withoutEmpty(withValue(rest, steps, undefined), steps[0]!);
  }
  return mergedValues(older, rest);
}

function withoutEmpty(values: Tree, name: string): Tree {
  const value = values[name];
  return isTree(value) && Object.keys(value).length === 0
    ? withValue(values, [name], undefined)
    : values;
}
