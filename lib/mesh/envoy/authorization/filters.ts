/**
 * The filters that allow or deny requests and connections.
 *
 * @module
 */
import { type Filter, FilterSchema } from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { RBAC as Rules } from "#envoy/config/rbac/v3/rbac_pb.ts";
import { RBACSchema as HttpRbacSchema } from "#envoy/extensions/filters/http/rbac/v3/rbac_pb.ts";
import {
  type HttpFilter,
  HttpFilterSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { RBACSchema as TcpRbacSchema } from "#envoy/extensions/filters/network/rbac/v3/rbac_pb.ts";
import type { MeshConfig_ExtensionProvider as ExtensionProvider } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { hash, type Parts, UNDIVIDED } from "../../../kit/base/mod.ts";
import { type Any, create, packAnyInParts } from "../../../kit/proto/mod.ts";
import type { Effect } from "./clause.ts";
import { ASK_POLICY_PREFIX, ASK_PREFIX, extAuthzConfig, type FindService } from "./ext_authz.ts";
import { accessRules, effectOf, isDryRun, type PolicyObject, type RuleOptions } from "./rules.ts";

/** Suffix of the names of rules that deny what an unusable provider should decide. */
const NO_PROVIDER_SUFFIX = "-deny-due-to-bad-CUSTOM-action";

/** The input for the authorization filters of a workload. */
export interface AuthorizationInput {
  readonly policies: readonly PolicyObject[];
  /** Extension providers of the mesh configuration. */
  readonly providers: readonly ExtensionProvider[];
  readonly findService: FindService;
  /** See `RuleOptions.tunnelled`. */
  readonly tunnelled?: boolean | undefined;
  /** The mesh's trust domain, then its aliases. */
  readonly trustDomains: readonly string[];
  readonly otherSpellings: boolean;
  /** Runs the parts of long policies. */
  readonly parts?: Parts;
}

/** Filters in the order in which requests or connections pass them. */
export interface AuthorizationFilters {
  readonly http: {
    /**
     * External authorization filters. They are placed before token verification, because a provider
     * may add the token.
     */
    readonly asking: readonly HttpFilter[];
    /** Filters that decide locally: audit, deny, allow. */
    readonly deciding: readonly HttpFilter[];
  };
  readonly tcp: readonly Filter[];
  /** Equal digests mean equal filters. */
  readonly digest: string;
}

/** Builds the filters. */
export function authorizationFilters(input: AuthorizationInput): AuthorizationFilters {
  const http = build(input, { ...input, http: true }, HTTP);
  const tcp = build(input, { ...input, http: false }, TCP);
  const named = [...http.asking, ...http.deciding, ...tcp.asking, ...tcp.deciding];
  return {
    http: { asking: http.asking.map(httpFilter), deciding: http.deciding.map(httpFilter) },
    tcp: [...tcp.asking, ...tcp.deciding].map(tcpFilter),
    digest: hash(named.map(({ name, config }) => `${name} ${hash(config.value)}`).join("\n")),
  };
}

/**
 * Builds the filters of a gateway that takes tunnels and forwards what is in them: it sees their clients, and
 * the host and port of the destination alone.
 */
export function tunnelFilters(input: AuthorizationInput): readonly HttpFilter[] {
  const { asking } = build(input, { ...input, http: true }, HTTP);
  const { deciding } = build(input, { ...input, http: false, connect: true }, HTTP);
  return [...asking, ...deciding].map(httpFilter);
}

interface Named {
  readonly name: string;
  readonly config: Any;
}

function httpFilter({ name, config: value }: Named): HttpFilter {
  return create(HttpFilterSchema, { name, configType: { case: "typedConfig", value } });
}

function tcpFilter({ name, config: value }: Named): Filter {
  return create(FilterSchema, { name, configType: { case: "typedConfig", value } });
}

/** RBAC for HTTP or TCP: names, and the encoding of the configuration. */
interface Layer {
  readonly access: string;
  readonly ask: string;
  readonly pack: (parts: Parts, config: {
    readonly rules?: Rules;
    readonly shadowRules?: Rules;
    readonly shadowRulesStatPrefix: string;
  }) => Any;
}

const HTTP: Layer = {
  access: "envoy.filters.http.rbac",
  ask: "envoy.filters.http.ext_authz",
  pack: (parts, config) => packAnyInParts(parts, HttpRbacSchema, config),
};

const TCP: Layer = {
  access: "envoy.filters.network.rbac",
  ask: "envoy.filters.network.ext_authz",
  pack: (parts, config) => packAnyInParts(parts, TcpRbacSchema, { ...config, statPrefix: "tcp." }),
};

function build(
  input: AuthorizationInput,
  options: RuleOptions,
  layer: Layer,
): { asking: Named[]; deciding: Named[] } {
  const byEffect = Map.groupBy(input.policies, effectOf);
  const { parts = UNDIVIDED } = input;
  const deciding = (["audit", "deny", "allow"] as const).flatMap((effect) => {
    const policies = byEffect.get(effect) ?? [];
    if (policies.length === 0) return [];
    return parts.part(() => decidingFilter(policies, effect, options, layer));
  });
  const custom = (byEffect.get("custom") ?? []).filter((policy) => !isDryRun(policy));
  if (custom.length === 0) return { asking: [], deciding };
  return { asking: parts.part(() => askingFilters(input, custom, options, layer)), deciding };
}

function decidingFilter(
  policies: readonly PolicyObject[],
  effect: Effect,
  options: RuleOptions,
  layer: Layer,
): Named[] {
  const { parts = UNDIVIDED } = options;
  const tried = policies.filter(isDryRun);
  const enforced = policies.filter((policy) => !isDryRun(policy));
  const rules = (some: readonly PolicyObject[]): Rules | undefined =>
    some.length === 0 ? undefined : parts.part(() => accessRules(some, effect, options));
  const config = layer.pack(parts, {
    rules: rules(enforced),
    shadowRules: rules(tried),
    shadowRulesStatPrefix: trialPrefix(effect, tried.length > 0),
  });
  return [{ name: layer.access, config }];
}

/**
 * Prefix of the statistics and metadata of rules on trial. Rules that only log have none. Without
 * rules on trial the prefix has no effect.
 */
function trialPrefix(effect: Effect, tried: boolean): string {
  if (!tried || effect === "allow") return "mesh_dry_run_allow_";
  return effect === "deny" ? "mesh_dry_run_deny_" : "";
}

/**
 * Returns the rules that select requests, and the filter that calls the provider. If the provider
 * cannot be determined, the requests that the rules select are denied.
 */
function askingFilters(
  input: AuthorizationInput,
  policies: readonly PolicyObject[],
  options: RuleOptions,
  layer: Layer,
): Named[] {
  const { parts = UNDIVIDED } = options;
  const names = new Set(policies.map(({ spec }) => spec.actionDetail.value?.name ?? ""));
  const [provider, ...more] = input.providers.filter(({ name }) => names.has(name));
  const asking = names.size === 1 && provider !== undefined && more.length === 0
    ? extAuthzConfig(provider, input.findService)
    : "there is not one provider";
  if (typeof asking === "string") {
    const affixes = { prefix: ASK_POLICY_PREFIX, suffix: NO_PROVIDER_SUFFIX };
    const rules = parts.part(() => accessRules(policies, "custom", options, affixes));
    const config = layer.pack(parts, { rules, shadowRulesStatPrefix: "" });
    return [{ name: layer.access, config }];
  }
  const ask = layer === HTTP ? asking.http : asking.tcp;
  if (ask === undefined) return [];
  const affixes = { prefix: ASK_POLICY_PREFIX };
  const shadowRules = parts.part(() => accessRules(policies, "custom", options, affixes));
  const config = layer.pack(parts, {
    shadowRules,
    shadowRulesStatPrefix: ASK_PREFIX,
  });
  return [{ name: layer.access, config }, { name: layer.ask, config: ask }];
}
