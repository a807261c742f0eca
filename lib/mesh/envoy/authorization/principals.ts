/**
 * Principals: the parts of a rule about the caller (identity, token, address).
 *
 * @module
 */
import type { CidrRange } from "#envoy/config/core/v3/address_pb.ts";
import { type Principal, PrincipalSchema } from "#envoy/config/rbac/v3/rbac_pb.ts";
import type { StringMatcher } from "#envoy/type/matcher/v3/string_pb.ts";
import type { Condition, Source } from "#mesh/security/v1beta1/authorization_policy_pb.ts";
import { create, type MessageInitShape } from "../../../kit/proto/mod.ts";
import { conditionKey } from "../../schema/mod.ts";
import { cidrRange, PEER_PRINCIPAL } from "../core/mod.ts";
import { type Clause, type ClauseContext, PRINCIPALS } from "./clause.ts";
import { headerMatch } from "./hosts.ts";
import { quote, quoteWildcards, regexMatch, textMatch } from "./text.ts";
import { claimMatch, issuerAndSubject, plainClaimMatch } from "./tokens.ts";
import { inEveryDomain } from "./trust_domains.ts";

type Identifier = NonNullable<MessageInitShape<typeof PrincipalSchema>["identifier"]>;

function principal(identifier: Identifier): Principal {
  return create(PrincipalSchema, { identifier });
}

/** Information about callers that is not in the rule itself. */
export interface Callers extends ClauseContext {
  /** Namespace of the policy. It is the default namespace of service accounts. */
  readonly namespace: string;
  /** The mesh's trust domain, then its aliases. */
  readonly trustDomains: readonly string[];
}

export function sourceClauses(source: Source, callers: Callers): Clause<Principal>[] {
  return [
    identities(source.principals, source.notPrincipals, callers),
    tokens(source.requestPrincipals, source.notRequestPrincipals, callers),
    {
      values: source.namespaces,
      notValues: source.notNamespaces,
      match: (value) => inNamespace(callers, value),
    },
    accounts(source.serviceAccounts, source.notServiceAccounts, callers),
    {
      values: source.trustDomains,
      notValues: source.notTrustDomains,
      match: (value) => inTrustDomain(callers, value),
    },
    { values: source.remoteIpBlocks, notValues: source.notRemoteIpBlocks, match: remoteIp },
    { values: source.ipBlocks, notValues: source.notIpBlocks, match: sourceIp },
  ];
}

/**
 * Returns the clause of a condition about the caller or a header; `undefined` for other conditions.
 */
export function principalClause(
  condition: Condition,
  callers: Callers,
): Clause<Principal> | undefined {
  const key = conditionKey(condition.key);
  const { values, notValues } = condition;
  const of = (match: Clause<Principal>["match"]): Clause<Principal> => ({
    values,
    notValues,
    match,
  });
  const claim = (names: readonly string[]): Clause<Principal> => ({
    ...of(() => undefined),
    together: knowsTokens(callers)
      ? (all) => principal({ case: "metadata", value: claimMatch(names, all) })
      : undefined,
  });
  switch (key?.kind) {
    case "source-ip":
      return of(sourceIp);
    case "remote-ip":
      return of(remoteIp);
    case "source-namespace":
      return of((value) => inNamespace(callers, value));
    case "source-principal":
      return identities(values, notValues, callers);
    case "source-account":
      return accounts(values, notValues, callers);
    case "source-trust-domain":
      return of((value) => inTrustDomain(callers, value));
    case "request-principal":
      return tokens(values, notValues, callers);
    case "audiences":
      return claim(["aud"]);
    case "presenter":
      return claim(["azp"]);
    case "claim":
      return claim(key.names);
    case "header": {
      const name = key.names[0] ?? "";
      const seen = callers.http && !(callers.library && isHidden(name));
      return of((value) =>
        seen ? principal({ case: "header", value: headerMatch(name, value) }) : undefined
      );
    }
    default:
      return undefined;
  }
}

/** Reports if the claims of verified tokens are known. */
function knowsTokens({ http, library }: ClauseContext): boolean {
  return http && !library;
}

/** Reports if libraries use a header themselves and reject or ignore it in rules (gRFC A41). */
function isHidden(header: string): boolean {
  const name = header.toLowerCase();
  return name.startsWith("grpc-") || name === ":scheme" || name.endsWith("-bin");
}

/** Matches the identity of the peer: that of its certificate, or of the client of its tunnel. */
function authenticated({ tunnelled }: ClauseContext, name: StringMatcher): Principal {
  return tunnelled === true
    ? principal({
      case: "filterState",
      value: { key: PEER_PRINCIPAL, matcher: { case: "stringMatch", value: name } },
    })
    : principal({ case: "authenticated", value: { principalName: name } });
}

function identities(
  values: readonly string[],
  notValues: readonly string[],
  callers: Callers,
): Clause<Principal> {
  const { trustDomains } = callers;
  return {
    values: inEveryDomain(values, trustDomains),
    notValues: inEveryDomain(notValues, trustDomains),
    match: (value) => authenticated(callers, textMatch(value, "spiffe://")),
  };
}

function inNamespace(callers: Callers, namespace: string): Principal {
  return authenticated(callers, regexMatch(`.*/ns/${quoteWildcards(namespace)}/.*`));
}

function inTrustDomain(callers: Callers, domain: string): Principal {
  return authenticated(callers, regexMatch(`spiffe://${quoteWildcards(domain, "[^/]*")}/.*`));
}

function accounts(
  values: readonly string[],
  notValues: readonly string[],
  callers: Callers,
): Clause<Principal> {
  return {
    values,
    notValues,
    match: (account) => {
      const { namespace } = callers;
      const slash = account.indexOf("/");
      const accountNamespace = slash < 0 ? namespace : account.slice(0, slash);
      const name = account.slice(slash + 1);
      return authenticated(
        callers,
        regexMatch(`spiffe://[^/]+/ns/${quote(accountNamespace)}/sa/${quote(name)}`),
      );
    },
  };
}

function tokens(
  values: readonly string[],
  notValues: readonly string[],
  callers: Callers,
): Clause<Principal> {
  return {
    values,
    notValues,
    bare: true,
    match: (value) => {
      if (!knowsTokens(callers)) return undefined;
      const [issuer, subject] = issuerAndSubject(value);
      return PRINCIPALS.all([
        principal({ case: "metadata", value: plainClaimMatch("iss", issuer) }),
        principal({ case: "metadata", value: plainClaimMatch("sub", subject) }),
      ]);
    },
  };
}

/** Matches the peer address of the connection. */
function sourceIp(block: string): Principal | undefined {
  return ranged(block, (value) => ({ case: "directRemoteIp", value }));
}

/** Matches the client address, as trusted proxies in front of this one report it. */
function remoteIp(block: string): Principal | undefined {
  return ranged(block, (value) => ({ case: "remoteIp", value }));
}

/** Validation of the kind has rejected addresses that do not parse. */
function ranged(block: string, make: (value: CidrRange) => Identifier): Principal | undefined {
  const value = cidrRange(block);
  return value && principal(make(value));
}
