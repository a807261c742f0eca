/**
 * RequestAuthentications as the filter that verifies tokens.
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
import { lazily } from "../../base/mod.ts";
import { create, durationOf, packAny } from "../../proto/mod.ts";
import { PAYLOAD, TOKEN_FILTER } from "../core/mod.ts";

/** Where the keys of a rule are: in the configuration, or to be fetched by the proxy. */
export type Keys =
  | { readonly jwks: string }
  | { readonly cluster: string; readonly uri: string };

/** One rule with its keys. */
export interface TokenRule {
  readonly rule: JWTRule;
  readonly keys: Keys;
}

/** Claims that are lists written as one text with blanks, besides those a rule names. */
const SPACED_CLAIMS = ["scope", "permission"];

/** How long a proxy waits for keys, ms, where a rule does not say. */
const FETCH_TIMEOUT_MS = 5_000;

/** How long a proxy uses the keys that it fetched, ms. */
const KEYS_LAST_MS = 5 * 60_000;

/**
 * Builds the filter. A token that is there must be good; whether one must be
 * there is for AuthorizationPolicies to say, unless a rule requires it.
 *
 * @param gateway whether routes are chosen by claims: then they are chosen again
 * @returns `undefined` when there are no rules
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

/** The requirements of all rules together. */
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
 * Either one of the issuers' tokens, or none that is bad: where two issuers share
 * a place for tokens, one of them always finds a token that is not its own.
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
