/**
 * The objects behind names of access rules.
 *
 * @module
 */
import type { RuleTrace } from "../simulate/mod.ts";

/** Names of rules; those of unusable providers have a suffix. */
const RULE = /ns\[([^\]]*)\]-policy\[([^\]]*)\]-rule\[(\d+)\](?:-deny-due-to-[\w-]+)?$/;

/** Returns the object and field of a rule. */
export function ruleOf(
  { policy }: RuleTrace,
): { readonly object: string; readonly field: string } | undefined {
  const [, namespace, name, index] = RULE.exec(policy) ?? [];
  return index === undefined
    ? undefined
    : { object: `AuthorizationPolicy/${namespace}/${name}`, field: `spec.rules[${index}]` };
}
