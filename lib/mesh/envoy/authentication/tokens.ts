/**
 * Builds the filter that verifies tokens from RequestAuthentications.
 *
 * @module
 */
import { HttpUriSchema } from "#envoy/config/core/v3/http_uri_pb.ts";
import {
  JwtAuthenticationSchema,
  type JwtProvider,
  JwtProviderSchema,
  type JwtRequirement,
  JwtRequirementSchema,
} from "#envoy/extensions/filters/http/jwt_authn/v3/config_pb.ts";
import {
  type HttpFilter,
  HttpFilterSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import {
  type JWTRule,
  JWTRule_JWTRequirement as Presence,
} from "#mesh/security/v1beta1/request_authentication_pb.ts";
import { lazily } from "../../../kit/base/mod.ts";
import { create, durationOf, packAny } from "../../../kit/proto/mod.ts";
import { PAYLOAD, TOKEN_FILTER } from "../core/mod.ts";

/** The source of a rule's keys: the configuration, or a URL that the proxy fetches. */
export type Keys =
  | { readonly jwks: string }
  | { readonly cluster: string; readonly uri: string };

/** One rule with its keys. */
export interface TokenRule {
  readonly rule: JWTRule;
  readonly keys: Keys;
}

/** Claims that are lists in one space-separated string, in addition to those that a rule names. */
const SPACED_CLAIMS = ["scope", "permission"];

/** Default timeout for fetching keys, ms. */
const FETCH_TIMEOUT_MS = 5_000;

/** Time for which a proxy caches fetched keys, ms. */
const KEYS_LAST_MS = 5 * 60_000;

/**
 * Builds the filter. A token that is present must be valid. AuthorizationPolicies decide if a token
 * is required, unless a rule requires it.
 *
 * @param gateway true: routes may match claims, so the route is selected again after verification
 * @returns `undefined` if there are no rules
 */
export function tokenFilter(
  rules: readonly TokenRule[],
  gateway: boolean,
): HttpFilter | undefined {
  if (rules.length === 0) return undefined;
  const providers = rules.map((one, index) => [nameOf(index), provider(one, gateway)] as const);
  const config = packAny(JwtAuthenticationSchema, {
    providers: Object.fromEntries(providers),
    rules: [{
      match: { pathSpecifier: { case: "prefix", value: "/" } },
      requirementType: { case: "requires", value: requirementOf(rules) },
    }],
    bypassCorsPreflight: true,
  });
  return create(HttpFilterSchema, {
    name: TOKEN_FILTER,
    configType: { case: "typedConfig", value: config },
  });
}

function nameOf(index: number): string {
  return `origins-${index}`;
}

function provider({ rule, keys }: TokenRule, gateway: boolean): JwtProvider {
  return create(JwtProviderSchema, {
    issuer: rule.issuer,
    audiences: rule.audiences,
    forward: rule.forwardOriginalToken,
    forwardPayloadHeader: rule.outputPayloadToHeader,
    fromHeaders: rule.fromHeaders.map(({ name, prefix }) => ({ name, valuePrefix: prefix })),
    fromParams: rule.fromParams,
    fromCookies: rule.fromCookies,
    claimToHeaders: rule.outputClaimToHeaders.map(({ header, claim }) => ({
      headerName: header,
      claimName: claim,
    })),
    payloadInMetadata: PAYLOAD,
    normalizePayloadInMetadata: {
      spaceDelimitedClaims: [...new Set([...SPACED_CLAIMS, ...rule.spaceDelimitedClaims])],
    },
    clearRouteCache: gateway,
    jwksSourceSpecifier: "jwks" in keys
      ? { case: "localJwks", value: { specifier: { case: "inlineString", value: keys.jwks } } }
      : { case: "remoteJwks", value: remote(rule, keys) },
  });
}

function remote(rule: JWTRule, { uri, cluster }: { uri: string; cluster: string }) {
  return {
    httpUri: create(HttpUriSchema, {
      uri,
      httpUpstreamType: { case: "cluster", value: cluster },
      timeout: rule.timeout ?? durationOf(FETCH_TIMEOUT_MS),
    }),
    cacheDuration: durationOf(KEYS_LAST_MS),
  };
}

/** Returns the requirement that combines all rules. */
function requirementOf(rules: readonly TokenRule[]): JwtRequirement {
  const names = rules.map((_, index) => nameOf(index));
  const optional = optionally(names);
  const required = rules.flatMap(({ rule }, index) =>
    rule.presence === Presence.REQUIRED ? [named(nameOf(index))] : []
  );
  if (required.length === 0) return optional;
  return all([any(required), optional]);
}

/**
 * Accepts a valid token of one of the issuers, or no invalid token. If two issuers read tokens from
 * the same header, each of them sees the tokens of the other.
 */
function optionally(names: readonly string[]): JwtRequirement {
  const [only] = names;
  if (names.length === 1 && only !== undefined) return any([named(only), MISSING()]);
  return any([
    ...names.map(named),
    all(names.map((name) => any([named(name), MISSING()]))),
  ]);
}

const MISSING = lazily((): JwtRequirement =>
  create(JwtRequirementSchema, {
    requiresType: { case: "allowMissing", value: {} },
  })
);

function named(value: string): JwtRequirement {
  return create(JwtRequirementSchema, { requiresType: { case: "providerName", value } });
}

function any(requirements: readonly JwtRequirement[]): JwtRequirement {
  const [only] = requirements;
  if (requirements.length === 1 && only !== undefined) return only;
  return create(JwtRequirementSchema, {
    requiresType: { case: "requiresAny", value: { requirements: [...requirements] } },
  });
}

function all(requirements: readonly JwtRequirement[]): JwtRequirement {
  return create(JwtRequirementSchema, {
    requiresType: { case: "requiresAll", value: { requirements: [...requirements] } },
  });
}
