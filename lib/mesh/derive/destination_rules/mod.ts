/**
 * DestinationRules: which ones apply to a host as a namespace sees it, by rank, merged.
 *
 * @module
 */
export {
  derivePolicies,
  type Policies,
  type Policy,
  type RuleKeys,
  ruleKeys,
} from "./destination_rules.ts";
