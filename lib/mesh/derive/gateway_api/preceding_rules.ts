/**
 * DestinationRules that precede the policies of the Gateway API for a Service.
 *
 * @module
 */
import { type BoundPolicyTarget, isOfPolicies } from "../../gateway_api/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { Policies } from "../destination_rules/mod.ts";
import type { GatewayApi } from "./bindings.ts";

/**
 * The targets of a policy. One for whose host a DestinationRule of somebody gives the `trafficPolicy`, as
 * clients of its namespace see it, has a fault: the policy has no effect there.
 */
export function precededTargets(
  read: Read,
  { mesh: { tables, domain } }: GatewayApi,
  policies: Policies,
  { namespace, bound }: {
    readonly namespace: string;
    readonly bound: { readonly targets: readonly BoundPolicyTarget[] };
  },
): readonly BoundPolicyTarget[] {
  return bound.targets.map((target) => {
    if (target.fault !== undefined) return target;
    const host = `${target.ref.name}.${namespace}.svc.${domain}`;
    const rules = read.get(policies.rules, { client: namespace, owner: namespace, host });
    const { trafficPolicyOf } = read.get(policies.policy, rules);
    const rule = read.get(tables.destinationRules, trafficPolicyOf);
    if (rule === undefined || isOfPolicies(rule.meta)) return target;
    const message = `DestinationRule "${trafficPolicyOf}" precedes with its trafficPolicy for ` +
      `${host}; remove that or the policy`;
    return { ...target, fault: { reason: "Conflicted", message } };
  });
}
