/**
 * Objects near the size that an API server accepts (1.5 MB), in two versions that differ in one
 * place.
 *
 * @module
 */

/** Makes the text of one version of an object, 0 or 1. */
type TextOf = (version: number) => string;

const many = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n") + "\n";
const ip = (i: number): string => `10.${100 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`;
const HTTP = "{ number: 80, name: http, protocol: HTTP }";

/** The first lines of an object named `large`. */
export function head(kind: string, group = "networking", name = "large"): string {
  return `apiVersion: ${group}.mesh.io/v1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: ns-0 }\nspec:\n`;
}

/** Objects beside them: the service that they refer to, and a Gateway. */
export const BASE: readonly string[] = [
  `${head("ServiceEntry", "networking", "a")}  hosts: [a.test]\n  ports: [${HTTP}]\n` +
  `  resolution: STATIC\n  endpoints: [{ address: 10.0.0.1 }]\n`,
  `${head("Gateway", "networking", "a")}  selector: { app: client-0 }\n` +
  `  servers: [{ port: ${HTTP}, hosts: ["*"] }]\n`,
];

/** The objects by description. All refer to the host `a.test`. */
export const OBJECTS: Readonly<Record<string, TextOf>> = {
  "a ServiceEntry with 5,000 endpoints": (version) =>
    `${head("ServiceEntry")}  hosts: [large.test]\n  ports: [${HTTP}]\n  resolution: STATIC\n` +
    `  endpoints:\n${many(5_000, (i) => `  - { address: ${ip(i + version)} }`)}`,
  "a ServiceEntry with 2,000 hosts": (version) =>
    `${head("ServiceEntry")}  hosts:\n${many(2_000, (i) => `  - h${i}.large.test`)}` +
    `  ports: [${HTTP}]\n  resolution: STATIC\n  endpoints: [{ address: 10.1.0.${version} }]\n`,
  "a VirtualService with 5,000 rules": (version) =>
    `${head("VirtualService")}  hosts: [a.test]\n  http:\n` +
    many(
      5_000,
      (i) =>
        `  - { match: [{ uri: { prefix: /p${i}/ } }], timeout: ${
          1 + version
        }s, route: [{ destination: { host: a.test } }] }`,
    ),
  "a VirtualService with 5,000 hosts": (version) =>
    `${head("VirtualService")}  hosts:\n${many(5_000, (i) => `  - h${i}.large.test`)}` +
    `  http: [{ timeout: ${1 + version}s, route: [{ destination: { host: a.test } }] }]\n`,
  "a VirtualService with a rule of 10,000 matches": (version) =>
    `${head("VirtualService")}  hosts: [a.test]\n  http:\n  - timeout: ${1 + version}s\n` +
    `    route: [{ destination: { host: a.test } }]\n    match:\n` +
    many(10_000, (i) => `    - { uri: { prefix: /p${i}/ } }`),
  "a VirtualService with a rule of 5,000 destinations": (version) =>
    `${head("VirtualService")}  hosts: [a.test]\n  http:\n  - timeout: ${
      1 + version
    }s\n    route:\n` +
    many(5_000, (i) => `    - { weight: 1, destination: { host: a.test, subset: s${i} } }`),
  "a DestinationRule with 5,000 subsets": (version) =>
    `${head("DestinationRule")}  host: a.test\n  subsets:\n` +
    many(5_000, (i) => `  - { name: s${i}, labels: { version: "v${i}-${version}" } }`),
  "a Gateway with 2,000 servers": (version) =>
    `${head("Gateway")}  selector: { app: client-0 }\n  servers:\n` +
    many(
      2_000,
      (i) =>
        `  - { port: { number: 80, name: http-${i}, protocol: HTTP }, hosts: [h${i}-${version}.gw.test] }`,
    ),
  "a Sidecar with 10,000 egress hosts": (version) =>
    `${head("Sidecar")}  egress:\n  - hosts:\n` +
    many(10_000, (i) => `    - "ns-${i}/h${i}-${version}.large.test"`) + `    - "*/*"\n`,
  "an AuthorizationPolicy with 5,000 rules": (version) =>
    `${head("AuthorizationPolicy", "security")}  rules:\n` +
    many(5_000, (i) => `  - { to: [{ operation: { paths: ["/p${i}/${version}"] } }] }`),
  "an AuthorizationPolicy with a rule of 20,000 paths": (version) =>
    `${
      head("AuthorizationPolicy", "security")
    }  rules:\n  - to:\n    - operation:\n        paths:\n` +
    many(20_000, (i) => `        - /p${i}/${version}`),
  "a RequestAuthentication with 500 token rules": (version) =>
    `${head("RequestAuthentication", "security")}  jwtRules:\n` +
    many(500, (i) => `  - { issuer: "issuer-${i}-${version}", jwks: '{"keys":[]}' }`),
  "a DataproxyFilter with 2,000 patches": (version) =>
    `${head("DataproxyFilter", "networking").replace("/v1\n", "/v1alpha3\n")}  configPatches:\n` +
    many(
      2_000,
      (i) =>
        `  - { applyTo: CLUSTER, match: { cluster: { name: "c${i}" } }, patch: { operation: MERGE, value: { connect_timeout: ${
          1 + version
        }s } } }`,
    ),
  "a ServiceEntry with 5,000 addresses": (version) =>
    `${head("ServiceEntry")}  hosts: [large.test]\n  addresses:\n${
      many(5_000, (i) => `  - ${ip(i + version)}`)
    }  ports: [{ number: 5432, name: tcp, protocol: TCP }]\n` +
    `  resolution: STATIC\n  endpoints: [{ address: 10.1.0.1 }]\n`,
  "a ServiceEntry with 2,000 ports": (version) =>
    `${head("ServiceEntry")}  hosts: [large.test]\n  addresses: [10.1.0.${
      1 + version
    }]\n  ports:\n${
      many(2_000, (i) => `  - { number: ${10_000 + i}, name: tcp-${i}, protocol: TCP }`)
    }  resolution: STATIC\n  endpoints: [{ address: 10.1.0.1 }]\n`,
  "a ServiceEntry with 100 hosts and 100 ports": (version) =>
    `${head("ServiceEntry")}  hosts:\n${many(100, (i) => `  - h${i}.large.test`)}  ports:\n${
      many(100, (i) => `  - { number: ${10_000 + i}, name: http-${i}, protocol: HTTP }`)
    }  resolution: STATIC\n  endpoints: [{ address: 10.1.0.${version} }]\n`,
  "a Gateway with a server of 20,000 hosts": (version) =>
    `${head("Gateway")}  selector: { app: client-0 }\n  servers:\n` +
    `  - port: { number: 80, name: http, protocol: HTTP }\n    hosts:\n` +
    many(20_000, (i) => `    - h${i}-${version}.gw.test`),
  "a VirtualService of a gateway with 5,000 hosts": (version) =>
    `${head("VirtualService")}  gateways: [a]\n  hosts:\n${
      many(5_000, (i) => `  - h${i}.large.test`)
    }  http: [{ timeout: ${1 + version}s, route: [{ destination: { host: a.test } }] }]\n`,
  "a VirtualService of a gateway with 5,000 rules": (version) =>
    `${head("VirtualService")}  gateways: [a]\n  hosts: [h.test]\n  http:\n` +
    many(
      5_000,
      (i) =>
        `  - { match: [{ uri: { prefix: /p${i}/ } }], timeout: ${
          1 + version
        }s, route: [{ destination: { host: a.test } }] }`,
    ),
  "a VirtualService with 5,000 TLS rules": (version) =>
    `${head("VirtualService")}  hosts: ["*.large.test"]\n  tls:\n` +
    many(
      5_000,
      (i) =>
        `  - { match: [{ port: 443, sniHosts: [h${i}-${version}.large.test] }], route: [{ destination: { host: a.test } }] }`,
    ),
  "a VirtualService with 20 rules of 1,000 headers": (version) =>
    `${head("VirtualService")}  hosts: [a.test]\n  http:\n` +
    many(
      20,
      (rule) =>
        `  - match: [{ uri: { prefix: /p${rule}/ } }]\n    route: [{ destination: { host: a.test } }]\n` +
        `    headers:\n      request:\n        set:\n` +
        many(1_000, (i) => `          x-h${i}: v${version}`).trimEnd(),
    ),
  "a DestinationRule with 5,000 ports": (version) =>
    `${head("DestinationRule")}  host: a.test\n  trafficPolicy:\n    portLevelSettings:\n` +
    many(
      5_000,
      (i) =>
        `    - { port: { number: ${1 + i} }, connectionPool: { tcp: { connectTimeout: ${
          1 + version
        }s } } }`,
    ),
  "a Sidecar with 1,000 egress listeners": (version) =>
    `${head("Sidecar")}  egress:\n` +
    many(
      1_000,
      (i) =>
        `  - { port: { number: ${
          10_000 + i + version
        }, name: http-${i}, protocol: HTTP }, bind: 127.0.0.1, hosts: ["*/*"] }`,
    ),
  "a Sidecar with 1,000 ingress listeners": (version) =>
    `${head("Sidecar")}  egress: [{ hosts: ["*/*"] }]\n  ingress:\n` +
    many(
      1_000,
      (i) =>
        `  - { port: { number: ${
          10_000 + i + version
        }, name: http-${i}, protocol: HTTP }, defaultEndpoint: "127.0.0.1:${20_000 + i}" }`,
    ),
  "a PeerAuthentication with 5,000 ports": (version) =>
    `${head("PeerAuthentication", "security")}  selector: { matchLabels: { app: client-0 } }\n` +
    `  mtls: { mode: STRICT }\n  portLevelMtls:\n` +
    many(5_000, (i) => `    ${1 + i}: { mode: ${(i + version) % 2 ? "DISABLE" : "PERMISSIVE"} }`),
  "an AuthorizationPolicy with a rule of 40,000 addresses": (version) =>
    `${
      head("AuthorizationPolicy", "security")
    }  rules:\n  - from:\n    - source:\n        ipBlocks:\n` +
    many(40_000, (i) => `        - ${ip(i + version)}`),
  "an AuthorizationPolicy with 5,000 conditions": (version) =>
    `${head("AuthorizationPolicy", "security")}  rules:\n  - when:\n` +
    many(5_000, (i) => `    - { key: "request.headers[x-h${i}]", values: ["v${version}", "w*"] }`),
  "a RequestAuthentication with 20,000 headers": (version) =>
    `${
      head("RequestAuthentication", "security")
    }  jwtRules:\n  - issuer: i\n    jwks: '{"keys":[]}'\n` +
    `    fromHeaders:\n${many(20_000, (i) => `    - { name: x-h${i}-${version} }`)}`,
  "a Telemetry with 5,000 tags": (version) =>
    `${head("Telemetry", "telemetry")}  metrics:\n  - providers: [{ name: prometheus }]\n` +
    `    overrides:\n    - tagOverrides:\n` +
    many(5_000, (i) => `        t${i}: { value: "request.headers['x-${i}-${version}']" }`),
  "a WasmPlugin with a configuration of 10,000 fields": (version) =>
    `${head("WasmPlugin", "extensions").replace("/v1\n", "/v1alpha1\n")}` +
    `  url: "http://a.test/x.wasm"\n  sha256: "${"0".repeat(64)}"\n  pluginConfig:\n` +
    many(10_000, (i) => `    f${i}: { a: [${version}, b] }`),
  "a ProxyConfig with 20,000 variables": (version) =>
    `${head("ProxyConfig", "networking").replace("/v1\n", "/v1beta1\n")}  environmentVariables:\n` +
    many(20_000, (i) => `    V${i}: "${version}"`),
  "a WorkloadEntry with 1,000 labels": (version) =>
    `${head("WorkloadEntry")}  address: 10.1.0.1\n  labels:\n` +
    many(1_000, (i) => `    l${i}: "${version}"`),
  "a ServiceEntry with 5,000 endpoints of 4 labels": (version) =>
    `${head("ServiceEntry")}  hosts: [large.test]\n  ports: [${HTTP}]\n  resolution: STATIC\n` +
    `  endpoints:\n${
      many(
        5_000,
        (i) =>
          `  - { address: ${ip(i)}, labels: { app: a, zone: z${
            i % 3
          }, pod: p${i}, version: v${version} } }`,
      )
    }`,
  "a ServiceEntry of DNS with 5,000 endpoints": (version) =>
    `${head("ServiceEntry")}  hosts: [large.test]\n  ports: [${HTTP}]\n  resolution: DNS\n` +
    `  endpoints:\n${many(5_000, (i) => `  - { address: e${i + version}.test }`)}`,
  "a ServiceEntry with 5,000 addresses of HTTP": (version) =>
    `${head("ServiceEntry")}  hosts: [large.test]\n  addresses:\n${
      many(5_000, (i) => `  - ${ip(i + version)}`)
    }  ports: [${HTTP}]\n  resolution: STATIC\n  endpoints: [{ address: 10.1.0.1 }]\n`,
  "a ServiceEntry with 5,000 ranges": (version) =>
    `${head("ServiceEntry")}  hosts: [large.test]\n  addresses:\n${
      many(5_000, (i) => `  - ${ip(i + version)}/32`)
    }  ports: [{ number: 5432, name: tcp, protocol: TCP }]\n` +
    `  resolution: STATIC\n  endpoints: [{ address: 10.1.0.1 }]\n`,
  "a VirtualService with a rule of 10,000 server names": (version) =>
    `${head("VirtualService")}  hosts: ["*.large.test"]\n  tls:\n` +
    `  - route: [{ destination: { host: a.test } }]\n    match:\n    - port: 443\n      sniHosts:\n` +
    many(10_000, (i) => `      - h${i}-${version}.large.test`),
  "a DestinationRule with 2,000 subsets with policies": (version) =>
    `${head("DestinationRule")}  host: a.test\n  subsets:\n` +
    many(
      2_000,
      (i) =>
        `  - { name: s${i}, labels: { v: "${i}" }, trafficPolicy: { connectionPool: { tcp: { maxConnections: ${
          1 + version
        } }, http: { maxRetries: 2 } }, outlierDetection: { consecutive5xxErrors: 3 }, tls: { mode: SIMPLE, sni: s${i}.test } } }`,
    ),
  "a Gateway with 1,000 TLS servers": (version) =>
    `${head("Gateway")}  selector: { app: client-0 }\n  servers:\n` +
    many(
      1_000,
      (i) =>
        `  - { port: { number: 443, name: https-${i}, protocol: HTTPS }, tls: { mode: SIMPLE, credentialName: c${i} }, hosts: [h${i}-${version}.gw.test] }`,
    ),
  "a DataproxyFilter with 2,000 patches of routes": (version) =>
    `${head("DataproxyFilter", "networking").replace("/v1\n", "/v1alpha3\n")}  configPatches:\n` +
    many(
      2_000,
      (i) =>
        `  - { applyTo: HTTP_ROUTE, match: { context: SIDECAR_OUTBOUND }, patch: { operation: MERGE, value: { stat_prefix: "s${i}-${version}" } } }`,
    ),
  "a DataproxyFilter with 2,000 filters": (version) =>
    `${head("DataproxyFilter", "networking").replace("/v1\n", "/v1alpha3\n")}  configPatches:\n` +
    many(
      2_000,
      (i) =>
        `  - { applyTo: HTTP_FILTER, match: { context: ANY }, patch: { operation: INSERT_FIRST, value: { name: "f${i}-${version}" } } }`,
    ),
  "a Telemetry with 2,000 log settings": (version) =>
    `${head("Telemetry", "telemetry")}  accessLogging:\n` +
    many(2_000, (i) => `  - { providers: [{ name: p${i}-${version} }] }`),
  "a WorkloadGroup with 10,000 annotations": (version) =>
    `${head("WorkloadGroup")}  template: {}\n  metadata:\n    annotations:\n` +
    many(10_000, (i) => `      a${i}: "${version}"`),
};
