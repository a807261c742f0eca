/**
 * DestinationRules: which ones apply to a host, merged.
 *
 * @module
 */
export { derivePolicies, type Policies, type Policy, type RuleKeys, ruleKeys } from "./policies.ts";
