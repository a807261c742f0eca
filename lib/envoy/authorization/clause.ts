/**
 * Clauses: what a rule demands of a request, as alternatives that must hold and
 * alternatives that must not.
 *
 * @module
 */
import {
  type Permission,
  PermissionSchema,
  type Principal,
  PrincipalSchema,
} from "#envoy/config/rbac/v3/rbac_pb.ts";
import { lazily } from "../../base/mod.ts";
import { create } from "../../proto/mod.ts";

/** What happens to requests that a policy is about. */
export type Effect = "allow" | "deny" | "audit" | "custom";

/** What can be known of those who are decided about. */
export interface Knowing {
  /** Whether the connection carries HTTP. */
  readonly http: boolean;
  /** Whether a gRPC library decides: it has no tokens, no filters' metadata and no server names. */
  readonly library: boolean;
}

/** One demand of a rule. */
export interface Clause<T> {
  readonly values: readonly string[];
  readonly notValues: readonly string[];
  /** `undefined`: connections that carry no HTTP do not tell, or libraries do not know. */
  readonly match: (value: string) => T | undefined;
  /** Other ways to write the same, for those who forbid it. */
  readonly disguised?: (value: string) => T | undefined;
  /** All values in one, where the proxy can tell them from each other itself. */
  readonly together?: ((values: readonly string[]) => T) | undefined;
}

/** How clauses are put together. */
export interface Combining<T> {
  readonly effect: Effect;
  /** Whether what forbids knows other ways to write the same. */
  readonly guards: boolean;
  readonly any: () => T;
  readonly all: (parts: readonly T[]) => T;
  readonly one: (parts: readonly T[]) => T;
  readonly not: (part: T) => T;
}

/**
 * The conjunction of clauses. What cannot be told of a connection makes a rule
 * that allows hold for none (`undefined`), and drops out of any other, which
 * then holds for more: in doubt nobody is let in.
 */
export function conjunction<T>(clauses: readonly Clause<T>[], how: Combining<T>): T | undefined {
  const parts: T[] = [];
  for (const clause of clauses) {
    const forbids = how.effect === "deny" || how.effect === "custom";
    const wanted = alternatives(clause, clause.values, forbids, how);
    const unwanted = alternatives(clause, clause.notValues, how.effect === "allow", how);
    if (how.effect === "allow" && (wanted === "untold" || unwanted === "untold")) return undefined;
    if (wanted !== undefined && wanted !== "untold") parts.push(wanted);
    if (unwanted !== undefined && unwanted !== "untold") parts.push(how.not(unwanted));
  }
  return how.all(parts.length === 0 ? [how.any()] : parts);
}

function alternatives<T>(
  clause: Clause<T>,
  values: readonly string[],
  forbids: boolean,
  how: Combining<T>,
): T | "untold" | undefined {
  if (values.length === 0) return undefined;
  if (clause.together !== undefined) return clause.together(values);
  const told: T[] = [];
  let untold = false;
  for (const value of values) {
    const matcher = clause.match(value);
    if (matcher === undefined) untold = true;
    else told.push(matcher);
    const more = forbids && how.guards && matcher !== undefined && clause.disguised?.(value);
    if (more) told.push(more);
  }
  if (untold && (how.effect === "allow" || told.length === 0)) return "untold";
  return how.one(told);
}

/** Putting permissions together. */
export const PERMISSIONS: Omit<Combining<Permission>, "effect" | "guards"> = {
  any: lazily(() => create(PermissionSchema, { rule: { case: "any", value: true } })),
  all: (rules) =>
    create(PermissionSchema, { rule: { case: "andRules", value: { rules: [...rules] } } }),
  one: (rules) =>
    create(PermissionSchema, { rule: { case: "orRules", value: { rules: [...rules] } } }),
  not: (value) => create(PermissionSchema, { rule: { case: "notRule", value } }),
};

/** Putting principals together. */
export const PRINCIPALS: Omit<Combining<Principal>, "effect" | "guards"> = {
  any: lazily(() => create(PrincipalSchema, { identifier: { case: "any", value: true } })),
  all: (ids) =>
    create(PrincipalSchema, { identifier: { case: "andIds", value: { ids: [...ids] } } }),
  one: (ids) =>
    create(PrincipalSchema, { identifier: { case: "orIds", value: { ids: [...ids] } } }),
  not: (value) => create(PrincipalSchema, { identifier: { case: "notId", value } }),
};
