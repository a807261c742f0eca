/**
 * Scenes for the fields of each kind: a mesh in which every kind has an effect, and specifications
 * for fields that need others.
 *
 * @module
 */
import type { FieldValues } from "./fields.ts";
import type { Scene } from "./observe.ts";

const entry = (name: string, more: string) =>
  `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: one}
spec:
  hosts: [${name}.example]
${more.split("\n").map((line) => `  ${line}`).join("\n")}
`;

const BALANCED = `resolution: STATIC
ports: [{number: 80, name: http, protocol: HTTP}, {number: 8080, name: http-alt, protocol: HTTP}]
endpoints:
- {address: 10.1.0.1, labels: {version: v1}, locality: r1/z1}
- {address: 10.1.0.2, labels: {version: v2}, locality: r2/z1}
- {address: 10.1.0.5, labels: {version: v1}, locality: r2/z1}
- {address: 10.1.0.6, labels: {version: v1}, locality: r3/z1}`;

/** Objects that are always present. */
export const BACKGROUND: string = [
  entry("a", BALANCED),
  entry("b", BALANCED),
  entry(
    "tls",
    "resolution: STATIC\nports: [{number: 443, name: tls, protocol: TLS}]\nendpoints: [{address: 10.1.0.3}]",
  ),
  entry(
    "tcp",
    "addresses: [240.0.0.1]\nresolution: STATIC\nports: [{number: 9000, name: tcp, protocol: TCP}]\nendpoints: [{address: 10.1.0.4}]",
  ),
  entry(
    "tunnel",
    "addresses: [240.0.0.9]\nresolution: STATIC\nports: [{number: 9100, name: tcp, protocol: TCP}]\nendpoints: [{address: 10.1.0.9, labels: {version: v1}}]",
  ),
  `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: tunnel, namespace: one}
spec: {hosts: [tunnel.example], tcp: [{route: [{destination: {host: tunnel.example, subset: v1}}]}]}
`,
  entry(
    "server",
    "location: MESH_INTERNAL\nresolution: STATIC\nports: [{number: 7070, name: http, protocol: HTTP}, {number: 7443, name: https, protocol: HTTPS}]\nworkloadSelector: {labels: {app: server}}",
  ),
  `apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: server, namespace: one}
spec: {address: 10.0.0.1, labels: {app: server, version: v1}, ports: {probe: 9999}, serviceAccount: server}
`,
  `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: b, namespace: one}
spec: {host: b.example, subsets: [{name: v2, labels: {version: v2}}]}
`,
  `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: new, namespace: one}
spec:
  host: new.example
  trafficPolicy: {tls: {mode: SIMPLE, caCertificates: /ca}}
  subsets: [{name: v2, labels: {version: v2}}]
`,
  `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: gw, namespace: one}
spec:
  selector: {gateway: edge}
  servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]
`,
  `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: delegated, namespace: one}
spec:
  http: [{name: inner, route: [{destination: {host: a.example}}]}]
`,
  `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: edge, namespace: one}
spec:
  hosts: [edge.example]
  gateways: [gw, subject]
  http:
  - {match: [{uri: {prefix: /v1}}], route: [{destination: {host: a.example, subset: v1, port: {number: 80}}}]}
  - {route: [{destination: {host: a.example, port: {number: 80}}}]}
`,
].join("---\n");

/** A specification for labels that begin so; the longest wins. */
type Specs = Readonly<Record<string, unknown>>;

export function byPrefix(specs: Specs): Scene["specOf"] {
  const prefixes = Object.keys(specs).sort((a, b) => b.length - a.length);
  return (label) => specs[prefixes.find((prefix) => label.startsWith(prefix)) ?? ""];
}

const TO_B = { destination: { host: "b.example" } };
const http = (more: object, route: object = { route: [TO_B] }) => ({
  hosts: ["a.example"],
  http: [{ ...route, ...more }],
});

const VIRTUAL_SERVICE: Specs = {
  "": http({}),
  "gateways": http({}),
  "http[].match[].ignoreUriCase": http({ match: [{ uri: { prefix: "/Low" } }] }),
  "http[].match[].statPrefix": http({ match: [{ uri: { prefix: "/low" } }] }),
  "http[].match[].name": http({ match: [{ uri: { prefix: "/low" } }] }),
  "http[].route[].headers": http({}),
  "http[].route[].weight": http({}, {
    route: [{ ...TO_B, weight: 1 }, { destination: { host: "tcp.example" }, weight: 1 }],
  }),
  "http[].redirect": http({ redirect: { uri: "/x" } }, {}),
  "http[].redirect.prefixRewrite": http({ redirect: { authority: "z.example" } }, {}),
  "http[].directResponse": http({ directResponse: { status: 200 } }, {}),
  "http[].delegate": {
    hosts: ["a.example"],
    http: [{ delegate: { name: "nosuch", namespace: "one" } }],
  },
  "http[].delegate.namespace": {
    hosts: ["a.example"],
    http: [{ delegate: { name: "delegated", namespace: "nosuch" } }],
  },
  "http[].rewrite.uriRegexRewrite": http({
    rewrite: { uriRegexRewrite: { match: "/a", rewrite: "/b" } },
  }),
  "http[].retries": http({ retries: { attempts: 2 } }),
  "http[].corsPolicy.unmatchedPreflights=FORWARD": http({
    corsPolicy: { allowMethods: ["GET"], unmatchedPreflights: "IGNORE" },
  }),
  "http[].fault.delay": http({ fault: { delay: { fixedDelay: "1s", percentage: { value: 50 } } } }),
  "http[].fault.delay.percent": http({ fault: { delay: { fixedDelay: "1s" } } }),
  "http[].fault.abort": http({ fault: { abort: { httpStatus: 500, percentage: { value: 50 } } } }),
  "http[].mirror": http({ mirror: TO_B.destination }),
  "http[].mirrors": http({ mirrors: [TO_B] }),
  "http[].corsPolicy": http({ corsPolicy: { allowOrigins: [{ exact: "https://x.example" }] } }),
  "http[].corsPolicy.allowOrigin[]": http({ corsPolicy: { allowMethods: ["GET"] } }),
  "tls": {
    hosts: ["tls.example"],
    tls: [{ match: [{ sniHosts: ["tls.example"] }], route: [TO_B] }],
  },
  "tls[].route[].weight": {
    hosts: ["tls.example"],
    tls: [{
      match: [{ sniHosts: ["tls.example"] }],
      route: [{ ...TO_B, weight: 1 }, { destination: { host: "tcp.example" }, weight: 1 }],
    }],
  },
  "tcp": { hosts: ["tcp.example"], tcp: [{ route: [TO_B] }] },
  "tcp[].route[].weight": {
    hosts: ["tcp.example"],
    tcp: [{ route: [{ ...TO_B, weight: 1 }, { destination: { host: "a.example" }, weight: 1 }] }],
  },
};

const policy = (trafficPolicy: object, more: object = {}) => ({
  host: "a.example",
  trafficPolicy,
  ...more,
});

/** A policy that sets something, and nothing that others depend on. */
const LIMITED = { connectionPool: { tcp: { maxConnections: 9 } } };

/** Company of fields of a policy; below `trafficPolicy`, a port's and a subset's. */
const POLICIES: Readonly<Record<string, object>> = {
  "loadBalancer.consistentHash": { loadBalancer: { consistentHash: { useSourceIp: true } } },
  "loadBalancer.consistentHash.useSourceIp": {
    loadBalancer: { consistentHash: { httpHeaderName: "h" } },
  },
  "loadBalancer.simple=LEAST_REQUEST": { loadBalancer: { simple: "RANDOM" } },
  "loadBalancer.consistentHash.httpCookie": {
    loadBalancer: { consistentHash: { httpCookie: { name: "c" } } },
  },
  "loadBalancer.consistentHash.httpCookie.attributes": {
    loadBalancer: {
      consistentHash: { httpCookie: { name: "c", attributes: [{ name: "a", value: "b" }] } },
    },
  },
  "loadBalancer.localityLbSetting": {
    loadBalancer: { simple: "ROUND_ROBIN", localityLbSetting: {} },
    outlierDetection: { consecutive5xxErrors: 3 },
  },
  "loadBalancer.localityLbSetting.distribute": {
    loadBalancer: { localityLbSetting: { distribute: [{ from: "r1", to: { r1: 50, r2: 50 } }] } },
  },
  "loadBalancer.localityLbSetting.failover": {
    loadBalancer: { localityLbSetting: { failover: [{ from: "r1", to: "r2" }] } },
    outlierDetection: { consecutive5xxErrors: 3 },
  },
  "loadBalancer.zoneAwareLbSetting.failover": {
    loadBalancer: { zoneAwareLbSetting: { failover: [{ from: "r1", to: "r2" }] } },
  },
  "loadBalancer.warmup": { loadBalancer: { simple: "ROUND_ROBIN", warmup: { duration: "60s" } } },
  "loadBalancer.warmupDurationSecs": { loadBalancer: { simple: "ROUND_ROBIN" } },
  "connectionPool.tcp": { connectionPool: { tcp: {} } },
  "connectionPool.http": { connectionPool: { http: {} } },
  "connectionPool.http.h2UpgradePolicy=DO_NOT_UPGRADE": {
    connectionPool: { http: { h2UpgradePolicy: "UPGRADE" } },
  },
  "connectionPool.http.maxConcurrentStreams": {
    connectionPool: { http: { h2UpgradePolicy: "UPGRADE" } },
  },
  "connectionPool.http.http2KeepAlive": {
    connectionPool: { http: { h2UpgradePolicy: "UPGRADE" } },
  },
  "outlierDetection": { outlierDetection: { consecutive5xxErrors: 3 } },
  "outlierDetection.consecutiveLocalOriginFailures": {
    outlierDetection: { consecutive5xxErrors: 3, splitExternalLocalOriginErrors: true },
  },
  "tls": { tls: { mode: "SIMPLE" } },
  "tls.mode": { tls: { clientCertificate: "/c", privateKey: "/k" } },
  "tls.mode=MESH_MUTUAL": LIMITED,
  "tls.clientCertificate": { tls: { mode: "MUTUAL", clientCertificate: "/c", privateKey: "/k" } },
  "tls.privateKey": { tls: { mode: "MUTUAL", clientCertificate: "/c", privateKey: "/k" } },
  "tls.caCrl": { tls: { mode: "SIMPLE", caCertificates: "/ca" } },
  "tls.subjectAltNames": { tls: { mode: "SIMPLE", caCertificates: "/ca" } },
  "tls.insecureSkipVerify": { tls: { mode: "SIMPLE", caCertificates: "/ca" } },
  "tunnel": { tunnel: { protocol: "CONNECT", targetHost: "t.example", targetPort: 443 } },
};

function destinationRule(): Specs {
  const specs: Record<string, unknown> = {
    "": { host: "a.example", trafficPolicy: { loadBalancer: { simple: "RANDOM" } } },
    "subsets": { host: "a.example", subsets: [{ name: "v1", labels: { version: "v1" } }] },
    "trafficPolicy": policy(LIMITED),
    "trafficPolicy.portLevelSettings[]": policy({
      portLevelSettings: [{ port: { number: 80 }, ...LIMITED }],
    }),
    "subsets[].trafficPolicy.portLevelSettings[]": {
      host: "a.example",
      subsets: [{
        name: "v1",
        labels: { version: "v1" },
        trafficPolicy: {
          portLevelSettings: [{ port: { number: 80 }, ...LIMITED }],
        },
      }],
    },
  };
  for (const [label, part] of Object.entries(POLICIES)) {
    // Settings of connections are visible only for ports that are not HTTP.
    const [whole, ofSubset] = label === "tunnel"
      ? ["tcp.example", "tunnel.example"]
      : ["a.example", "a.example"];
    const onPort = { portLevelSettings: [{ port: { number: 80 }, ...part }] };
    const subset = (trafficPolicy: object) => ({
      host: ofSubset,
      subsets: [{ name: "v1", labels: { version: "v1" }, trafficPolicy }],
    });
    specs[`trafficPolicy.${label}`] = policy(part, { host: whole });
    specs[`trafficPolicy.portLevelSettings[].${label}`] = policy(onPort);
    specs[`subsets[].trafficPolicy.${label}`] = subset(part);
    specs[`subsets[].trafficPolicy.portLevelSettings[].${label}`] = subset(onPort);
  }
  return specs;
}

const server = (
  more: object,
  port: object = { number: 443, name: "https", protocol: "HTTPS" },
) => ({
  selector: { gateway: "edge" },
  servers: [{ port, hosts: ["edge.example"], ...more }],
});
const FILES = { serverCertificate: "/c", privateKey: "/k" };
const MUTUAL = { mode: "MUTUAL", ...FILES, caCertificates: "/ca" };

const GATEWAY: Specs = {
  "": server({ tls: { mode: "SIMPLE", ...FILES } }),
  "servers[].port.targetPort": server({}, { number: 81, name: "x", protocol: "HTTP" }),
  "servers[].bind": server({}, { number: 81, name: "x", protocol: "HTTP" }),
  "servers[].port.number": server({}, { number: 81, name: "x", protocol: "HTTP" }),
  "servers[].port.protocol": server({}, { number: 81, name: "x", protocol: "HTTP" }),
  "servers[].hosts": server({}, { number: 81, name: "x", protocol: "HTTP" }),
  "servers[].tls.httpsRedirect": server({}, { number: 81, name: "x", protocol: "HTTP" }),
  "servers[].tls.mode": server({ tls: MUTUAL }),
  "servers[].tls.mode=MUTUAL": server({ tls: { ...MUTUAL, mode: "SIMPLE" } }),
  "servers[].tls.mode=AUTO_PASSTHROUGH": server({ tls: {}, hosts: ["*.example"] }, {
    number: 444,
    name: "t",
    protocol: "TLS",
  }),
  "servers[].tls.mode=MESH_MUTUAL": server({ tls: {} }),
  "servers[].tls.mode=SIMPLE": server({ tls: { mode: "PASSTHROUGH", ...FILES } }),
  "servers[].tls.caCertificates": server({ tls: MUTUAL }),
  "servers[].tls.caCrl": server({ tls: MUTUAL }),
  "servers[].tls.subjectAltNames": server({ tls: MUTUAL }),
  "servers[].tls.verifyCertificate": server({ tls: MUTUAL }),
  "servers[].tls.insecureSkipVerify": server({ tls: MUTUAL }),
  // A redirect needs no certificates, so that none excludes another.
  "servers[].tls.credentialName": server({ tls: { mode: "SIMPLE", httpsRedirect: true } }),
  "servers[].tls.caCertCredentialName": server({ tls: MUTUAL }),
  "servers[].tls.tlsCertificates": server({ tls: { mode: "SIMPLE", tlsCertificates: [FILES] } }),
};

const SERVICE_ENTRY: Specs = {
  "": {
    hosts: ["new.example"],
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    endpoints: [{ address: "10.1.0.9" }],
  },
  // The identity of an endpoint matters to clients that use mutual TLS to it.
  "endpoints[].serviceAccount": {
    hosts: ["fresh.example"],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    endpoints: [{ address: "10.1.0.9", labels: { "security.mesh.io/tlsMode": "mesh" } }],
  },
  "ports[].name": {
    hosts: ["new.example"],
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    workloadSelector: { labels: { app: "server" } },
  },
  "addresses": {
    hosts: ["new.example"],
    resolution: "STATIC",
    ports: [{ number: 9001, name: "tcp", protocol: "TCP" }],
    endpoints: [{ address: "10.1.0.9" }],
  },
  "location": {
    hosts: ["new.example"],
    resolution: "STATIC",
    location: "MESH_EXTERNAL",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    endpoints: [{ address: "10.1.0.9" }],
  },
  "resolution": { hosts: ["new.example"], ports: [{ number: 80, name: "http", protocol: "HTTP" }] },
  "workloadSelector": {
    hosts: ["new.example"],
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    workloadSelector: { labels: { app: "nobody" } },
  },
};

const WORKLOAD_ENTRY: Specs = {
  "": { address: "10.1.0.11", labels: { app: "server" } },
  "ports": { address: "10.1.0.11", labels: { app: "server" } },
  "serviceAccount": {
    address: "10.1.0.11",
    labels: { app: "server", "security.mesh.io/tlsMode": "mesh" },
  },
};

const listenerPort = { number: 8888, protocol: "HTTP", name: "http" };
const SIDECAR: Specs = {
  "": { egress: [{ hosts: ["./*"] }] },
  "egress": { egress: [{ port: listenerPort, hosts: ["./*"] }] },
  "workloadSelector": { egress: [{ hosts: ["./b.example"] }] },
  "egress[].hosts": { egress: [{ hosts: ["./*"] }] },
  "egress[].bind": { egress: [{ port: listenerPort, hosts: ["./*"] }] },
  "ingress": {
    ingress: [{ port: listenerPort, defaultEndpoint: "127.0.0.1:8080" }],
    egress: [{ hosts: ["./*"] }],
  },
  "ingress[].tls": {
    ingress: [{
      port: { ...listenerPort, protocol: "HTTPS" },
      defaultEndpoint: "127.0.0.1:8080",
      tls: { mode: "SIMPLE", ...FILES },
    }],
    egress: [{ hosts: ["./*"] }],
  },
  // Settings of client certificates matter only if certificates are requested.
  ...Object.fromEntries(
    [
      "mode=SIMPLE",
      "caCertificates",
      "caCrl",
      "subjectAltNames",
      "verifyCertificateSpki",
      "verifyCertificateHash",
      "insecureSkipVerify",
    ].map((field) => [`ingress[].tls.${field}`, {
      ingress: [{
        port: { ...listenerPort, protocol: "HTTPS" },
        defaultEndpoint: "127.0.0.1:8080",
        tls: { mode: "MUTUAL", ...FILES, caCertificates: "/etc/mesh/ca.pem" },
      }],
      egress: [{ hosts: ["./*"] }],
    }]),
  ),
  ...Object.fromEntries(
    ["credentialName", "tlsCertificates", "mode=MESH_MUTUAL"].map((field) => [
      `ingress[].tls.${field}`,
      {
        ingress: [{
          port: { ...listenerPort, protocol: "HTTPS" },
          defaultEndpoint: "127.0.0.1:8080",
          tls: { mode: "SIMPLE", httpsRedirect: true },
        }],
      },
    ]),
  ),
  ...Object.fromEntries(
    ["h2UpgradePolicy=DO_NOT_UPGRADE", "maxConcurrentStreams", "http2KeepAlive"].flatMap(
      (field) => {
        const pool = { http: { h2UpgradePolicy: "UPGRADE" } };
        const ingress = { port: listenerPort, defaultEndpoint: "127.0.0.1:8080" };
        return [
          [`ingress[].connectionPool.http.${field}`, {
            ingress: [{ ...ingress, connectionPool: pool }],
          }],
          [`inboundConnectionPool.http.${field}`, { inboundConnectionPool: pool }],
        ];
      },
    ),
  ),
  "ingress[].connectionPool.http": {
    ingress: [{
      port: listenerPort,
      defaultEndpoint: "127.0.0.1:8080",
      connectionPool: { http: {} },
    }],
  },
  "outboundTrafficPolicy": { egress: [{ hosts: ["./*"] }], outboundTrafficPolicy: {} },
  "outboundTrafficPolicy.egressProxy": {
    outboundTrafficPolicy: { mode: "ALLOW_ANY", egressProxy: { host: "b.example" } },
  },
};

/** Scenes by kind. */
/** The workload label of these resources is one that a watching proxy has. */
const TO_FILE = { accessLogging: [{ providers: [{ name: "dataproxy" }] }] };
const EDGE = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" };
const tagged = (tag: object) => ({ tracing: [{ customTags: { k: tag } }] });

const TELEMETRY: Specs = {
  "": { ...TO_FILE, tracing: [{}], metrics: [{}] },
  "targetRef.": { ...TO_FILE, targetRef: EDGE },
  "targetRefs": { ...TO_FILE, targetRefs: [EDGE] },
  "accessLogging[].match": TO_FILE,
  "metrics[].overrides[].match": { metrics: [{ overrides: [{ disabled: true }] }] },
  "metrics[].overrides[].tagOverrides": { metrics: [{ overrides: [{}] }] },
  "metrics[].providers": { metrics: [{ overrides: [{ disabled: true }] }] },
  "tracing[].match": { tracing: [{ randomSamplingPercentage: 50 }] },
  "tracing[].customTags.k.environment": tagged({ environment: { name: "a" } }),
  "tracing[].customTags.k.header": tagged({ header: { name: "a" } }),
};

export const SCENES: Readonly<Record<string, Scene & FieldValues>> = {
  ProxyConfig: {
    kind: "ProxyConfig",
    apiVersion: "networking.mesh.io/v1beta1",
    namespace: "one",
    specOf: () => ({ concurrency: 3 }),
    values: {},
    keys: {},
  },
  VirtualService: {
    kind: "VirtualService",
    apiVersion: "networking.mesh.io/v1",
    namespace: "one",
    specOf: byPrefix(VIRTUAL_SERVICE),
    values: {
      "hosts[]": "b.example",
      "gateways[]": "gw",
      "exportTo[]": ".",
      ...Object.fromEntries(
        [
          "http[].route[].destination",
          "http[].mirror",
          "http[].mirrors[].destination",
          "tls[].route[].destination",
          "tcp[].route[].destination",
        ]
          .flatMap((
            at,
          ) => [[`${at}.host`, "a.example"], [`${at}.subset`, "v2"], [`${at}.port.number`, 8080]]),
      ),
      "http[].match[].port": 80,
      "http[].match[].gateways[]": "gw",
      "http[].match[].scheme.exact": "https",
      "http[].match[].sourceNamespace": "two",
      "http[].redirect.port": 81,
      "http[].redirect.redirectCode": 302,
      "http[].redirect.scheme": "https",
      "http[].redirect.uri": "/probe",
      "http[].directResponse.status": 404,
      "http[].delegate.name": "delegated",
      "http[].delegate.namespace": "one",
      "http[].rewrite.uri": "/probe",
      "http[].retries.retryOn": "5xx",
      "http[].retries.retryIgnorePreviousHosts": false,
      "http[].fault.abort.grpcStatus": "UNAVAILABLE",
      "http[].fault.abort.httpStatus": 503,
      "http[].corsPolicy.allowOrigin[]": "https://y.example",
      "http[].headers.request.set.x-probe": "v",
      "tls[].match[].sniHosts[]": "*.example",
      "tls[].match[].destinationSubnets[]": "10.0.0.0/8",
      "tls[].match[].port": 444,
      "tls[].match[].gateways[]": "gw",
      "tls[].match[].sourceNamespace": "two",
      "tcp[].match[].destinationSubnets[]": "240.0.0.0/8",
      "tcp[].match[].sourceSubnet": "10.0.0.0/8",
      "tcp[].match[].port": 9001,
      "tcp[].match[].gateways[]": "gw",
      "tcp[].match[].sourceNamespace": "two",
    },
    keys: {
      "http[].match[].sourceLabels": "app",
      "tls[].match[].sourceLabels": "app",
      "tcp[].match[].sourceLabels": "app",
    },
  },
  DestinationRule: {
    kind: "DestinationRule",
    apiVersion: "networking.mesh.io/v1",
    namespace: "one",
    specOf: byPrefix(destinationRule()),
    values: {
      "host": "tcp.example",
      "exportTo[]": ".",
      "workloadSelector.matchLabels.app": "client",
      "subsets[].labels.version": "v2",
      ...Object.fromEntries(
        ["trafficPolicy", "subsets[].trafficPolicy"].flatMap((
          at,
        ) => [at, `${at}.portLevelSettings[]`])
          .flatMap((at) => [
            [`${at}.port.number`, 8080],
            [`${at}.loadBalancer.localityLbSetting.distribute[].from`, "r2"],
            [`${at}.loadBalancer.localityLbSetting.distribute[].to.r1`, 100],
            [`${at}.loadBalancer.localityLbSetting.failover[].from`, "r3"],
            [`${at}.loadBalancer.localityLbSetting.failover[].to`, "r3"],
            [
              `${at}.loadBalancer.localityLbSetting.failoverPriority[]`,
              "topology.kubernetes.io/region=r3",
            ],
            [`${at}.loadBalancer.localityLbSetting.enabled`, false],
            [`${at}.loadBalancer.consistentHash.maglev.tableSize`, 11],
            [`${at}.tunnel.protocol`, "POST"],
            [`${at}.tunnel.targetHost`, "u.example"],
          ]),
      ),
    },
    keys: {
      "subsets[].labels": "version",
      "workloadSelector.matchLabels": "app",
      ...Object.fromEntries(
        ["trafficPolicy", "subsets[].trafficPolicy"].flatMap((
          at,
        ) => [at, `${at}.portLevelSettings[]`])
          .map((at) => [`${at}.loadBalancer.localityLbSetting.distribute[].to`, "r1"]),
      ),
    },
  },
  Gateway: {
    kind: "Gateway",
    apiVersion: "networking.mesh.io/v1",
    namespace: "one",
    specOf: byPrefix(GATEWAY),
    values: {
      "servers[].bind": "127.0.0.1",
      "servers[].port.protocol": "TCP",
      "servers[].port.number": 82,
      "servers[].port.name": "other",
      "servers[].hosts[]": "other.example",
      "servers[].tls.minProtocolVersion": "TLSV1_3",
      "servers[].tls.cipherSuites[]": "ECDHE-RSA-AES128-GCM-SHA256",
      "servers[].tls.ecdhCurves[]": "P-256",
      "servers[].tls.verifyCertificateSpki[]": "A".repeat(43) + "=",
      "servers[].tls.verifyCertificateHash[]": "a".repeat(64),
    },
    keys: { "selector": "gateway" },
  },
  ServiceEntry: {
    kind: "ServiceEntry",
    apiVersion: "networking.mesh.io/v1",
    namespace: "one",
    specOf: byPrefix(SERVICE_ENTRY),
    values: {
      "hosts[]": "other.example",
      "addresses[]": "240.0.0.9",
      "ports[].protocol": "TCP",
      "ports[].name": "probe",
      "endpoints[].labels.version": "v2",
      "endpoints[].address": "10.1.0.10",
      "endpoints[].locality": "r1/z1",
      "workloadSelector.labels.app": "server",
      "exportTo[]": ".",
      "subjectAltNames[]": "san.example",
    },
    keys: {
      "endpoints[].ports": "http",
      "endpoints[].labels": "version",
      "workloadSelector.labels": "app",
    },
  },
  WorkloadEntry: {
    kind: "WorkloadEntry",
    apiVersion: "networking.mesh.io/v1",
    namespace: "one",
    specOf: byPrefix(WORKLOAD_ENTRY),
    values: { "address": "10.1.0.12", "labels.app": "none", "locality": "r1/z1" },
    keys: { "ports": "http", "labels": "app" },
  },
  Sidecar: {
    kind: "Sidecar",
    apiVersion: "networking.mesh.io/v1",
    namespace: "one",
    specOf: byPrefix(SIDECAR),
    values: {
      "ingress[].bind": "127.0.0.2",
      "ingress[].defaultEndpoint": "127.0.0.1:8081",
      "ingress[].port.protocol": "TCP",
      "egress[].port.protocol": "TCP",
      "egress[].bind": "127.0.0.2",
      "egress[].hosts[]": "./b.example",
      "outboundTrafficPolicy.egressProxy.host": "a.example",
      "outboundTrafficPolicy.egressProxy.subset": "v2",
      "outboundTrafficPolicy.egressProxy.port.number": 8080,
      "workloadSelector.labels.app": "client",
    },
    keys: { "workloadSelector.labels": "app" },
  },
  Telemetry: {
    kind: "Telemetry",
    apiVersion: "telemetry.mesh.io/v1",
    namespace: "one",
    specOf: byPrefix(TELEMETRY),
    values: {
      "selector.matchLabels.app": "server",
      "tracing[].providers[].name": "more",
      "tracing[].randomSamplingPercentage": 7,
      "metrics[].providers[].name": "stackdriver",
      "metrics[].overrides[].match.customMetric": "mesh_requests_total",
      "metrics[].overrides[].tagOverrides.reporter.value": "request.path",
      "targetRef.group": EDGE.group,
      "targetRef.kind": "Other",
      "targetRefs[].group": EDGE.group,
      "targetRefs[].kind": "Other",
      "tracing[].enableMeshTags": false,
      "accessLogging[].providers[].name": "stackdriver",
      "accessLogging[].filter.expression": "response.code == 7",
    },
    keys: {
      "selector.matchLabels": "app",
      "metrics[].overrides[].tagOverrides": "reporter",
    },
  },
};
