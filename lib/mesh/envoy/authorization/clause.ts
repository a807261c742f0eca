/**
 * A clause is one demand of a rule on a request. It has alternatives that must hold and
 * alternatives that must not hold.
 *
 * @module
 */
import {
  type Permission,
  PermissionSchema,
  type Principal,
  PrincipalSchema,
} from "#envoy/config/rbac/v3/rbac_pb.ts";
import { flatMapInParts, lazily, type Parts } from "../../../kit/base/mod.ts";
import { create } from "../../../kit/proto/mod.ts";

/** The action of a policy on matching requests. */
export type Effect = "allow" | "deny" | "audit" | "custom";

/** Knowledge of the enforcing proxy or library about requests. */
export interface ClauseContext {
  /** True: the connection carries HTTP. */
  readonly http: boolean;
  /**
   * True: a gRPC library enforces the rules. It does not know tokens, metadata of filters and
   * server names.
   */
  readonly library: boolean;
  /** True: tunnels are let in or refused; their authority is `host:port` of the destination. */
  readonly connect?: boolean | undefined;
  /** True: the client is known by the tunnel that the connection came through, not by its own TLS. */
  readonly tunnelled?: boolean | undefined;
}

/** One demand of a rule. */
export interface Clause<T> {
  readonly values: readonly string[];
  readonly notValues: readonly string[];
  /**
   * Returns `undefined` for connections without HTTP, or for libraries, if they do not know the
   * value.
   */
  readonly match: (value: string) => T | undefined;
  /** Matches other spellings of the same value. Rules that deny use it. */
  readonly disguised?: (value: string) => T | undefined;
  /** Matches all values with one matcher, if the proxy can compare them itself. */
  readonly together?: ((values: readonly string[]) => T) | undefined;
  /** True: a single value stands alone, not in a list of alternatives. */
  readonly bare?: boolean;
}

/** The manner in which the clauses of a policy are combined. */
export interface Manner {
  readonly effect: Effect;
  /** True: rules that deny also match other spellings. */
  readonly otherSpellings: boolean;
  readonly parts: Parts;
}

/** Combination of clauses. */
export interface Combining<T> extends Manner {
  readonly any: () => T;
  readonly all: (parts: readonly T[]) => T;
  readonly one: (parts: readonly T[]) => T;
  readonly not: (part: T) => T;
}

/**
 * Returns the conjunction of clauses. If a connection does not have the information for a clause, a
 * rule that allows matches nothing (`undefined`), and any other rule ignores the clause and
 * therefore matches more. In doubt, access is denied.
 */
export function conjunction<T>(clauses: readonly Clause<T>[], how: Combining<T>): T | undefined {
  const forbids = how.effect === "deny" || how.effect === "custom";
  const demands = flatMapInParts(how.parts, clauses, (clause) => {
    const wanted = alternatives(clause, clause.values, forbids, how);
    const unwanted = alternatives(clause, clause.notValues, how.effect === "allow", how);
    return [
      wanted,
      unwanted === undefined || unwanted === INCOMPLETE ? unwanted : how.not(unwanted),
    ];
  });
  if (how.effect === "allow" && demands.includes(INCOMPLETE)) return undefined;
  const known = demands.filter((one): one is T => one !== undefined && one !== INCOMPLETE);
  return how.all(known.length === 0 ? [how.any()] : known);
}

/** The connection or the library does not know the values of a clause. */
const INCOMPLETE = "incomplete";

function alternatives<T>(
  clause: Clause<T>,
  values: readonly string[],
  forbids: boolean,
  how: Combining<T>,
): T | typeof INCOMPLETE | undefined {
  if (values.length === 0) return undefined;
  if (clause.together !== undefined) return clause.together(values);
  const found = flatMapInParts(how.parts, values, (value): (T | undefined)[] => {
    const matcher = clause.match(value);
    const more = forbids && how.otherSpellings && matcher !== undefined &&
      clause.disguised?.(value);
    return more ? [matcher, more] : [matcher];
  });
  const known = found.filter((matcher) => matcher !== undefined);
  const incomplete = known.length < found.length;
  if (incomplete && (how.effect === "allow" || known.length === 0)) return INCOMPLETE;
  const [only] = known;
  return clause.bare === true && known.length === 1 && only !== undefined ? only : how.one(known);
}

/** Combines permissions. */
export const PERMISSIONS: Omit<Combining<Permission>, keyof Manner> = {
  any: lazily(() => create(PermissionSchema, { rule: { case: "any", value: true } })),
  all: (rules) =>
    create(PermissionSchema, { rule: { case: "andRules", value: { rules: [...rules] } } }),
  one: (rules) =>
    create(PermissionSchema, { rule: { case: "orRules", value: { rules: [...rules] } } }),
  not: (value) => create(PermissionSchema, { rule: { case: "notRule", value } }),
};

/** Combines principals. */
export const PRINCIPALS: Omit<Combining<Principal>, keyof Manner> = {
  any: lazily(() => create(PrincipalSchema, { identifier: { case: "any", value: true } })),
  all: (ids) =>
    create(PrincipalSchema, { identifier: { case: "andIds", value: { ids: [...ids] } } }),
  one: (ids) =>
    create(PrincipalSchema, { identifier: { case: "orIds", value: { ids: [...ids] } } }),
  not: (value) => create(PrincipalSchema, { identifier: { case: "notId", value } }),
};
