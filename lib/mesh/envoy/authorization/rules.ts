/**
 * AuthorizationPolicies as the rules of Envoy's access control.
 *
 * @module
 */
import {
  type Permission,
  PermissionSchema,
  type Policy,
  PolicySchema,
  type Principal,
  PrincipalSchema,
  type RBAC,
  RBAC_Action,
  RBACSchema,
} from "#envoy/config/rbac/v3/rbac_pb.ts";
import {
  type AuthorizationPolicy,
  AuthorizationPolicy_Action as Action,
  type Rule,
} from "#mesh/security/v1beta1/authorization_policy_pb.ts";
import {
  flatMapInParts,
  lazily,
  parseBoolean,
  type Parts,
  UNDIVIDED,
} from "../../../kit/base/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import { DRY_RUN } from "../../schema/mod.ts";
import { conjunction, type Effect, type Manner, PERMISSIONS, PRINCIPALS } from "./clause.ts";
import { operationClauses, permissionClause } from "./permissions.ts";
import { type Callers, principalClause, sourceClauses } from "./principals.ts";

export type PolicyObject = ConfigObject<AuthorizationPolicy>;

/** Options for reading policies. */
export interface RuleOptions {
  readonly http: boolean;
  /** True: a gRPC library enforces the rules. It knows less about requests than Envoy. */
  readonly library?: boolean;
  /** True: tunnels are let in or refused; their authority is `host:port` of the destination. */
  readonly connect?: boolean | undefined;
  /** True: connections came through tunnels, whose clients they have. */
  readonly tunnelled?: boolean | undefined;
  /** The mesh's trust domain, then its aliases. */
  readonly trustDomains: readonly string[];
  /** True: rules that deny also match other spellings of paths and hosts; see `disguisedMatch`. */
  readonly otherSpellings: boolean;
  /** Runs the parts of long lists. */
  readonly parts?: Parts;
}

/** Returns the action of a policy in lower case. */
export function effectOf({ spec }: PolicyObject): Effect {
  switch (spec.action) {
    case Action.ALLOW:
      return "allow";
    case Action.DENY:
      return "deny";
    case Action.AUDIT:
      return "audit";
    case Action.CUSTOM:
      return "custom";
  }
}

/**
 * Reports if a policy is in shadow (dry-run) mode. A value that is no boolean leaves the policy in
 * force; validation warns of it.
 */
export function isDryRun({ meta }: PolicyObject): boolean {
  return parseBoolean(meta.annotations[DRY_RUN] ?? "") === true;
}

const ACTIONS: Readonly<Record<Effect, RBAC_Action>> = {
  allow: RBAC_Action.ALLOW,
  deny: RBAC_Action.DENY,
  audit: RBAC_Action.LOG,
  // The rule only selects requests; another filter calls the provider.
  custom: RBAC_Action.DENY,
};

/** Texts before and after the names of rules. */
export interface RuleAffixes {
  readonly prefix?: string;
  readonly suffix?: string;
}

/**
 * Returns the rules of policies with one action. The name of a rule identifies its policy and
 * index.
 */
export function accessRules(
  policies: readonly PolicyObject[],
  effect: Effect,
  options: RuleOptions,
  { prefix = "", suffix = "" }: RuleAffixes = {},
): RBAC {
  const { parts = UNDIVIDED, otherSpellings } = options;
  const manner = { effect, otherSpellings, parts };
  const named: (readonly [string, Policy])[] = [];
  for (const object of policies) {
    const { meta, spec } = object;
    const name = (index: number): string =>
      `${prefix}ns[${meta.namespace}]-policy[${meta.name}]-rule[${index}]${suffix}`;
    const callers = {
      http: options.http,
      library: options.library ?? false,
      connect: options.connect,
      tunnelled: options.tunnelled,
      namespace: meta.namespace,
      trustDomains: options.trustDomains,
    };
    named.push(...flatMapInParts(parts, [...spec.rules.entries()], ([index, rule]) => {
      const policy = policyOf(rule, callers, manner);
      return policy === undefined ? [] : [[name(index), policy] as const];
    }));
    if (spec.rules.length === 0) named.push([name(0), NEVER()]);
  }
  const sorted = named.sort(([a], [b]) => (a < b ? -1 : 1));
  return create(RBACSchema, { action: ACTIONS[effect], policies: Object.fromEntries(sorted) });
}

/**
 * A policy without rules matches nothing. An ALLOW policy without rules therefore denies
 * everything.
 */
const NEVER = lazily((): Policy =>
  create(PolicySchema, {
    permissions: [
      create(PermissionSchema, { rule: { case: "notRule", value: PERMISSIONS.any() } }),
    ],
    principals: [
      create(PrincipalSchema, { identifier: { case: "notId", value: PRINCIPALS.any() } }),
    ],
  })
);

/** @returns `undefined` if the rule matches no connection of this kind */
function policyOf(rule: Rule, callers: Callers, manner: Manner): Policy | undefined {
  const conditions = rule.when.map((one) => permissionClause(one, callers)).filter((c) =>
    c !== undefined
  );
  const sides = rule.to.length === 0 ? [conditions] : rule.to.map(({ operation }) => [
    ...(operation === undefined ? [] : operationClauses(operation, callers)),
    ...conditions,
  ]);
  const permissions = collect<Permission>(
    flatMapInParts(
      manner.parts,
      sides,
      (side) => [conjunction(side, { ...PERMISSIONS, ...manner })],
    ),
  );
  const identities = rule.when.map((one) => principalClause(one, callers))
    .filter((c) => c !== undefined);
  const sources = rule.from.length === 0 ? [identities] : rule.from.map(({ source }) => [
    ...(source === undefined ? [] : sourceClauses(source, callers)),
    ...identities,
  ]);
  const principals = collect<Principal>(
    flatMapInParts(
      manner.parts,
      sources,
      (side) => [conjunction(side, { ...PRINCIPALS, ...manner })],
    ),
  );
  if (permissions === undefined || principals === undefined) return undefined;
  return create(PolicySchema, { permissions, principals });
}

/** A rule is dropped if the connection does not have the information for one of its parts. */
function collect<T>(parts: readonly (T | undefined)[]): T[] | undefined {
  const whole = parts.filter((part) => part !== undefined);
  return whole.length === parts.length ? whole : undefined;
}
