/**
 * Random meshes around one workload and one gateway, and random calls through their proxies.
 *
 * @module
 */
import fc from "fast-check";
import type { Call } from "../../../lib/insight/simulate/mod.ts";
import { documents, manifest, type Spec } from "../../support/manifest.ts";

/** Address of the workload; sources of calls are its neighbours. */
export const WORKLOAD = "127.0.40.1";

/** Ports that the tests hold. */
export interface Ports {
  /** Servers behind everything: of HTTP, of bytes, of either. */
  readonly http: number;
  readonly tcp: number;
  readonly auto: number;
  /** Ports of the gateway: plain, TLS that it ends, TLS that it passes on. */
  readonly gateway: readonly [number, number, number];
  /** Ports of the services. They have no listener: passed-through connections fail. */
  readonly service: ServicePorts;
}

/** Ports of the services, by protocol, and one that no service has. */
export interface ServicePorts {
  readonly http: number;
  readonly httpAlt: number;
  readonly tcp: number;
  readonly auto: number;
  readonly tls: number;
  readonly none: number;
}

/** Principals that clients have certificates for. */
export const PRINCIPALS: readonly string[] = [
  "spiffe://cluster.local/ns/test/sa/one",
  "spiffe://cluster.local/ns/other/sa/two",
];

const ISSUERS = ["https://issuer.test", "https://other-issuer.test"];
const SOURCES = ["127.0.30.1", "127.0.30.2", "127.0.31.1"];
const PATHS = [
  "/",
  "/a",
  "/a/b?q=1",
  "/A",
  "/b",
  "/bb/x",
  "/c/17",
  "/c/17/x?page=2",
  "/b/../a",
  "//a",
  "/a%2fb",
  "/%61",
  "/b/./x?q=2&q=1",
  "/admin;v=1",
  "/old/x?keep=1",
  "/open/..%2Fadmin",
  "/a%5Cb",
  "/b\\x",
  "/x/../../a",
  "/a#fragment",
];
const VIPS: Readonly<Record<string, string>> = { "a.test": "127.1.0.1", "tcp.test": "127.1.0.2" };

const { constantFrom } = fc;
const some = { requiredKeys: [] };

const text = constantFrom<Spec>(
  { exact: "/a" },
  { prefix: "/b" },
  { regex: "/c/[0-9]+(/x)?" },
  { prefix: "/" },
  { prefix: "/A" },
);
const word = constantFrom<Spec>({ exact: "one" }, { prefix: "o" }, { regex: "t.o" }, {});

const match = fc.record({
  uri: text,
  ignoreUriCase: fc.boolean(),
  method: constantFrom<Spec>({ exact: "GET" }, { regex: "P.*" }),
  authority: constantFrom<Spec>({ exact: "a.test" }, { prefix: "x." }),
  scheme: constantFrom<Spec>({ exact: "http" }, { exact: "https" }),
  headers: fc.dictionary(constantFrom("x-a", "end-user"), word, { maxKeys: 1 }),
  withoutHeaders: fc.dictionary(constantFrom("x-b"), word, { maxKeys: 1 }),
  queryParams: fc.dictionary(constantFrom("q", "page"), constantFrom<Spec>({ exact: "1" }, {}), {
    maxKeys: 1,
  }),
}, some);

const destination = fc.record({
  host: constantFrom("a.test", "b.test", "x.wild.test", "nowhere.test"),
  subset: constantFrom("v1", "v2", "missing"),
}, { requiredKeys: ["host"] });

const always = { value: 100 };
const route = fc.record({
  route: fc.array(fc.record({ destination, weight: constantFrom(1, 3) }), {
    minLength: 1,
    maxLength: 2,
  }),
  match: fc.oneof(fc.constant([]), fc.array(match, { minLength: 1, maxLength: 2 })),
  rewrite: constantFrom<Spec>(
    { uri: "/new" },
    { authority: "rewritten.test" },
    { uriRegexRewrite: { match: "^/([a-c])/(.*)$", rewrite: "/\\2/\\1" } },
  ),
  fault: constantFrom<Spec>(
    { abort: { httpStatus: 418, percentage: always } },
    { abort: { httpStatus: 418, percentage: { value: 50 } } },
    { delay: { fixedDelay: "0.01s", percentage: always } },
  ),
  headers: constantFrom<Spec>({ request: { set: { "x-set": "1", host: "by-header.test" } } }),
  corsPolicy: constantFrom<Spec>({
    allowOrigins: [{ exact: "https://a.test" }],
    allowMethods: ["GET"],
  }),
  mirror: constantFrom<Spec>({ host: "b.test" }),
}, { requiredKeys: ["route", "match"] });

const rule = fc.oneof(
  { weight: 5, arbitrary: route },
  {
    weight: 1,
    arbitrary: fc.record({
      match: fc.array(match, { maxLength: 1 }),
      redirect: constantFrom<Spec>(
        { uri: "/there", redirectCode: 302 },
        { authority: "there.test", scheme: "https", port: 8443 },
        { prefixRewrite: "/z", derivePort: "FROM_REQUEST_PORT" },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      match: fc.array(match, { minLength: 1, maxLength: 1 }),
      directResponse: constantFrom<Spec>({ status: 299, body: { string: "hello" } }),
    }),
  },
);

const virtualService = fc.record({
  hosts: constantFrom(
    ["a.test"],
    ["a.test", "*.wild.test"],
    ["b.test", "x.wild.test"],
    ["*.wild.test"],
    ["only.test", "b.test"],
  ),
  gateways: constantFrom(["mesh"], ["gate"], ["mesh", "gate"]),
  http: fc.array(rule, { minLength: 1, maxLength: 4 }),
});

const values = (...all: string[]) => fc.subarray(all, { minLength: 1 });
const accessRule = fc.record({
  from: fc.array(
    fc.record({
      source: fc.record({
        principals: values("cluster.local/ns/test/sa/one", "*/sa/two", "*"),
        notPrincipals: values("cluster.local/ns/test/*"),
        namespaces: values("test", "other"),
        ipBlocks: values("127.0.30.0/24", "127.0.31.1"),
        remoteIpBlocks: values("127.0.30.1"),
        requestPrincipals: values(`${ISSUERS[0]}/me`, "*"),
      }, some),
    }),
    { maxLength: 1 },
  ),
  to: fc.array(
    fc.record({
      operation: fc.record({
        paths: values("/a", "/b*", "*/x", "/c/{*}/x", "/admin"),
        notPaths: values("/a"),
        methods: values("GET", "P*"),
        hosts: values("a.test", "*.wild.test"),
      }, some),
    }),
    { maxLength: 1 },
  ),
  when: fc.array(
    constantFrom<Spec>(
      { key: "request.headers[x-a]", values: ["one"] },
      { key: "request.auth.claims[group]", values: ["dev"] },
      { key: "request.auth.claims[scope]", notValues: ["write"] },
      { key: "destination.port", notValues: ["1"] },
    ),
    { maxLength: 1 },
  ),
}, some);

const authorization = fc.record({
  selector: constantFrom({ matchLabels: { app: "server" } }, { matchLabels: { app: "edge" } }),
  action: constantFrom("ALLOW", "DENY", "AUDIT"),
  rules: fc.array(accessRule, { minLength: 1, maxLength: 2 }),
});

/** A mesh as documents, without what is random about it. */
function fixed({ http, tcp, auto, gateway, service: own }: Ports): string[] {
  const ports = [
    { number: own.http, name: "http", protocol: "HTTP", targetPort: http },
    { number: own.httpAlt, name: "http-alt", protocol: "HTTP", targetPort: http },
    { number: own.tcp, name: "tcp", protocol: "TCP", targetPort: tcp },
    { number: own.auto, name: "auto", protocol: "", targetPort: auto },
    { number: own.tls, name: "tls", protocol: "TLS", targetPort: tcp },
  ];
  const service = (name: string, host: string, more: Spec): string =>
    manifest("ServiceEntry", name, {
      hosts: [host],
      location: "MESH_EXTERNAL",
      resolution: "STATIC",
      ports,
      ...more,
    });
  const subsets = ["v1", "v2"].map((version) => ({ name: version, labels: { version } }));
  return [
    service("a", "a.test", { endpoints: endpoints(51), addresses: [VIPS["a.test"]] }),
    service("b", "b.test", { endpoints: endpoints(52) }),
    service("wild", "*.wild.test", { endpoints: endpoints(53) }),
    manifest("ServiceEntry", "tcp", {
      hosts: ["tcp.test"],
      location: "MESH_EXTERNAL",
      resolution: "STATIC",
      ports: ports.filter(({ protocol }) => protocol !== "HTTP"),
      endpoints: endpoints(54),
      addresses: [VIPS["tcp.test"]],
    }),
    ...["a.test", "b.test", "tcp.test"].map((host) =>
      manifest("DestinationRule", host.replace(".", "-"), { host, subsets })
    ),
    manifest("ServiceEntry", "own", {
      hosts: ["own.test"],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports,
      workloadSelector: { labels: { app: "server" } },
    }),
    manifest("WorkloadEntry", "server", { address: WORKLOAD, labels: { app: "server" } }),
    fixedGateway(gateway),
    sealedRoutes(gateway[2], own),
  ];
}

/** Two endpoints, one for each subset. */
function endpoints(net: number): Spec[] {
  return [
    { address: `127.0.${net}.1`, labels: { version: "v1" } },
    { address: `127.0.${net}.2`, labels: { version: "v2" } },
  ];
}

function fixedGateway([plain, https, tls]: Ports["gateway"]): string {
  return manifest("Gateway", "gate", {
    selector: { app: "edge" },
    servers: [
      { port: { number: plain, name: "http", protocol: "HTTP" }, hosts: ["*"] },
      {
        port: { number: https, name: "https", protocol: "HTTPS" },
        hosts: ["a.test", "*.wild.test"],
        tls: { mode: "SIMPLE", serverCertificate: "/c", privateKey: "/k" },
      },
      {
        port: { number: tls, name: "tls", protocol: "TLS" },
        hosts: ["*.test"],
        tls: { mode: "PASSTHROUGH" },
      },
    ],
  });
}

/** A VirtualService with rules for TLS connections and for TCP. */
function sealedRoutes(gatewayPort: number, own: Ports["service"]): string {
  const destination = (host: string, subset: string, number: number) => ({
    destination: { host, subset, port: { number } },
  });
  return manifest("VirtualService", "sealed", {
    hosts: ["a.test", "tcp.test"],
    gateways: ["gate", "mesh"],
    tls: [
      {
        match: [{ sniHosts: ["a.test"], port: gatewayPort }],
        route: [destination("a.test", "v1", own.tls)],
      },
      {
        match: [{ sniHosts: ["tcp.test"] }],
        route: ["v1", "v2"].map((subset) => ({
          ...destination("tcp.test", subset, own.tls),
          weight: 1,
        })),
      },
    ],
    tcp: [{ match: [{ port: own.tcp }], route: [destination("tcp.test", "v2", own.tcp)] }],
  });
}

/** A mesh as documents. */
export function randomMesh(seed: number, ports: Ports, jwks: string): string {
  const draw = <T>(what: fc.Arbitrary<T>, numRuns: number): T[] =>
    fc.sample(what, { seed, numRuns });
  const secured = { apiVersion: "security.mesh.io/v1" };
  return documents(
    ...fixed(ports),
    ...draw(virtualService, 4).map((spec, i) => manifest("VirtualService", `vs-${i}`, spec)),
    ...draw(authorization, 3).map((spec, i) =>
      manifest("AuthorizationPolicy", `access-${i}`, spec)
        .replace("networking.mesh.io/v1", secured.apiVersion)
    ),
    ...draw(constantFrom("PERMISSIVE", "STRICT", "DISABLE"), 1).map((mode) =>
      manifest("PeerAuthentication", "peers", { mtls: { mode } })
        .replace("networking.mesh.io/v1", secured.apiVersion)
    ),
    ...draw(fc.subarray(["server", "edge"]), 1).flat().map((app) =>
      manifest("RequestAuthentication", `tokens-${app}`, {
        selector: { matchLabels: { app } },
        jwtRules: [{ issuer: ISSUERS[0], audiences: ["shop"], jwks }],
      }).replace("networking.mesh.io/v1", secured.apiVersion)
    ),
  );
}

const token = fc.record({
  claims: fc.record({
    iss: constantFrom(...ISSUERS, ISSUERS[0]!, ISSUERS[0]!),
    aud: constantFrom("shop", "shop", "shop", "elsewhere"),
    sub: constantFrom("me", "you"),
    group: constantFrom("dev", "ops"),
    scope: constantFrom("read write", "read"),
  }),
});

const httpRequest = ({ service }: Ports) =>
  fc.record({
    method: constantFrom("GET", "GET", "POST", "OPTIONS"),
    host: constantFrom(
      "a.test",
      "a.test",
      "a.test",
      "A.test",
      "b.test",
      `a.test:${service.http}`,
      "b.test",
      "x.wild.test",
      "y.x.wild.test",
      "only.test",
      "nobody.test",
      "own.test",
    ),
    path: constantFrom(...PATHS),
    headers: fc.record({
      "x-a": constantFrom("one", "two"),
      "x-b": constantFrom("one", "no"),
      "end-user": constantFrom("one", "two"),
      "origin": constantFrom("https://a.test", "https://b.test"),
      "access-control-request-method": constantFrom("GET"),
    }, some),
    token,
  }, { requiredKeys: ["method", "host", "path", "headers"] });

const source = fc.record({ ip: constantFrom(...SOURCES) });

function mayBe<T>(what: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(what, { nil: undefined, freq: 3 });
}

const outbound = (ports: Ports): fc.Arbitrary<Call> =>
  fc.record({
    direction: fc.constant("outbound" as const),
    source,
    destination: fc.record({
      ip: constantFrom(...Object.values(VIPS), "127.2.0.1"),
      port: constantFrom(
        ...Array<number>(5).fill(ports.service.http),
        ...[ports.service.httpAlt, ports.service.tcp, ports.service.auto],
        ...[ports.service.tls, ports.service.none],
      ),
    }),
    tls: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      {
        weight: 1,
        arbitrary: fc.record({
          serverName: constantFrom("a.test", "tcp.test", "else.test"),
          alpn: fc.constant([]),
        }),
      },
    ),
    http: fc.option(httpRequest(ports), { nil: undefined, freq: 6 }),
  });

function inbound(ports: Ports): fc.Arbitrary<Call> {
  const { http: a, tcp, auto } = ports;
  return fc.record({
    direction: fc.constant("inbound" as const),
    source,
    destination: fc.record({
      ip: fc.constant(WORKLOAD),
      port: constantFrom(a, a, a, tcp, auto),
    }),
    tls: fc.option(
      fc.record({
        serverName: fc.constant("own.test"),
        alpn: constantFrom(["mesh"], ["mesh-http/1.1", "mesh"], ["http/1.1"]),
        principal: constantFrom(...PRINCIPALS, undefined),
      }),
      { nil: undefined, freq: 2 },
    ),
    http: mayBe(httpRequest(ports)),
  });
}

/** Calls of the workload and to it. */
export function workloadCalls(seed: number, count: number, ports: Ports): Call[] {
  return fc.sample(fc.oneof(outbound(ports), inbound(ports)), { seed, numRuns: count });
}

export function gatewayCalls(seed: number, count: number, ports: Ports): Call[] {
  const { gateway } = ports;
  const http = httpRequest(ports);
  const names = ["a.test", "a.test", "x.wild.test", "tcp.test", "else.test"];
  const [plain, ended, passed] = gateway;
  const sealed = fc.record({
    serverName: constantFrom(...names),
    alpn: constantFrom(["http/1.1"]),
  });
  const to = (port: number) => fc.constant({ ip: "127.0.0.1", port });
  const gate = { direction: fc.constant("gateway" as const), source };
  return fc.sample<Call>(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ ...gate, destination: to(plain), http }) },
      { weight: 2, arbitrary: fc.record({ ...gate, destination: to(ended), tls: sealed, http }) },
      { weight: 1, arbitrary: fc.record({ ...gate, destination: to(passed), tls: sealed, http }) },
      { weight: 1, arbitrary: fc.record({ ...gate, destination: to(ended), http }) },
    ),
    { seed, numRuns: count },
  );
}
