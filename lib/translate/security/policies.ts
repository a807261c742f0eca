/**
 * What guards a workload: one cell for each set of policies, which all classes
 * that the set applies to share. A change of a policy thus touches the listeners
 * of the workloads that it selects, and nothing else.
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
import { hash } from "../../base/mod.ts";
import { lookUp, modeOf, type Tell, type Workload } from "../../derive/mod.ts";
import {
  type AuthorizationFilters,
  authorizationFilters,
  BLACK_HOLE_CLUSTER,
  clusterName,
  type Guard,
  hasUsableKey,
  type Keys,
  libraryFilters,
  type MutualParameters,
  mutualServerTls,
  type SecretNames,
  secretNames,
  tokenFilter,
} from "../../envoy/mod.ts";
import { type KeyCodec, keyOf, list, oneOf, type Read, text } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import { CIPHER_SUITES } from "../../schema/mod.ts";
import {
  type Context,
  type Guards,
  hostOf,
  type LibraryGuard,
  type PolicyKeys,
  type TokenGuard,
  type TokensKey,
} from "../context/mod.ts";

/** The codec of {@link PolicyKeys}: joined by commas. */
const policyKeys: KeyCodec<PolicyKeys> = list(text);

const tokenKeys: KeyCodec<TokensKey> = keyOf<TokensKey>({
  role: oneOf("sidecar", "router"),
  policies: policyKeys,
});

/** Creates the tables. */
export function deriveGuards(
  context: Omit<Context, "classes" | "guards" | "signals">,
): Guards {
  const { mesh } = context;
  const { graph, tables } = mesh;
  const sameDigest = (a: { digest: string }, b: { digest: string }): boolean =>
    a.digest === b.digest;
  return {
    authorization: graph.derive(
      "guard.authorization",
      policyKeys,
      (read, keys): AuthorizationFilters => {
        const policies = rowsOf(keys, (key) => read.get(tables.authorizationPolicies, key));
        const asks = policies.some(({ spec }) => spec.actionDetail.value !== undefined);
        return authorizationFilters({
          policies,
          providers: asks ? mesh.field(read, "extensionProviders") : [],
          findService: (service, port) => {
            const host = hostOf(read, context, service);
            return host === undefined
              ? undefined
              : { host, cluster: clusterName("outbound", port, "", host) };
          },
          trustDomains: trustDomainsOf(read, context),
          guards: guardsPaths(read, context),
        });
      },
      { equal: sameDigest },
    ),
    libraries: graph.derive("guard.libraries", policyKeys, (read, keys): LibraryGuard => {
      const filters = libraryFilters({
        policies: rowsOf(keys, (key) => read.get(tables.authorizationPolicies, key)),
        trustDomains: trustDomainsOf(read, context),
        guards: guardsPaths(read, context),
      });
      return { filters, digest: hash(filters.map(digestOf).join("\n")) };
    }, { equal: sameDigest }),
    tokens: graph.derive("guard.tokens", tokenKeys, (read, { role, policies }): TokenGuard => {
      const rows = rowsOf(policies, (one) => read.get(tables.requestAuthentications, one));
      const rules = rows.flatMap(({ spec }) => spec.jwtRules)
        .map((rule) => ({ rule, keys: keysOf(read, context, rule) }));
      const filter = tokenFilter(rules, role === "router");
      return { filter, digest: filter === undefined ? "" : digestOf(filter) };
    }, { equal: sameDigest }),
    wantedKeySets: graph.derive<readonly string[]>(
      "guard.wantedKeySets",
      (read, key) =>
        read.get(mesh.security.keySetUris, key)
          .filter((uri) => remoteCluster(read, context, uri) === undefined),
    ),
  };
}

/** Whether what forbids knows other ways to write the same. */
function guardsPaths(read: Read, { mesh }: Pick<Context, "mesh">): boolean {
  return mesh.field(read, "pathNormalization")?.normalization !== Normalization.NONE;
}

function digestOf({ name, configType: { value } }: HttpFilter): string {
  return `${name} ${value !== undefined && "typeUrl" in value ? hash(value.value) : ""}`;
}

function rowsOf<T>(keys: PolicyKeys, row: (key: string) => T | undefined): T[] {
  return keys.map(row).filter((one) => one !== undefined);
}

/** The mesh's trust domain, then its aliases. */
export function trustDomainsOf(read: Read, { mesh }: Pick<Context, "mesh">): string[] {
  const own = mesh.field(read, "trustDomain");
  return [...new Set([own || mesh.domain, ...mesh.field(read, "trustDomainAliases")])];
}

/**
 * Keys that are not to be had: the proxy looks for them where nothing is, fails,
 * and believes no token. A set without keys, or with one that nobody is meant to
 * hold, would not do: the first is refused, the second is a key.
 */
const NO_KEYS: Keys = { cluster: BLACK_HOLE_CLUSTER, uri: "http://keys.invalid/" };

/** Where the keys of a rule are to be had; see the variable `PILOT_JWT_ENABLE_REMOTE_JWKS`. */
function keysOf(
  read: Read,
  context: Omit<Context, "classes" | "guards" | "signals">,
  rule: JWTRule,
): Keys {
  if (rule.jwks !== "") return hasUsableKey(rule.jwks) ? { jwks: rule.jwks } : NO_KEYS;
  if (rule.jwksUri === "") return NO_KEYS;
  const cluster = remoteCluster(read, context, rule.jwksUri);
  if (cluster !== undefined) return { uri: rule.jwksUri, cluster };
  const fetched = read.get(context.mesh.tables.keySets, rule.jwksUri);
  const jwks = fetched?.jwks;
  return jwks !== undefined && hasUsableKey(jwks) ? { jwks } : NO_KEYS;
}

/** The cluster by which proxies fetch keys from an address; `undefined` when this program fetches them. */
function remoteCluster(
  read: Read,
  context: Omit<Context, "classes" | "guards" | "signals">,
  uri: string,
): string | undefined {
  const { remoteKeys } = context.features;
  if (remoteKeys === "daemon") return undefined;
  const url = new URL(uri);
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const known = hostOf(read, context, url.hostname);
  if (known === undefined && remoteKeys === "hybrid") return undefined;
  return clusterName("outbound", port, "", known ?? url.hostname);
}

/** Records the policies of a workload as decisions. */
export function tellPolicies(tell: Tell, group: string, kind: string, keys: PolicyKeys): void {
  for (const key of keys) {
    tell({ group, source: "object", object: `${kind}/${key}`, field: "spec" });
  }
}

/** What guards a workload. */
export function guardOf(
  read: Read,
  context: Context,
  workload: Workload,
  options: ProxyClass["options"],
  tell?: Tell,
): Guard {
  const { security } = context.mesh;
  const accessKeys = read.get(security.authorization, workload);
  const access = read.get(context.guards.authorization, accessKeys);
  const tokenPolicies = read.get(security.tokens, workload);
  if (tell !== undefined) {
    tellPolicies(tell, "access", "AuthorizationPolicy", accessKeys);
    tellPolicies(tell, "tokens", "RequestAuthentication", tokenPolicies);
  }
  const tokens = read.get(context.guards.tokens, {
    role: workload.role,
    policies: tokenPolicies,
  });
  const filters = {
    http: [
      ...access.http.asking,
      ...(tokens.filter === undefined ? [] : [tokens.filter]),
      ...access.http.deciding,
    ],
    tcp: access.tcp,
  };
  // Gateways speak TLS as their servers say.
  if (workload.role === "router") {
    return { ...filters, mode: () => "disable", otherwise: "disable", named: [] };
  }
  const modes = lookUp(read, security.peerModes, workload, tell);
  const names = secretNames({ options }).server;
  return {
    ...filters,
    mode: (port) => modeOf(modes, port),
    otherwise: modes.mode,
    named: Object.keys(modes.ports).map(Number),
    tls: names && mutualServer(read, context, names),
  };
}

/** Ends mutual TLS of clients that are workloads of the mesh. */
export function mutualServer(read: Read, context: Context, names: SecretNames): TransportSocket {
  const domains = context.features.checkTrustDomain ? trustDomainsOf(read, context) : [];
  return mutualServerTls(names, domains, mutualParameters(read, context));
}

/** What `meshMTLS` says; suites that Envoy does not know were warned of, and are left out. */
export function mutualParameters(read: Read, { mesh }: Context): MutualParameters {
  const settings = mesh.field(read, "meshMTLS");
  if (settings === undefined) return {};
  return {
    onlyNewest: settings.minProtocolVersion === Version.TLSV1_3,
    curves: settings.ecdhCurves,
    suites: settings.cipherSuites.filter((suite) => CIPHER_SUITES.has(suite)),
  };
}
