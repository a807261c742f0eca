/**
 * The decision of a node proxy about a connection.
 *
 * @module
 */
import {
  Action,
  type Address,
  type Authorization,
  type Match,
  type ServiceAccountMatch,
  type StringMatch,
} from "#mesh/security/authorization_pb.ts";
import { ipText, rangeContains } from "../../../kit/text/mod.ts";

/** A connection as a node proxy sees it. */
export interface Connection {
  /** `spiffe://DOMAIN/ns/NAMESPACE/sa/NAME`; unset: the client proves none. */
  readonly principal?: string;
  /** True: the principal stands for one that is not known. */
  readonly principalAssumed?: boolean;
  readonly source: string;
  /** True: the source stands for one that is not known. */
  readonly sourceAssumed?: boolean;
  readonly destination: { readonly ip: string; readonly port: number };
}

/** The decision. */
export interface NodeAccess {
  /** Unset: it depends on what is not known. */
  readonly allowed?: boolean;
  /** The deciding policy; unset: none is. */
  readonly by?: Authorization;
}

/** Three values: unset is not known. */
type Truth = boolean | undefined;

/** Decides as node proxies do: policies that deny first, then one of those that allow, if there are any. */
export function judgeConnection(
  policies: readonly Authorization[],
  connection: Connection,
): NodeAccess {
  const of = (action: Action) => policies.filter((one) => one.action === action);
  const denying = of(Action.DENY).map((one) => ({ one, matches: matches(one, connection) }));
  const denied = denying.find((found) => found.matches === true);
  if (denied !== undefined) return { allowed: false, by: denied.one };
  const open = denying.find((found) => found.matches === undefined);
  if (open !== undefined) return { by: open.one };
  const allowing = of(Action.ALLOW).map((one) => ({ one, matches: matches(one, connection) }));
  if (allowing.length === 0) return { allowed: true };
  const allowed = allowing.find((found) => found.matches === true);
  if (allowed !== undefined) return { allowed: true, by: allowed.one };
  const perhaps = allowing.find((found) => found.matches === undefined);
  return perhaps === undefined ? { allowed: false } : { by: perhaps.one };
}

function matches({ groups }: Authorization, connection: Connection): Truth {
  return any(
    groups,
    ({ rules }) =>
      all(
        rules,
        ({ matches: alternatives }) => any(alternatives, (match) => holds(match, connection)),
      ),
  );
}

function any<T>(list: readonly T[], of: (one: T) => Truth): Truth {
  const found = list.map(of);
  return found.includes(true) ? true : found.includes(undefined) ? undefined : false;
}

function all<T>(list: readonly T[], of: (one: T) => Truth): Truth {
  const found = list.map(of);
  return found.includes(false) ? false : found.includes(undefined) ? undefined : true;
}

/** Reports if one of the values matches, where there are values; `not`: none of them. */
function among<T>(values: readonly T[], not: readonly T[], of: (one: T) => Truth): Truth[] {
  const none = any(not, of);
  return [
    ...values.length === 0 ? [] : [any(values, of)],
    ...not.length === 0 ? [] : [none === undefined ? undefined : !none],
  ];
}

function holds(match: Match, connection: Connection): Truth {
  const { principal, principalAssumed, source, sourceAssumed, destination } = connection;
  const [, domain, namespace, account] =
    /^spiffe:\/\/([^/]+)\/ns\/([^/]+)\/sa\/(.+)$/.exec(principal ?? "") ?? [];
  const known = (truth: boolean): Truth => principalAssumed === true ? undefined : truth;
  const isPresent = principal !== undefined;
  const named = (text: string | undefined) => (one: StringMatch): Truth =>
    one.matchType.case === "presence"
      ? isPresent
      : known(isPresent && textMatches(one, text ?? ""));
  const isAccount = (one: ServiceAccountMatch): Truth =>
    known(isPresent && one.namespace === namespace && one.serviceAccount === account);
  const contains = (ip: string, assumed = false) => (range: Address): Truth =>
    assumed && range.length > 0
      ? undefined
      : rangeContains(`${ipText(range.address)}/${range.length}`, ip);
  const whole = isPresent ? `${domain}/ns/${namespace}/sa/${account}` : undefined;
  return all([
    ...among(match.principals, match.notPrincipals, named(whole)),
    ...among(match.namespaces, match.notNamespaces, named(namespace)),
    ...among(match.serviceAccounts, match.notServiceAccounts, isAccount),
    ...among(match.sourceIps, match.notSourceIps, contains(source, sourceAssumed)),
    ...among(match.destinationIps, match.notDestinationIps, contains(destination.ip)),
    ...among(
      match.destinationPorts,
      match.notDestinationPorts,
      (port) => port === destination.port,
    ),
  ], (one) => one);
}

function textMatches({ matchType }: StringMatch, text: string): boolean {
  switch (matchType.case) {
    case "exact":
      return matchType.value === text;
    case "prefix":
      return text.startsWith(matchType.value);
    case "suffix":
      return text.endsWith(matchType.value);
    default:
      return text !== "";
  }
}
