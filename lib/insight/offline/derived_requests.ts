/**
 * Requests that a configuration speaks of: one for each match of a route, for each operation, path and
 * token of a policy, and one beside each path and method.
 *
 * @module
 */
import type { Mesh } from "../../mesh/derive/mod.ts";
import type { Input } from "../../mesh/graph/mod.ts";
import { type ConfigObject, objectKey, type Service } from "../../mesh/model/mod.ts";
import type { QuestionFields } from "../explain/mod.ts";

/** A request without client, scheme, host and port. */
export interface DerivedRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: readonly string[];
  readonly claims?: string;
}

/** Maximum of requests to a host. */
const MAX_REQUESTS = 60;

/** The objects of a mesh that speak of requests, as they are at one time. */
export interface SpokenObjects {
  readonly virtualServices: Rows<"virtualServices">;
  readonly authorizationPolicies: Rows<"authorizationPolicies">;
  readonly requestAuthentications: Rows<"requestAuthentications">;
  readonly gateways: Rows<"gateways">;
}

type Tables = Mesh["tables"];
type Rows<T extends keyof Tables> = Tables[T] extends Input<infer V, string> ? readonly V[] : never;

/** Returns the objects of a mesh that speak of requests. */
export function spokenObjects({ tables }: Mesh): SpokenObjects {
  return {
    virtualServices: rowsOf(tables.virtualServices),
    authorizationPolicies: rowsOf(tables.authorizationPolicies),
    requestAuthentications: rowsOf(tables.requestAuthentications),
    gateways: rowsOf(tables.gateways),
  };
}

/** Returns the requests of some meshes to a service, without duplicates; the first one is `GET /`. */
export function derivedRequests(
  meshes: readonly SpokenObjects[],
  { host, namespace }: Pick<Service, "host" | "namespace">,
): DerivedRequest[] {
  const found = new Map<string, DerivedRequest>();
  const add = ({ method, ...rest }: DerivedRequest) => {
    const one = method === undefined || method === "GET" ? rest : { ...rest, method };
    found.set(JSON.stringify(one), one);
  };
  add({ path: "/" });
  for (const mesh of meshes) {
    for (const one of ofRoutes(mesh, host)) add(one);
    for (const one of ofPolicies(mesh, namespace)) add(one);
    for (const one of ofTokens(mesh, namespace)) add(one);
  }
  return [...found.values()].slice(0, MAX_REQUESTS);
}

function rowsOf<T>(table: Input<ConfigObject<T>>): ConfigObject<T>[] {
  return table.keys().toSorted().flatMap((key) => table.peek(key) ?? []);
}

function* ofRoutes(
  { virtualServices }: SpokenObjects,
  host: string,
): Iterable<DerivedRequest> {
  for (const { spec } of virtualServices) {
    if (!spec.hosts.some((one) => covers(one.toLowerCase(), host))) continue;
    for (const { match } of spec.http) {
      for (const { uri, method, headers } of match) {
        const lines = Object.entries(headers).flatMap(([name, { matchType }]) =>
          matchType.case === "exact" || matchType.case === "prefix"
            ? [`${name}: ${matchType.value}`]
            : []
        );
        const value = uri?.matchType.case === "regex" ? "/" : uri?.matchType.value ?? "/";
        const common = {
          ...(method?.matchType.case === "exact" ? { method: method.matchType.value } : {}),
          ...(lines.length === 0 ? {} : { headers: lines }),
        };
        if (!value.startsWith("/")) continue;
        yield { path: encodeURI(value), ...common };
        yield { path: encodeURI(besideOf(value)) };
      }
    }
  }
}

/** Reports if a host of a VirtualService, which may be short or a wildcard, is that of a service. */
function covers(pattern: string, host: string): boolean {
  if (pattern.startsWith("*")) return host.endsWith(pattern.slice(1));
  return pattern === host || host.startsWith(`${pattern}.`);
}

function* ofPolicies(
  { authorizationPolicies }: SpokenObjects,
  namespace: string,
): Iterable<DerivedRequest> {
  for (const { meta, spec } of authorizationPolicies) {
    if (!concerns(meta.namespace, namespace)) continue;
    for (const { to, from } of spec.rules) {
      for (const { operation } of to) {
        const methods = [...operation?.methods ?? [], ...operation?.notMethods ?? []];
        const paths = [...operation?.paths ?? [], ...operation?.notPaths ?? []];
        const named = paths.length === 0 ? ["/"] : paths.map(exampleOf);
        for (const path of named) {
          yield { path };
          for (const method of methods.filter(isMethod)) yield { path, method };
          if (methods.length > 0) yield { path, method: otherThan(methods) };
        }
        for (const path of paths) {
          if (path !== "*" && path !== "/*") yield { path: outsideOf(path) };
        }
      }
      for (const { source } of from) {
        for (const name of source?.requestPrincipals ?? []) {
          const slash = name.lastIndexOf("/");
          if (slash < 0) continue;
          const claims = {
            iss: name.slice(0, slash),
            sub: name.slice(slash + 1).replace("*", "x"),
          };
          yield { path: "/", claims: JSON.stringify(claims) };
        }
      }
    }
  }
}

function* ofTokens(
  { requestAuthentications }: SpokenObjects,
  namespace: string,
): Iterable<DerivedRequest> {
  for (const { meta, spec } of requestAuthentications) {
    if (!concerns(meta.namespace, namespace)) continue;
    for (const { issuer, audiences: [audience] } of spec.jwtRules) {
      const claims = {
        iss: issuer,
        sub: "x",
        ...(audience === undefined ? {} : { aud: audience }),
      };
      yield { path: "/", claims: JSON.stringify(claims) };
      yield { path: "/", claims: JSON.stringify({ ...claims, iss: `${issuer}-other` }) };
    }
  }
}

/** The policies of other namespaces may be those of the root namespace. */
function concerns(policy: string, namespace: string): boolean {
  return policy === namespace || policy === "mesh-system";
}

function isMethod(text: string): boolean {
  return /^[A-Z]+$/.test(text);
}

function otherThan(methods: readonly string[]): string {
  return ["GET", "POST", "DELETE", "PUT"].find((one) => !methods.includes(one)) ?? "PATCH";
}

/** A path that a path of a policy matches. */
function exampleOf(pattern: string): string {
  const path = pattern.replace(/\{\*\*?\}|\*/g, "x");
  return encodeURI(path.startsWith("/") ? path : `/${path}`);
}

/** A path that a path of a policy does not match. */
function outsideOf(pattern: string): string {
  return besideOf(exampleOf(pattern.endsWith("/*") ? pattern.slice(0, -2) : pattern));
}

/** A path beside one: a sibling with another last segment. */
function besideOf(path: string): string {
  return path.endsWith("/") ? `${path}beside` : `${path}-beside`;
}

/** A client that no workload is, by a principal or namespace of a policy. */
export function* namedClients({ authorizationPolicies }: SpokenObjects): Iterable<string> {
  for (const { meta, spec } of authorizationPolicies) {
    for (const { source } of spec.rules.flatMap(({ from }) => from)) {
      for (const principal of source?.principals ?? []) {
        const [, namespace, account] = /\/ns\/([^/*]+)\/sa\/([^/*]+)$/.exec(principal) ?? [];
        if (account !== undefined) yield `${namespace}/service-account=${account}`;
      }
      for (const account of source?.serviceAccounts ?? []) {
        const [first = "", second] = account.split("/");
        yield second === undefined
          ? `${meta.namespace}/service-account=${first}`
          : `${first}/service-account=${second}`;
      }
      for (const namespace of source?.namespaces ?? []) {
        if (!namespace.includes("*")) yield `${namespace}/service-account=default`;
      }
    }
  }
}

/** A host of a VirtualService at a port of a Gateway. */
export interface GatewayHost {
  /** `NAME.NAMESPACE` of the Gateway. */
  readonly gateway: string;
  /** Labels of its proxies. */
  readonly selector: Readonly<Record<string, string>>;
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly number: number;
}

/** The hosts that VirtualServices have at HTTP ports of Gateways. */
export function* gatewayHosts(
  { gateways: rows, virtualServices }: SpokenObjects,
): Iterable<GatewayHost> {
  for (const { meta, spec: { servers, selector } } of rows) {
    const { name, namespace } = meta;
    const key = objectKey(meta);
    const bound = virtualServices.filter(({ meta: own, spec: { gateways } }) =>
      gateways.some((one) => one === key || one === name && own.namespace === namespace)
    );
    for (const { port, tls } of servers) {
      const isHttp = ["HTTP", "HTTP2", "GRPC", "HTTPS"].includes(port?.protocol ?? "");
      if (port === undefined || !isHttp) continue;
      const scheme = tls === undefined || port.protocol !== "HTTPS" ? "http" : "https";
      for (const host of bound.flatMap(({ spec: { hosts } }) => hosts)) {
        const named = host.startsWith("*") ? `any${host.slice(1) || ".test"}` : host;
        const where = { host: named.toLowerCase(), number: port.number };
        yield { gateway: `${name}.${namespace}`, selector, scheme, ...where };
      }
    }
  }
}

/** The question of a request. */
export function questionFor(
  from: string,
  { scheme = "http", host, number }: Partial<GatewayHost> & Pick<GatewayHost, "host" | "number">,
  { path, ...rest }: DerivedRequest,
): QuestionFields {
  return { from, url: `${scheme}://${host}:${number}${path}`, ...rest };
}
