/**
 * Security policies of workloads. There is one cell for each set of policies, shared by all classes
 * that the set applies to. A change of a policy so changes only the listeners of the workloads that
 * it selects.
 *
 * @module
 */
import type { TransportSocket } from "#envoy/config/core/v3/base_pb.ts";
import type { HttpFilter } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import {
  MeshConfig_ProxyPathNormalization_NormalizationType as Normalization,
  MeshConfig_TLSConfig_TLSProtocol as Version,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { JWTRule } from "#mesh/security/v1beta1/request_authentication_pb.ts";
import { type DecisionLog, hash } from "../../../kit/base/mod.ts";
import { modeOf, type WaypointTarget, type Workload } from "../../derive/mod.ts";
import {
  authorizationFilters,
  type AuthorizationInput,
  BLACK_HOLE_CLUSTER,
  clusterName,
  grpcAccessFilters,
  hasUsableKey,
  type Keys,
  type MutualParameters,
  mutualServerTls,
  type SecretNames,
  secretNames,
  type SecurityPolicies,
  tokenFilter,
  tunnelClientTls,
  tunnelFilters,
  tunnelServerTls,
} from "../../envoy/mod.ts";
import { type Read, rowRef, text } from "../../graph/mod.ts";
import { discoveryUri, keySetName, type ProxyClass } from "../../model/mod.ts";
import { CIPHER_SUITES } from "../../schema/mod.ts";
import {
  type MeshContext,
  namedHost,
  type PolicyKeys,
  policyKeys,
  type RequestFilters,
  type SecurityTables,
  type TokenFilter,
  tokenPolicies,
} from "../context/mod.ts";
import type { BaseContext, Context } from "./features.ts";

/** Creates the tables. */
export function deriveSecurityPolicies(context: BaseContext): SecurityTables {
  const { mesh } = context;
  const { graph, tables } = mesh;
  const options = {
    equal: (a: { digest: string }, b: { digest: string }): boolean => a.digest === b.digest,
  };
  return {
    authorization: graph.derive(
      "accessFilters.authorization",
      policyKeys,
      (read, keys) => authorizationFilters(authorizationInput(read, context, keys)),
      options,
    ),
    tunnelled: graph.derive(
      "accessFilters.tunnelled",
      policyKeys,
      (read, keys) =>
        authorizationFilters({ ...authorizationInput(read, context, keys), tunnelled: true }),
      options,
    ),
    proxyless: graph.derive("accessFilters.grpc", policyKeys, (read, keys): RequestFilters => {
      const filters = grpcAccessFilters({
        policies: rowsOf(keys, (key) => read.get(tables.authorizationPolicies, key)),
        trustDomains: trustDomainsOf(read, context),
        otherSpellings: normalizesPaths(read, context),
        parts: read,
      });
      return { filters, digest: hash(filters.map(digestOf).join("\n")) };
    }, options),
    entrance: graph.derive("accessFilters.entrance", policyKeys, (read, keys): RequestFilters => {
      const filters = tunnelFilters(authorizationInput(read, context, keys));
      return { filters, digest: hash(filters.map(digestOf).join("\n")) };
    }, options),
    tokens: graph.derive(
      "accessFilters.tokens",
      tokenPolicies,
      (read, { role, policies }): TokenFilter => {
        const rows = rowsOf(policies, (one) => read.get(tables.requestAuthentications, one));
        const rules = rows.flatMap(({ spec }) => spec.jwtRules)
          .map((rule) => ({ rule, keys: keysOf(read, context, rule) }));
        const filter = tokenFilter(rules, role === "router");
        return { filter, digest: filter === undefined ? "" : digestOf(filter) };
      },
      options,
    ),
    wantedKeySets: graph.derive<readonly string[], string>(
      "accessFilters.wantedKeySets",
      text,
      (read, key) =>
        read.get(mesh.security.keySets, key)
          .filter((name) => remoteCluster(read, context, name) === undefined),
    ),
  };
}

function authorizationInput(
  read: Read,
  context: BaseContext,
  keys: PolicyKeys,
): AuthorizationInput {
  const { mesh } = context;
  const policies = rowsOf(keys, (key) => read.get(mesh.tables.authorizationPolicies, key));
  const custom = policies.some(({ spec }) => spec.actionDetail.value !== undefined);
  return {
    policies,
    providers: custom ? mesh.field(read, "extensionProviders") : [],
    findService: (service, port) => {
      const host = namedHost(read, context, service);
      return host === undefined
        ? undefined
        : { host, cluster: clusterName("outbound", port, "", host) };
    },
    trustDomains: trustDomainsOf(read, context),
    otherSpellings: normalizesPaths(read, context),
    parts: read,
  };
}

/** Reports if paths are normalized, so that rules must match other spellings of a path, too. */
function normalizesPaths(read: Read, { mesh }: MeshContext): boolean {
  return mesh.field(read, "pathNormalization")?.normalization !== Normalization.NONE;
}

function digestOf({ name, configType: { value } }: HttpFilter): string {
  return `${name} ${value !== undefined && "typeUrl" in value ? hash(value.value) : ""}`;
}

function rowsOf<T>(keys: PolicyKeys, row: (key: string) => T | undefined): T[] {
  return keys.map(row).filter((one) => one !== undefined);
}

/** The mesh's trust domain, then its aliases. */
export function trustDomainsOf(read: Read, { mesh }: MeshContext): string[] {
  const own = mesh.field(read, "trustDomain");
  return [...new Set([own || mesh.domain, ...mesh.field(read, "trustDomainAliases")])];
}

/**
 * Unknown keys: the proxy requests a cluster that does not exist, fails, and accepts no token.
 * Envoy rejects an empty key set, and a made-up key would be a valid key.
 */
const NO_KEYS: Keys = { cluster: BLACK_HOLE_CLUSTER, uri: "http://keys.invalid/" };

/** The keys of a rule; see the variable `PILOT_JWT_ENABLE_REMOTE_JWKS`. */
function keysOf(read: Read, context: BaseContext, rule: JWTRule): Keys {
  if (rule.jwks !== "") return hasUsableKey(rule.jwks) ? { jwks: rule.jwks } : NO_KEYS;
  const name = keySetName(rule);
  if (name === undefined) return NO_KEYS;
  const cluster = remoteCluster(read, context, name);
  if (cluster !== undefined) return { uri: name, cluster };
  const jwks = read.get(context.mesh.tables.keySets, name)?.jwks;
  return jwks !== undefined && hasUsableKey(jwks) ? { jwks } : NO_KEYS;
}

/**
 * The cluster through which proxies fetch a key set; `undefined` where this program fetches it. Key
 * sets that are found by discovery are fetched by this program: proxies know no discovery.
 */
function remoteCluster(read: Read, context: BaseContext, name: string): string | undefined {
  const { remoteKeys } = context.features;
  if (remoteKeys === "daemon" || discoveryUri(name) !== undefined) return undefined;
  const url = new URL(name);
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const known = namedHost(read, context, url.hostname);
  if (known === undefined && remoteKeys === "hybrid") return undefined;
  return clusterName("outbound", port, "", known ?? url.hostname);
}

/** Records the policies that apply to a workload. */
export function recordPolicies(
  log: DecisionLog,
  group: "access" | "tokens",
  kind: string,
  keys: PolicyKeys,
): void {
  for (const key of keys) {
    log.decide?.({ group, source: "object", object: rowRef({ table: kind, key }), field: "spec" });
  }
}

/** The listeners that policies apply to. */
export interface ListenerSecurity {
  /** Options of the proxy, for the secrets of mutual TLS. */
  readonly options: ProxyClass["options"];
  /** True: the content of tunnels. */
  readonly tunnelled?: boolean;
}

/** The security policies of a workload's listeners. */
export function securityOf(
  read: Read,
  context: Context,
  workload: Workload,
  { options, tunnelled = false }: ListenerSecurity,
): SecurityPolicies {
  const { security } = context.mesh;
  const accessKeys = read.get(security.authorization, workload);
  const access = read.get(context.security[tunnelled ? "tunnelled" : "authorization"], accessKeys);
  const policies = read.get(security.tokens, workload);
  recordPolicies(read, "access", "AuthorizationPolicy", accessKeys);
  recordPolicies(read, "tokens", "RequestAuthentication", policies);
  const tokens = read.get(context.security.tokens, { role: workload.role, policies });
  const filters = {
    http: [
      ...access.http.asking,
      ...(tokens.filter === undefined ? [] : [tokens.filter]),
      ...access.http.deciding,
    ],
    tcp: access.tcp,
  };
  // The servers of Gateways say how gateways use TLS; tunnels have TLS of their own.
  if (workload.role === "router" || tunnelled) {
    return { ...filters, mode: () => "disable", otherwise: "disable", named: [] };
  }
  const modes = read.follow(security.peerModes, workload);
  const names = secretNames({ options }).server;
  return {
    ...filters,
    mode: (port) => modeOf(modes, port),
    otherwise: modes.mode,
    named: Object.keys(modes.ports).map(Number),
    tls: names && mutualServer(read, context, names),
  };
}

/** The policies that are attached to a destination at a waypoint. */
export function attachedSecurity(
  read: Read,
  context: Context,
  target: WaypointTarget,
): Pick<SecurityPolicies, "http" | "tcp"> {
  const { security } = context.mesh;
  const accessKeys = read.get(security.attachedAuthorization, target);
  const access = read.get(context.security.tunnelled, accessKeys);
  const policies = read.get(security.attachedTokens, target);
  recordPolicies(read, "access", "AuthorizationPolicy", accessKeys);
  recordPolicies(read, "tokens", "RequestAuthentication", policies);
  const { filter } = read.get(context.security.tokens, { role: "waypoint", policies });
  return {
    http: [
      ...access.http.asking,
      ...(filter === undefined ? [] : [filter]),
      ...access.http.deciding,
    ],
    tcp: access.tcp,
  };
}

/** The filters of tunnels into a network: the policies that are attached to the gateway that takes them. */
export function entranceFilters(
  read: Read,
  context: Context,
  target: WaypointTarget,
): readonly HttpFilter[] {
  const keys = read.get(context.mesh.security.attachedAuthorization, target);
  recordPolicies(read, "access", "AuthorizationPolicy", keys);
  return read.get(context.security.entrance, keys).filters;
}

/** The TLS context of a server whose clients are workloads of the mesh. */
export function mutualServer(
  read: Read,
  context: BaseContext,
  names: SecretNames,
): TransportSocket {
  return mutualServerTls(names, acceptedDomains(read, context), mutualParameters(read, context));
}

/** The TLS context at the end of tunnels. */
export function tunnelServer(
  read: Read,
  context: BaseContext,
  names: SecretNames,
): TransportSocket {
  return tunnelServerTls(names, acceptedDomains(read, context), mutualParameters(read, context));
}

/** The TLS context of opened tunnels. */
export function tunnelClient(
  read: Read,
  context: BaseContext,
  names: SecretNames,
): TransportSocket {
  return tunnelClientTls(names, acceptedDomains(read, context), mutualParameters(read, context));
}

/** Trust domains whose workloads are accepted; empty: they are not compared. */
function acceptedDomains(read: Read, context: BaseContext): readonly string[] {
  return context.features.checkTrustDomain ? trustDomainsOf(read, context) : [];
}

/**
 * Returns the settings of `meshMTLS`, unless a policy overrides them. Cipher suites that Envoy does
 * not know are omitted; validation warns about them.
 */
export function mutualParameters(read: Read, { mesh, features }: BaseContext): MutualParameters {
  if (features.fips) return { fips: true };
  const settings = mesh.field(read, "meshMTLS");
  if (settings === undefined) return {};
  return {
    onlyNewest: settings.minProtocolVersion === Version.TLSV1_3,
    curves: settings.ecdhCurves,
    suites: settings.cipherSuites.filter((suite) => CIPHER_SUITES.has(suite)),
  };
}
