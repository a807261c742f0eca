/**
 * Properties of rules of the Gateway API that rules of VirtualServices lack.
 *
 * @module
 */

/** The way in which requests of a session come to one endpoint. */
export interface RuleSession {
  readonly kind: "cookie" | "header";
  /** Name of the cookie or of the header. */
  readonly name: string;
  /** Path of the cookie. */
  readonly path: string;
  /** Seconds for which a cookie counts; undefined: until the browser ends its session. */
  readonly seconds?: number;
}

/** A server that is asked about each request of a rule. */
export interface RuleAuthorizer {
  readonly protocol: "GRPC" | "HTTP";
  readonly host: string;
  readonly port: number;
  /** Prefix of the path of questions over HTTP. */
  readonly path: string;
  /** Headers of the request that it is sent; of GRPC: empty for all. */
  readonly requestHeaders: readonly string[];
  /** Headers of answers over HTTP that are added to the request; empty: all. */
  readonly responseHeaders: readonly string[];
  /** Bytes of the body that it is sent; 0: none. */
  readonly bodyBytes: number;
}

/** The facts of a rule that comes from a route of the Gateway API. */
export interface ApiRule {
  /** The route: `HTTPRoute/namespace/name`. */
  readonly object: string;
  /** Path of the rule there: `spec.rules[0]`. */
  readonly rule: string;
  /** Path of the match there, or of the rule if it has none. */
  readonly match: string;
  readonly session?: RuleSession;
  readonly authorizer?: RuleAuthorizer;
  /**
   * Millionths of the requests of its match that the rule and those before it get, by one random number
   * for all of them; undefined: all that are left.
   */
  readonly upTo?: number;
}

/** A rule of a VirtualService that may come from a route of the Gateway API. */
export type FromApi<Rule> = Rule & { readonly api?: ApiRule | undefined };

/** The facts of a rule; undefined: it does not come from a route of the Gateway API. */
export function apiRuleOf<Rule extends object>(rule: Rule): ApiRule | undefined {
  return (rule as FromApi<Rule>).api;
}

/** The rule itself, with facts. */
export function withApiRule<Rule extends object>(rule: Rule, api: ApiRule): FromApi<Rule> {
  return Object.assign(rule, { api });
}

/** The facts of a traffic policy that comes from the Gateway API, and that policies of DestinationRules lack. */
export interface ApiTraffic {
  /** The policy: `XBackendTrafficPolicy/namespace/name`. */
  readonly object: string;
  readonly session: RuleSession;
}

/** A traffic policy that may come from the Gateway API. */
type WithTraffic = { readonly apiTraffic?: ApiTraffic };

/** The facts of a traffic policy; undefined: it has none. */
export function apiTrafficOf<Policy extends object>(policy: Policy): ApiTraffic | undefined {
  return (policy as WithTraffic).apiTraffic;
}

/** The policy itself, with facts. */
export function withApiTraffic<Policy extends object>(policy: Policy, facts: ApiTraffic): Policy {
  return Object.assign(policy, { apiTraffic: facts });
}
