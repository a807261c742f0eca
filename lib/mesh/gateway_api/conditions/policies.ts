/**
 * The status of BackendTLSPolicies.
 *
 * @module
 */
import type {
  BoundBackendTls,
  BoundBackendTraffic,
  ParentReference,
  RefFault,
} from "../binding/mod.ts";
import { type Condition, conditionsAt } from "./condition.ts";

/** An entry of `status.ancestors`. */
export interface AncestorStatus {
  readonly ancestorRef: ParentReference;
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}

export interface PolicyStatus {
  readonly ancestors: readonly AncestorStatus[];
}

/** Most entries of `status.ancestors`. */
const MAX_ANCESTORS = 16;

/** Facts about a policy beside its targets. */
export interface PolicyFacts {
  readonly generation: number;
  readonly controllerName: string;
  /** The Gateways whose routes lead to its targets, and Services with clients of the mesh. */
  readonly ancestors: readonly ParentReference[];
}

/** The status of a policy, for each of its ancestors. */
export function policyStatus(bound: BoundBackendTls, facts: PolicyFacts): PolicyStatus {
  const conditions = conditionsOf(bound, facts.generation);
  return {
    ancestors: facts.ancestors.slice(0, MAX_ANCESTORS).map((ancestorRef) => ({
      ancestorRef,
      controllerName: facts.controllerName,
      conditions,
    })),
  };
}

/** The status of an XBackendTrafficPolicy: its ancestors are its targets, whoever sends to them. */
export function trafficPolicyStatus(
  { targets }: BoundBackendTraffic,
  { generation, controllerName }: Omit<PolicyFacts, "ancestors">,
): PolicyStatus {
  const make = conditionsAt(generation);
  return {
    ancestors: targets.slice(0, MAX_ANCESTORS).map(({ ref, fault }) => ({
      ancestorRef: { group: ref.group ?? "", kind: ref.kind || "Service", name: ref.name },
      controllerName,
      conditions: [
        make.unless(fault, "Accepted", "the policy is in effect"),
      ],
    })),
  };
}

function conditionsOf(bound: BoundBackendTls, generation: number): Condition[] {
  const make = conditionsAt(generation);
  const { authorities: { fault: unresolved }, rejected } = bound;
  return [
    make.unless(rejected ?? targetFault(bound), "Accepted", "the policy is in effect"),
    make.unless(unresolved, "ResolvedRefs", "all references are resolved"),
  ];
}

/** The fault of the targets if none of them is covered. */
function targetFault({ targets }: BoundBackendTls): RefFault | undefined {
  return targets.some(({ fault }) => fault === undefined) ? undefined : targets[0]?.fault;
}
