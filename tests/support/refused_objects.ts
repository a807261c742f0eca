/**
 * Specifications that break a condition of a definition, with the message of the API server. Mesh's
 * own validation rejects each of them, too.
 *
 * @module
 */

/** A wrong specification. */
export interface RefusedObject {
  readonly kind: string;
  /** `undefined`: the object has no specification. */
  readonly spec: unknown;
  /** Names the field. */
  readonly says: RegExp;
}

const HOSTS = ["a.test"];
const TO = [{ destination: { host: "a.test" } }];

function http(route: unknown): unknown {
  return { hosts: HOSTS, http: [route] };
}

function policy(trafficPolicy: unknown): unknown {
  return { host: "a.test", trafficPolicy };
}

function server(port: unknown, rest: unknown = {}): unknown {
  return { servers: [{ hosts: HOSTS, port, ...rest as Record<string, unknown> }] };
}

const HTTPS = { number: 443, name: "https", protocol: "HTTPS" };

function entry(rest: Readonly<Record<string, unknown>>): unknown {
  return { hosts: HOSTS, ports: [{ number: 80, name: "http", protocol: "HTTP" }], ...rest };
}

const ENDPOINTS = [{ address: "10.0.0.1" }];
const SCOPED = {
  selector: { matchLabels: { app: "a" } },
  targetRef: { kind: "Service", name: "a" },
};

const VIRTUAL_SERVICES: readonly (readonly [unknown, RegExp])[] = [
  [undefined, /spec: Required/],
  [{ hosts: HOSTS }, /http, tls or tcp is required/],
  [http({ name: "empty" }), /spec\.http\[0\].*exactly one of route, redirect/],
  [http({ route: TO, redirect: { uri: "/" } }), /exactly one of route, redirect/],
  [
    http({ route: TO, mirror: { host: "b.test" }, mirrors: [{ destination: { host: "c.test" } }] }),
    /mirror and mirrors exclude each other/,
  ],
  [http({ redirect: { uri: "/" }, rewrite: { uri: "/" } }), /rewrite does not go with redirect/],
  [http({ redirect: { uri: "/", prefixRewrite: "/" } }), /uri and prefixRewrite exclude/],
  [http({ redirect: { redirectCode: 400 } }), /redirectCode must be 301/],
  [http({ redirect: { uri: "/", scheme: "ftp" } }), /redirect\.scheme.*ftp/],
  [http({ route: TO, rewrite: {} }), /uri, authority or uriRegexRewrite is required/],
  [http({ route: TO, timeout: "3" }), /spec\.http\[0\]\.timeout.*should match/],
  [http({ route: TO, retries: { attempts: -1 } }), /retries\.attempts.*greater than or equal to 0/],
  [http({ route: TO, fault: {} }), /delay or abort is required/],
  [
    http({ route: TO, fault: { abort: { httpStatus: 99 } } }),
    /abort\.httpStatus.*greater than or equal to 200/,
  ],
  [http({ route: TO, mirrorPercent: 101 }), /mirrorPercent.*less than or equal to 100/],
  [http({ directResponse: { status: 600 } }), /directResponse\.status.*less than or equal to 599/],
  [http({ route: [{ weight: 1 }] }), /route\[0\]\.destination: Required/],
  [http({ route: [{ destination: { host: "" } }] }), /destination\.host.*at least 1 char/],
  [
    http({ route: TO, match: [{ uri: { exact: "/", prefix: "/" } }] }),
    /http\[0\]\.match\[0\]\.uri/,
  ],
  [http({ route: TO, match: [{ port: 65_536 }] }), /match\[0\]\.port.*65535/],
  [{ hosts: HOSTS, tls: [{ route: TO }] }, /tls\[0\]\.match: Required/],
  [{ hosts: HOSTS, tcp: [{ route: [] }] }, /tcp\[0\]\.route.*at least 1 items/],
];

const DESTINATION_RULES: readonly (readonly [unknown, RegExp])[] = [
  [{ trafficPolicy: {} }, /spec\.host: Required/],
  [{ host: "a.test", subsets: [{ name: "v1" }, { name: "v1" }] }, /subsets.*duplicate/i],
  [policy({ connectionPool: {} }), /connectionPool.*tcp or http is required/],
  [policy({ connectionPool: { tcp: { maxConnections: -1 } } }), /tcp\.maxConnections/],
  [
    policy({ connectionPool: { http: { useClientProtocol: true, h2UpgradePolicy: "UPGRADE" } } }),
    /useClientProtocol and h2UpgradePolicy/,
  ],
  [policy({ outlierDetection: { maxEjectionPercent: 101 } }), /outlierDetection\.maxEjection/],
  [
    policy({ outlierDetection: { consecutiveLocalOriginFailures: 3 } }),
    /needs splitExternalLocalOriginErrors/,
  ],
  [policy({ portLevelSettings: [{ tls: { mode: "SIMPLE" } }] }), /\[0\]\.port: Required/],
  [policy({ tls: { mode: "MUTUAL" } }), /mode MUTUAL needs credentialName/],
  [
    policy({ tls: { mode: "SIMPLE", credentialName: "a", caCertificates: "/a" } }),
    /credentialName excludes clientCertificate/,
  ],
  [
    policy({ loadBalancer: { warmup: { duration: "1s" }, warmupDurationSecs: "1s" } }),
    /warmup and warmupDurationSecs exclude/,
  ],
  [policy({ loadBalancer: { warmup: {} } }), /warmup\.duration: Required/],
  [
    policy({
      loadBalancer: {
        localityLbSetting: {
          distribute: [{ from: "a", to: { a: 100 } }],
          failover: [{ from: "a", to: "b" }],
        },
      },
    }),
    /distribute and failover exclude/,
  ],
  [policy({ tunnel: { protocol: "GET", targetHost: "b.test", targetPort: 1 } }), /protocol.*GET/],
];

const LISTENERS: readonly (readonly [kind: string, spec: unknown, says: RegExp])[] = [
  ["Gateway", { servers: [] }, /spec\.servers.*at least 1 items/],
  ["Gateway", { servers: [{ hosts: HOSTS }] }, /servers\[0\]\.port: Required/],
  ["Gateway", server({ number: 80, protocol: "HTTP" }), /port\.name: Required/],
  ["Gateway", server({ number: 65_536, name: "a", protocol: "HTTP" }), /port\.number/],
  ["Gateway", server(HTTPS), /protocols HTTPS and TLS need tls/],
  ["Gateway", server(HTTPS, { tls: { mode: "SIMPLE" } }), /tls.*the mode needs credentialName/],
  [
    "Gateway",
    server(HTTPS, { tls: { mode: "SIMPLE", credentialName: "a", serverCertificate: "/a" } }),
    /tls.*credentialNames.*exclude each other/,
  ],
  ["Sidecar", {}, /ingress, egress, outboundTrafficPolicy or inboundConnectionPool is required/],
  ["Sidecar", { ingress: [{ defaultEndpoint: "127.0.0.1:1" }] }, /ingress\[0\]\.port: Required/],
  ["Sidecar", { egress: [{ hosts: ["./*"], bind: "127.0.0.1" }] }, /egress\[0\].*bind needs port/],
  ["Sidecar", { egress: [{ hosts: ["./*"], captureMode: "NONE" }] }, /captureMode needs port/],
  ["Sidecar", { egress: [{ port: { number: 80 } }] }, /egress\[0\]\.hosts: Required/],
  [
    "Sidecar",
    { outboundTrafficPolicy: { egressProxy: { host: "a.test" } } },
    /egressProxy goes with mode ALLOW_ANY/,
  ],
];

const WORKLOADS: readonly (readonly [kind: string, spec: unknown, says: RegExp])[] = [
  ["ServiceEntry", { ports: [] }, /spec\.hosts: Required/],
  [
    "ServiceEntry",
    entry({ resolution: "STATIC", endpoints: ENDPOINTS, workloadSelector: {} }),
    /workloadSelector and endpoints exclude/,
  ],
  ["ServiceEntry", entry({ endpoints: ENDPOINTS }), /resolution NONE and DYNAMIC_DNS take no/],
  [
    "ServiceEntry",
    entry({ resolution: "DNS_ROUND_ROBIN", endpoints: [...ENDPOINTS, { address: "b.test" }] }),
    /DNS_ROUND_ROBIN takes one/,
  ],
  [
    "ServiceEntry",
    entry({ resolution: "DNS", addresses: ["10.0.0.0/8"] }),
    /ranges in addresses go with resolution/,
  ],
  ["ServiceEntry", entry({ ports: [{ number: 0, name: "a" }] }), /ports\[0\]\.number/],
  ["ServiceEntry", entry({ ports: [{ number: 80 }] }), /ports.*name/],
  [
    "ServiceEntry",
    entry({ ports: [{ number: 80, name: "a" }, { number: 81, name: "a" }] }),
    /ports.*duplicate/i,
  ],
  ["WorkloadEntry", { labels: {} }, /address or network is required/],
  ["WorkloadEntry", { address: "10.0.0.1", ports: { a: 0 } }, /spec\.ports\.a/],
  ["WorkloadEntry", { address: "unix:///a", ports: { a: 1 } }, /ports do not go with an address/],
  ["WorkloadGroup", {}, /spec\.template: Required/],
  ["WorkloadGroup", { template: {}, probe: {} }, /httpGet, tcpSocket, grpc or exec is required/],
  ["WorkloadGroup", { template: {}, probe: { httpGet: { port: 1, path: "a" } } }, /httpGet\.path/],
];

const POLICIES: readonly (readonly [kind: string, spec: unknown, says: RegExp])[] = [
  ["AuthorizationPolicy", SCOPED, /selector, targetRef and targetRefs exclude/],
  ["AuthorizationPolicy", { action: "CUSTOM", rules: [{}] }, /action CUSTOM needs provider/],
  ["AuthorizationPolicy", { rules: [{ from: [{}] }] }, /from\[0\]\.source: Required/],
  ["AuthorizationPolicy", { rules: [{ from: [{ source: {} }] }] }, /source.*at least 1 properties/],
  ["AuthorizationPolicy", { rules: [{ when: [{ values: ["a"] }] }] }, /when\[0\]\.key: Required/],
  ["PeerAuthentication", { portLevelMtls: { 80: { mode: "STRICT" } } }, /portLevelMtls needs/],
  ["PeerAuthentication", { mtls: { mode: "SOMETIMES" } }, /mtls\.mode.*SOMETIMES/],
  ["RequestAuthentication", SCOPED, /selector, targetRef and targetRefs exclude/],
  ["RequestAuthentication", { jwtRules: [{ jwks: "{}" }] }, /jwtRules\[0\]\.issuer: Required/],
  [
    "RequestAuthentication",
    { jwtRules: [{ issuer: "a", jwks: '{"keys":[]}', jwksUri: "https://a.test/" }] },
    /jwks and jwksUri exclude/,
  ],
  ["Telemetry", SCOPED, /selector, targetRef and targetRefs exclude/],
  ["Telemetry", { tracing: [{ randomSamplingPercentage: 101 }] }, /randomSamplingPercentage/],
  ["Telemetry", { accessLogging: [{ providers: [{}] }] }, /providers\[0\]\.name: Required/],
  ["ProxyConfig", { concurrency: -1 }, /spec\.concurrency/],
  ["WasmPlugin", { pluginName: "a" }, /spec\.url: Required/],
  ["WasmPlugin", { url: "oci://a.test/a", sha256: "AB" }, /spec\.sha256.*should match/],
  [
    "WasmPlugin",
    { url: "oci://a.test/a", vmConfig: { env: [{ name: "A", valueFrom: "HOST", value: "1" }] } },
    /valueFrom HOST takes no value/,
  ],
  [
    "DataproxyFilter",
    { workloadSelector: { labels: { a: "b" } }, targetRefs: [{ kind: "Service", name: "a" }] },
    /workloadSelector and targetRefs exclude/,
  ],
  ["DataproxyFilter", { configPatches: [{ applyTo: "CLUSTER" }] }, /\[0\]\.patch: Required/],
];

/** One object or more for each condition. */
export const REFUSED: readonly RefusedObject[] = [
  ...VIRTUAL_SERVICES.map(([spec, says]) => ({ kind: "VirtualService", spec, says })),
  ...DESTINATION_RULES.map(([spec, says]) => ({ kind: "DestinationRule", spec, says })),
  ...[...LISTENERS, ...WORKLOADS, ...POLICIES].map(([kind, spec, says]) => ({ kind, spec, says })),
];
