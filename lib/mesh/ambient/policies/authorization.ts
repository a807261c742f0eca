/**
 * AuthorizationPolicies as node proxies enforce them. They see connections, not requests: a rule that
 * allows and has conditions on requests is left out, and a rule that denies loses those conditions.
 * Both refuse more than was written, never less.
 *
 * @module
 */
import { create } from "../../../kit/proto/mod.ts";
import {
  type AuthorizationPolicy,
  AuthorizationPolicy_Action,
  type Rule,
} from "#mesh/security/v1beta1/authorization_policy_pb.ts";
import {
  Action,
  type Authorization,
  AuthorizationSchema,
  type Group,
  GroupSchema,
  type Match,
  type Rules,
  RulesSchema,
  Scope,
} from "#mesh/security/authorization_pb.ts";
import type { ConfigObject } from "../../model/mod.ts";
import { type Checked, conditionMatch, operationMatch, sourceMatch } from "./match.ts";

/** The parts of a policy that decide who enforces it. */
export type PolicyParts = Pick<AuthorizationPolicy, "selector" | "targetRef" | "targetRefs">;

/** A policy as node proxies enforce it. */
export interface TranslatedPolicy {
  /** Undefined: they do not enforce it at all; `fault` says why. */
  readonly policy?: Authorization;
  /** The reason why it is not enforced as written. */
  readonly fault?: string;
}

/** Annotation of policies that only log. */
const DRY_RUN = "mesh.io/dry-run";

/** Reports if a policy is for gateways and waypoints, which it names. */
export function isWaypointPolicy({ targetRef, targetRefs }: PolicyParts): boolean {
  return targetRef !== undefined || targetRefs.length > 0;
}

/** A policy for node proxies; undefined: it is for gateways and waypoints. */
export function translateAuthorization(
  { meta, spec }: ConfigObject<AuthorizationPolicy>,
  rootNamespace: string,
): TranslatedPolicy | undefined {
  if (isWaypointPolicy(spec)) return undefined;
  const action = spec.action === AuthorizationPolicy_Action.ALLOW
    ? Action.ALLOW
    : spec.action === AuthorizationPolicy_Action.DENY
    ? Action.DENY
    : undefined;
  if (action === undefined) {
    const name = AuthorizationPolicy_Action[spec.action];
    return { fault: `node proxies do not have the action ${name}; use a waypoint` };
  }
  if (meta.annotations[DRY_RUN] === "true") {
    return { fault: `node proxies do not evaluate policies with ${DRY_RUN}` };
  }
  const { groups, beyond } = groupsOf(spec.rules, action, meta.namespace);
  const selects = Object.keys(spec.selector?.matchLabels ?? {}).length > 0;
  return {
    policy: create(AuthorizationSchema, {
      name: meta.name,
      namespace: meta.namespace,
      scope: selects
        ? Scope.WORKLOAD_SELECTOR
        : meta.namespace === rootNamespace
        ? Scope.GLOBAL
        : Scope.NAMESPACE,
      action,
      groups,
    }),
    ...(beyond.length === 0 ? {} : { fault: faultOf(action, beyond) }),
  };
}

function faultOf(action: Action, beyond: readonly string[]): string {
  const fields = [...new Set(beyond)].sort().join(", ");
  return action === Action.ALLOW
    ? `node proxies see no requests: rules with ${fields} allow nothing; use a waypoint`
    : `node proxies see no requests: rules with ${fields} deny without these conditions; use a ` +
      "waypoint";
}

function groupsOf(
  rules: readonly Rule[],
  action: Action,
  namespace: string,
): { readonly groups: Group[]; readonly beyond: readonly string[] } {
  const beyond: string[] = [];
  const groups = rules.flatMap((rule) => {
    const parts = partsOf(rule, namespace);
    const own = parts.flat().flatMap((one) => one.beyond);
    beyond.push(...own);
    if (own.length > 0 && action === Action.ALLOW) return [];
    return [create(GroupSchema, { rules: parts.flatMap(ruleOf) })];
  });
  return { groups, beyond };
}

/** Conditions that must all be met, each by one of its alternatives. */
function partsOf({ from, to, when }: Rule, namespace: string): (readonly Checked[])[] {
  const nothing: Checked = { match: undefined, beyond: [] };
  return [
    from.map(({ source }) => source === undefined ? nothing : sourceMatch(source, namespace)),
    to.map(({ operation }) => operation === undefined ? nothing : operationMatch(operation)),
    ...when.map((condition) => [conditionMatch(condition, namespace)]),
  ];
}

/** No rule where an alternative is always met. */
function ruleOf(alternatives: readonly Checked[]): Rules[] {
  const matches: Match[] = [];
  for (const { match } of alternatives) {
    if (match === undefined) return [];
    matches.push(match);
  }
  return matches.length === 0 ? [] : [create(RulesSchema, { matches })];
}
