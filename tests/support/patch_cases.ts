/**
 * For tests: patches of every operation and target. Each has a golden file of the changed
 * resources, which a real Envoy validates.
 *
 * @module
 */

/** A patch, and who is served what it changes. */
export interface PatchCase {
  readonly name: string;
  /** `client` calls, `server` is called, `gateway` is neither. */
  readonly proxy: "client" | "server" | "gateway";
  /** The items of `configPatches`, YAML in flow style. */
  readonly patches: readonly string[];
  /** True if client streams use VHDS. */
  readonly apart?: true;
}

const HCM = "envoy.filters.network.http_connection_manager";
const ROUTER = "envoy.filters.http.router";
const TYPE = "type.googleapis.com/envoy.extensions";

/** A Lua filter, as patches add it. */
export const LUA: string =
  `{name: lua, typedConfig: {"@type": ${TYPE}.filters.http.lua.v3.Lua, defaultSourceCode: {inlineString: "function envoy_on_response(h) h:headers():add('x-lua', 'yes') end"}}}`;
const CONNECTIONS =
  `{name: limit, typedConfig: {"@type": ${TYPE}.filters.network.connection_limit.v3.ConnectionLimit, statPrefix: limit, maxConnections: 5}}`;
const ORIGINAL_SRC =
  `{name: src, typedConfig: {"@type": ${TYPE}.filters.listener.original_src.v3.OriginalSrc, mark: 7}}`;

/** An external processor with enum values that are newer than the npm package with Envoy's protos. */
export const PROCESSOR: string =
  `{name: processor, typedConfig: {"@type": ${TYPE}.filters.http.ext_proc.v3.ExternalProcessor, grpcService: {envoyGrpc: {clusterName: xds}}, processingMode: {requestBodyMode: FULL_DUPLEX_STREAMED, requestTrailerMode: SEND, responseBodyMode: GRPC, responseTrailerMode: SEND}}}`;

function patch(
  applyTo: string,
  operation: string,
  match: string,
  { value, more = "" }: { readonly value?: string; readonly more?: string } = {},
): string {
  const what = value === undefined ? "" : `, value: ${value}`;
  return `{applyTo: ${applyTo}, match: ${match}, patch: {operation: ${operation}${what}${more}}}`;
}

const LISTENER = "{context: SIDECAR_OUTBOUND, listener: {portNumber: 80}}";
const inHttp = (sub: string) =>
  `{context: SIDECAR_OUTBOUND, listener: {portNumber: 80, filterChain: {filter: {name: ${HCM}${
    sub && `, subFilter: {name: ${sub}}`
  }}}}}`;
const network = (name: string) =>
  `{listener: {name: 240.0.0.1_9000${name && `, filterChain: {filter: {name: ${name}}}`}}}`;
const TCP = "envoy.filters.network.tcp_proxy";
const table = (more: string) => `{context: SIDECAR_OUTBOUND, routeConfiguration: {${more}}}`;
const HOST = 'name: "80", vhost: {name: "a.example:80"';

const cases = (
  group: string,
  proxy: PatchCase["proxy"],
  all: Readonly<Record<string, string | readonly string[]>>,
  apart?: true,
): PatchCase[] =>
  Object.entries(all).map(([name, patches]) => ({
    name: `${group}_${name}`,
    proxy,
    patches: typeof patches === "string" ? [patches] : patches,
    ...(apart && { apart }),
  }));

const CLUSTER_A = "{cluster: {service: a.example, portNumber: 80}}";
const STATIC =
  "{name: extra, connectTimeout: 3s, type: STATIC, loadAssignment: {clusterName: extra}}";

/** All cases. */
export const PATCH_CASES: readonly PatchCase[] = [
  ...cases("cluster", "client", {
    merge: patch("CLUSTER", "MERGE", CLUSTER_A, { value: "{connectTimeout: 7s, name: other}" }),
    merge_subset: patch("CLUSTER", "MERGE", "{cluster: {subset: v1}}", {
      value: "{lbPolicy: RANDOM}",
    }),
    merge_name: patch("CLUSTER", "MERGE", '{cluster: {name: "outbound|9000||tcp.example"}}', {
      value: "{lbPolicy: RANDOM}",
    }),
    merge_options: patch("CLUSTER", "MERGE", CLUSTER_A, {
      value:
        `{typedExtensionProtocolOptions: {envoy.extensions.upstreams.http.v3.HttpProtocolOptions: {"@type": ${TYPE}.upstreams.http.v3.HttpProtocolOptions, commonHttpProtocolOptions: {idleTimeout: 9s}, explicitHttpConfig: {httpProtocolOptions: {}}}}}`,
    }),
    replace_list: patch("CLUSTER", "MERGE_AND_REPLACE_LIST", CLUSTER_A, {
      value: "{circuitBreakers: {thresholds: [{maxConnections: 3}]}}",
    }),
    add: patch("CLUSTER", "ADD", "{context: SIDECAR_OUTBOUND}", { value: STATIC }),
    remove: patch("CLUSTER", "REMOVE", CLUSTER_A),
    remove_and_add: [
      patch("CLUSTER", "REMOVE", '{cluster: {name: "outbound|80||a.example"}}'),
      patch("CLUSTER", "ADD", "{}", {
        value: STATIC.replaceAll("extra", '"outbound|80||a.example"'),
      }),
    ],
  }),
  ...cases("cluster_inbound", "server", {
    merge: patch(
      "CLUSTER",
      "MERGE",
      "{context: SIDECAR_INBOUND, cluster: {service: server.example}}",
      { value: "{connectTimeout: 7s}" },
    ),
  }),
  ...cases("listener", "client", {
    merge: patch("LISTENER", "MERGE", LISTENER, { value: "{perConnectionBufferLimitBytes: 4096}" }),
    remove: patch("LISTENER", "REMOVE", "{listener: {name: 240.0.0.1_9000}}"),
    add: patch("LISTENER", "ADD", "{context: SIDECAR_OUTBOUND}", {
      value:
        `{name: extra, address: {socketAddress: {address: 127.0.0.1, portValue: 9999}}, filterChains: [{filters: [{name: echo, typedConfig: {"@type": ${TYPE}.filters.network.echo.v3.Echo}}]}]}`,
    }),
  }),
  ...cases("listener_filter", "client", {
    add: patch("LISTENER_FILTER", "ADD", LISTENER, { value: ORIGINAL_SRC }),
    first: patch("LISTENER_FILTER", "INSERT_FIRST", LISTENER, { value: ORIGINAL_SRC }),
    before: patch(
      "LISTENER_FILTER",
      "INSERT_BEFORE",
      "{listener: {portNumber: 80, listenerFilter: envoy.filters.listener.http_inspector}}",
      { value: ORIGINAL_SRC },
    ),
    after: patch(
      "LISTENER_FILTER",
      "INSERT_AFTER",
      "{listener: {portNumber: 80, listenerFilter: envoy.filters.listener.tls_inspector}}",
      { value: ORIGINAL_SRC },
    ),
    replace: patch(
      "LISTENER_FILTER",
      "REPLACE",
      "{listener: {portNumber: 80, listenerFilter: envoy.filters.listener.tls_inspector}}",
      { value: ORIGINAL_SRC },
    ),
    remove: patch(
      "LISTENER_FILTER",
      "REMOVE",
      "{listener: {portNumber: 80, listenerFilter: envoy.filters.listener.tls_inspector}}",
    ),
    merge: patch(
      "LISTENER_FILTER",
      "MERGE",
      "{listener: {portNumber: 80, listenerFilter: envoy.filters.listener.tls_inspector}}",
      {
        value:
          `{typedConfig: {"@type": ${TYPE}.filters.listener.tls_inspector.v3.TlsInspector, enableJa3Fingerprinting: true}}`,
      },
    ),
  }),
  ...cases("filter_chain", "server", {
    merge: patch(
      "FILTER_CHAIN",
      "MERGE",
      "{context: SIDECAR_INBOUND, listener: {filterChain: {destinationPort: 7070}}}",
      { value: "{transportSocketConnectTimeout: 4s}" },
    ),
    merge_port: patch(
      "FILTER_CHAIN",
      "MERGE",
      "{listener: {name: virtualInbound, portNumber: 7070, filterChain: {name: 0.0.0.0_7070}}}",
      { value: "{transportSocketConnectTimeout: 4s}" },
    ),
    remove: patch(
      "FILTER_CHAIN",
      "REMOVE",
      "{listener: {name: virtualInbound, filterChain: {name: virtualInbound-blackhole}}}",
    ),
    add: patch("FILTER_CHAIN", "ADD", "{listener: {name: virtualInbound}}", {
      value:
        `{name: extra, filterChainMatch: {destinationPort: 5555}, filters: [{name: echo, typedConfig: {"@type": ${TYPE}.filters.network.echo.v3.Echo}}]}`,
    }),
  }),
  ...cases("network_filter", "client", {
    add: patch("NETWORK_FILTER", "ADD", network(""), { value: CONNECTIONS }),
    first: patch("NETWORK_FILTER", "INSERT_FIRST", network(""), { value: CONNECTIONS }),
    before: patch("NETWORK_FILTER", "INSERT_BEFORE", network(TCP), { value: CONNECTIONS }),
    after: [
      patch("NETWORK_FILTER", "INSERT_FIRST", network(""), { value: CONNECTIONS }),
      patch("NETWORK_FILTER", "INSERT_AFTER", network("limit"), {
        value: CONNECTIONS.replace("limit", "more"),
      }),
    ],
    merge: patch("NETWORK_FILTER", "MERGE", network(TCP), {
      value:
        `{typedConfig: {"@type": ${TYPE}.filters.network.tcp_proxy.v3.TcpProxy, idleTimeout: 8s}}`,
    }),
    replace: patch("NETWORK_FILTER", "REPLACE", network(TCP), {
      value: `{name: echo, typedConfig: {"@type": ${TYPE}.filters.network.echo.v3.Echo}}`,
    }),
    remove: [
      patch("NETWORK_FILTER", "INSERT_FIRST", network(""), { value: CONNECTIONS }),
      patch("NETWORK_FILTER", "INSERT_FIRST", network(""), {
        value: CONNECTIONS.replace("limit", "more"),
      }),
      patch("NETWORK_FILTER", "REMOVE", network("limit")),
    ],
  }),
  ...cases("http_filter", "client", {
    add: patch("HTTP_FILTER", "ADD", inHttp(""), { value: LUA }),
    first: patch("HTTP_FILTER", "INSERT_FIRST", inHttp(""), { value: LUA }),
    processor: patch("HTTP_FILTER", "INSERT_FIRST", inHttp(""), { value: PROCESSOR }),
    before: patch("HTTP_FILTER", "INSERT_BEFORE", inHttp(ROUTER), { value: LUA }),
    after: patch("HTTP_FILTER", "INSERT_AFTER", inHttp("envoy.filters.http.fault"), { value: LUA }),
    replace: patch("HTTP_FILTER", "REPLACE", inHttp("envoy.filters.http.cors"), { value: LUA }),
    remove: patch("HTTP_FILTER", "REMOVE", inHttp("envoy.filters.http.fault")),
    merge: patch("HTTP_FILTER", "MERGE", inHttp(ROUTER), {
      value:
        `{typedConfig: {"@type": ${TYPE}.filters.http.router.v3.Router, suppressEnvoyHeaders: true}}`,
    }),
    manager: patch("NETWORK_FILTER", "MERGE", inHttp(""), {
      value:
        `{typedConfig: {"@type": ${TYPE}.filters.network.http_connection_manager.v3.HttpConnectionManager, serverName: patched}}`,
    }),
    struct: patch("HTTP_FILTER", "INSERT_FIRST", inHttp(""), {
      value:
        `{name: dyn, typedConfig: {"@type": type.googleapis.com/xds.type.v3.TypedStruct, typeUrl: ${TYPE}.filters.http.buffer.v3.Buffer, value: {max_request_bytes: 99}}}`,
    }),
  }),
  ...cases("http_filter_class", "server", {
    authn: patch("HTTP_FILTER", "ADD", "{context: SIDECAR_INBOUND}", {
      value: LUA,
      more: ", filterClass: AUTHN",
    }),
    authz: patch("HTTP_FILTER", "ADD", "{context: SIDECAR_INBOUND}", {
      value: LUA,
      more: ", filterClass: AUTHZ",
    }),
    stats: patch("HTTP_FILTER", "ADD", "{context: SIDECAR_INBOUND}", {
      value: LUA,
      more: ", filterClass: STATS",
    }),
  }),
  ...cases("route", "client", {
    table_merge: patch("ROUTE_CONFIGURATION", "MERGE", table("portNumber: 80"), {
      value: "{mostSpecificHeaderMutationsWins: true}",
    }),
    host_merge: patch("VIRTUAL_HOST", "MERGE", table(`${HOST}}`), {
      value: "{responseHeadersToAdd: [{header: {key: x-p, value: yes-patched}}]}",
    }),
    host_add: patch("VIRTUAL_HOST", "ADD", table("portNumber: 80"), {
      value:
        "{name: new, domains: [new.example], routes: [{match: {prefix: /}, directResponse: {status: 204}}]}",
    }),
    host_remove: patch("VIRTUAL_HOST", "REMOVE", table("vhost: {domainName: a.example}")),
    route_merge: patch("HTTP_ROUTE", "MERGE", table(`${HOST}, route: {name: named}}`), {
      value: "{route: {timeout: 6s}}",
    }),
    route_merge_action: patch("HTTP_ROUTE", "MERGE", table(`${HOST}, route: {action: REDIRECT}}`), {
      value: "{redirect: {hostRedirect: z.example}}",
    }),
    route_add: patch("HTTP_ROUTE", "ADD", table(`${HOST}}`), {
      value: "{match: {path: /late}, directResponse: {status: 200}}",
    }),
    route_first: patch("HTTP_ROUTE", "INSERT_FIRST", table(`${HOST}}`), {
      value: "{match: {path: /hi}, directResponse: {status: 200}}",
    }),
    route_before: patch("HTTP_ROUTE", "INSERT_BEFORE", table(`${HOST}, route: {name: named}}`), {
      value: "{match: {path: /b}, directResponse: {status: 200}}",
    }),
    route_after: patch("HTTP_ROUTE", "INSERT_AFTER", table(`${HOST}, route: {name: named}}`), {
      value: "{match: {path: /a}, directResponse: {status: 200}}",
    }),
    route_remove: patch("HTTP_ROUTE", "REMOVE", table(`${HOST}, route: {name: named}}`)),
  }),
  ...cases("vhds", "client", {
    host_merge: patch("VIRTUAL_HOST", "MERGE", table(`${HOST}}`), {
      value: "{responseHeadersToAdd: [{header: {key: x-p, value: yes-patched}}]}",
    }),
    host_remove: patch("VIRTUAL_HOST", "REMOVE", table(`${HOST}}`)),
    route_merge: patch("HTTP_ROUTE", "MERGE", table(`${HOST}, route: {name: named}}`), {
      value: "{route: {timeout: 6s}}",
    }),
  }, true),
  ...cases("inbound_route", "server", {
    merge: patch(
      "HTTP_ROUTE",
      "MERGE",
      "{context: SIDECAR_INBOUND, routeConfiguration: {portNumber: 7070}}",
      { value: "{route: {timeout: 6s}}" },
    ),
    host_merge: patch(
      "VIRTUAL_HOST",
      "MERGE",
      '{context: SIDECAR_INBOUND, routeConfiguration: {vhost: {name: "inbound|http|7070"}}}',
      { value: "{responseHeadersToAdd: [{header: {key: x-p, value: yes-patched}}]}" },
    ),
  }),
  ...cases("gateway", "gateway", {
    filter: patch(
      "HTTP_FILTER",
      "INSERT_FIRST",
      "{context: GATEWAY, listener: {portNumber: 8080}}",
      { value: LUA },
    ),
    host: patch(
      "VIRTUAL_HOST",
      "MERGE",
      "{context: GATEWAY, routeConfiguration: {portNumber: 8080}}",
      { value: "{responseHeadersToAdd: [{header: {key: x-p, value: yes-patched}}]}" },
    ),
    secure: patch(
      "ROUTE_CONFIGURATION",
      "MERGE",
      "{context: GATEWAY, routeConfiguration: {gateway: one/gw, portName: https}}",
      { value: "{responseHeadersToAdd: [{header: {key: x-p, value: yes-patched}}]}" },
    ),
    cluster: patch("CLUSTER", "MERGE", "{context: GATEWAY, cluster: {service: a.example}}", {
      value: "{connectTimeout: 7s}",
    }),
  }),
  ...cases("extension", "client", {
    add: patch("EXTENSION_CONFIG", "ADD", "{}", { value: LUA }),
    merge: [
      patch("EXTENSION_CONFIG", "ADD", "{}", { value: LUA }),
      patch("EXTENSION_CONFIG", "MERGE", "{}", {
        value:
          `{name: lua, typedConfig: {"@type": ${TYPE}.filters.http.lua.v3.Lua, statPrefix: s}}`,
      }),
    ],
    remove: [
      patch("EXTENSION_CONFIG", "ADD", "{}", { value: LUA }),
      patch("EXTENSION_CONFIG", "ADD", "{}", { value: LUA.replace("lua", "gone") }),
      patch("EXTENSION_CONFIG", "REMOVE", "{}", { value: "{name: gone}" }),
    ],
  }),
];

/** Objects without patches. */
export const PATCHED_MESH = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: a, namespace: one}
spec:
  hosts: [a.example]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.1.0.1, labels: {version: v1}}]
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: tcp, namespace: one}
spec:
  hosts: [tcp.example]
  addresses: [240.0.0.1]
  resolution: STATIC
  ports: [{number: 9000, name: tcp, protocol: TCP}]
  endpoints: [{address: 10.1.0.4}]
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: server, namespace: one}
spec:
  hosts: [server.example]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 7070, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.2}]
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: a, namespace: one}
spec:
  host: a.example
  trafficPolicy: {connectionPool: {tcp: {maxConnections: 9}}}
  subsets: [{name: v1, labels: {version: v1}}]
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: a, namespace: one}
spec:
  hosts: [a.example]
  gateways: [mesh, gw]
  http:
  - {name: named, match: [{uri: {prefix: /n}}], route: [{destination: {host: a.example}}]}
  - {match: [{uri: {prefix: /r}}], redirect: {uri: /x}}
  - {route: [{destination: {host: a.example}}]}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: gw, namespace: one}
spec:
  selector: {app: gw}
  servers:
  - {port: {number: 8080, name: http, protocol: HTTP}, hosts: ["*"]}
  - port: {number: 8443, name: https, protocol: HTTPS}
    hosts: ["*"]
    tls: {mode: SIMPLE, serverCertificate: /etc/mesh/cert.pem, privateKey: /etc/mesh/key.pem}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: allow, namespace: one}
spec:
  selector: {matchLabels: {app: server}}
  rules: [{to: [{operation: {methods: [GET]}}]}]
---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: one}
spec:
  selector: {matchLabels: {app: server}}
  jwtRules: [{issuer: i, jwks: '{"keys":[{"kty":"oct","k":"AAAA"}]}'}]
`;
