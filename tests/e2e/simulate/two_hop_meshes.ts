/**
 * Random meshes of clients, a gateway and a server, and random requests to the server.
 *
 * @module
 */
import fc from "fast-check";
import type { QuestionFields } from "../../../lib/insight/explain/mod.ts";
import { documents, manifest, type Spec } from "../../support/manifest.ts";

/** Address of the server. */
export const SERVER = "127.0.40.1";
/** Address of connections of the gateway, and of its listeners. */
export const GATEWAY = "127.0.33.1";

/** The clients: sidecars of two namespaces. */
export const CLIENTS = [
  { name: "one", namespace: "test", address: "127.0.30.1" },
  { name: "two", namespace: "other", address: "127.0.31.1" },
] as const;

/** Ports of a mesh. */
export interface HopPorts {
  /** Port of the gateway. */
  readonly gateway: number;
  /** Ports of the service, by protocol, and the ports of the server behind them. */
  readonly service: Readonly<Record<"http" | "alt" | "tcp", number>>;
  readonly target: Readonly<Record<"http" | "alt" | "tcp", number>>;
}

/** A request with the claims of its token. */
export interface Asked {
  readonly fields: QuestionFields;
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  /** A mistake of the token, which is then part of the question as text. */
  readonly mistake?: TokenMistake;
}

const { constantFrom } = fc;
const some = { requiredKeys: [] };
const ISSUER = "https://issuer.test";
const HOST = "own.test";
const PATHS = ["/", "/a", "/a/b?q=1", "/A", "/b", "/bb/x", "/c/17/x", "//a", "/a%2fb", "/%61"];
const METHODS = ["GET", "GET", "POST", "PUT"];

const values = (...all: string[]) => fc.subarray(all, { minLength: 1 });

const source = fc.record({
  principals: values(
    "cluster.local/ns/test/sa/one",
    "*/sa/two",
    "cluster.local/ns/test/sa/default",
    "*",
  ),
  notPrincipals: values("cluster.local/ns/other/*", "cluster.local/ns/test/sa/default"),
  namespaces: values("test", "other"),
  notNamespaces: values("other"),
  ipBlocks: values("127.0.30.0/24", "127.0.31.1", "127.0.33.0/24"),
  remoteIpBlocks: values("127.0.30.0/24", "127.0.33.1", "192.0.2.0/25", "192.0.2.200"),
  notRemoteIpBlocks: values("192.0.2.0/25"),
  requestPrincipals: values(`${ISSUER}/me`, "*"),
}, some);

const operation = (ports: HopPorts) =>
  fc.record({
    paths: values("/a", "/b*", "*/x", "/c/{*}/x", "/new*"),
    notPaths: values("/a", "/b"),
    methods: values("GET", "P*"),
    hosts: values(HOST, "rewritten.test"),
    ports: values(`${ports.target.http}`, `${ports.target.tcp}`, `${ports.gateway}`),
  }, some);

const condition = constantFrom<Spec>(
  { key: "request.headers[x-a]", values: ["one"] },
  { key: "request.headers[x-a]", notValues: ["two"] },
  { key: "request.auth.claims[group]", values: ["dev"] },
  { key: "source.principal", values: ["cluster.local/ns/test/*"] },
  { key: "source.namespace", notValues: ["other"] },
  { key: "source.ip", values: ["127.0.31.0/24"] },
  { key: "remote.ip", values: ["192.0.2.200", "127.0.31.1"] },
);

const accessRule = (ports: HopPorts) =>
  fc.record({
    from: fc.array(fc.record({ source }), { minLength: 1, maxLength: 2 }),
    to: fc.array(fc.record({ operation: operation(ports) }), { minLength: 1, maxLength: 2 }),
    when: fc.array(condition, { minLength: 1, maxLength: 1 }),
  }, some);

const access = (ports: HopPorts) =>
  fc.record({
    selector: constantFrom(
      ...Array<Spec>(3).fill({ matchLabels: { app: "server" } }),
      { matchLabels: { app: "edge" } },
    ),
    action: constantFrom("ALLOW", "ALLOW", "DENY"),
    rules: fc.array(accessRule(ports), { minLength: 1, maxLength: 3 }),
  });

const destination = (port: number) => ({ destination: { host: HOST, port: { number: port } } });

/** Routes to the server; a request that none of them matches is answered 404. */
const routes = ({ service }: HopPorts) =>
  fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          match: constantFrom<Spec[]>(
            [{ uri: { prefix: "/b" } }],
            [{ uri: { exact: "/a" }, method: { exact: "GET" } }],
            [{ headers: { "x-a": { exact: "one" } } }],
            [],
          ),
          route: constantFrom([destination(service.http)], [destination(service.alt)]),
          rewrite: constantFrom<Spec>({ uri: "/new" }, { authority: "rewritten.test" }),
          headers: constantFrom<Spec>({ request: { remove: ["x-a"] } }),
        }, { requiredKeys: ["match", "route"] }),
      },
      {
        weight: 1,
        arbitrary: constantFrom<Spec>(
          { match: [{ uri: { exact: "/A" } }], redirect: { uri: "/there" } },
          { match: [{ uri: { prefix: "/c" } }], directResponse: { status: 299 } },
          {
            match: [{ uri: { exact: "/bb/x" } }],
            route: [destination(service.http)],
            fault: { abort: { httpStatus: 418, percentage: { value: 100 } } },
          },
        ),
      },
    ),
    { minLength: 1, maxLength: 4 },
  ).map((http) => [...http, { route: [destination(service.http)] }]);

/** Routes that lead nowhere, for requests with a header that names the mistake. */
function wrongRoutes({ service }: HopPorts): Spec[] {
  const route = (name: string, to: Spec): Spec => ({
    match: [{ headers: { "x-m": { exact: name } } }],
    route: [{ destination: { host: HOST, port: { number: service.http }, ...to } }],
  });
  return [
    route("subset", { subset: "gone" }),
    route("empty", { subset: "empty" }),
    route("port", { port: { number: 9 } }),
    route("host", { host: "nowhere.test" }),
  ];
}

function fixed({ gateway, service, target }: HopPorts): string[] {
  return [
    manifest("ServiceEntry", "own", {
      hosts: [HOST],
      addresses: ["127.1.0.9"],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [
        { number: service.http, name: "http", protocol: "HTTP", targetPort: target.http },
        { number: service.alt, name: "http-alt", protocol: "HTTP", targetPort: target.alt },
        { number: service.tcp, name: "tcp", protocol: "TCP", targetPort: target.tcp },
      ],
      workloadSelector: { labels: { app: "server" } },
    }),
    manifest("WorkloadEntry", "server", {
      address: SERVER,
      labels: { app: "server" },
      serviceAccount: "server",
    }),
    ...CLIENTS.map(({ name, namespace, address }) =>
      manifest(
        "WorkloadEntry",
        name,
        { address, labels: { app: "client" }, serviceAccount: name },
        namespace,
      )
    ),
    manifest("Gateway", "gate", {
      selector: { app: "edge" },
      servers: [{ port: { number: gateway, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
    }),
  ];
}

/**
 * A mesh as documents.
 *
 * @param mistaken true: with routes that lead nowhere, modes that do not fit, missing services
 */
export function twoHopMesh(seed: number, ports: HopPorts, jwks: string, mistaken = false): string {
  const draw = <T>(what: fc.Arbitrary<T>, numRuns: number): T[] =>
    fc.sample(what, { seed, numRuns });
  const secured = (kind: string, name: string, spec: Spec): string =>
    manifest(kind, name, spec).replace("networking.mesh.io/v1", "security.mesh.io/v1");
  const [http = []] = draw(routes(ports), 1);
  // Samples take turns: the rarer a mode by chance, the longer its faults stay hidden.
  const mode = ["STRICT", "PERMISSIVE", "PERMISSIVE", "DISABLE"][seed % 4]!;
  const tls = [undefined, "MESH_MUTUAL", "DISABLE", undefined][Math.floor(seed / 2) % 4];
  const modes = mistaken ? mistakes(seed, ports) : { mode, tls, portLevel: undefined };
  const wrong = mistaken ? wrongRoutes(ports) : [];
  const subsets = mistaken ? { subsets: [{ name: "empty", labels: { version: "none" } }] } : {};
  const policy = modes.tls === undefined ? {} : { trafficPolicy: { tls: { mode: modes.tls } } };
  return documents(
    ...fixed(ports),
    manifest("VirtualService", "own", {
      hosts: [HOST],
      gateways: ["mesh", "gate"],
      http: [...wrong, ...http],
    }),
    ...(modes.tls === undefined && !mistaken
      ? []
      : [manifest("DestinationRule", "own", { host: HOST, ...policy, ...subsets })]),
    secured("PeerAuthentication", "peers", {
      mtls: { mode: modes.mode },
    }),
    ...(modes.portLevel === undefined ? [] : [
      secured("PeerAuthentication", "ports", {
        selector: { matchLabels: { app: "server" } },
        portLevelMtls: { [ports.target.alt]: { mode: modes.portLevel } },
      }),
    ]),
    ...(mistaken && seed % 3 === 0
      ? [manifest("Sidecar", "own", {
        egress: [{ hosts: ["./*"] }],
        outboundTrafficPolicy: { mode: "REGISTRY_ONLY" },
      }, "other")]
      : []),
    ...draw(access(ports), mistaken ? seed % 2 : 2 + seed % 3).map((spec, i) =>
      secured("AuthorizationPolicy", `access-${i}`, spec)
    ),
    ...draw(fc.subarray(["server", "edge"], { minLength: 1 }), 1).flat().map((app) =>
      secured("RequestAuthentication", `tokens-${app}`, {
        selector: { matchLabels: { app } },
        jwtRules: [{
          issuer: ISSUER,
          jwks,
          forwardOriginalToken: !mistaken || seed % 2 === 0,
          ...(mistaken && seed % 4 < 2 ? { audiences: ["shop"] } : {}),
        }],
      })
    ),
  );
}

/** Modes of both sides, whether they fit or not. */
function mistakes(seed: number, _ports: HopPorts) {
  const [one] = fc.sample(
    fc.record({
      mode: constantFrom("STRICT", "STRICT", "PERMISSIVE", "PERMISSIVE", "DISABLE"),
      tls: constantFrom(undefined, undefined, "DISABLE", "MESH_MUTUAL", "SIMPLE"),
      portLevel: constantFrom(undefined, "STRICT", "DISABLE", "PERMISSIVE"),
    }),
    { seed, numRuns: 1 },
  );
  return one!;
}

/** Mistakes of tokens; `late` and `skewed` are none: the proxy's tolerance covers them. */
const TOKEN_MISTAKES = [
  "expired",
  "early",
  "late",
  "skewed",
  "foreign",
  "half",
  "empty",
  "none",
  "audience",
  "good",
  "text",
  "form",
] as const;
export type TokenMistake = typeof TOKEN_MISTAKES[number];

/** Random requests with mistakes, through the proxy of one workload. */
export function mistakenRequests(
  from: string,
  options: { readonly seed: number; readonly count: number; readonly ports: HopPorts },
): Asked[] {
  const { seed, count, ports } = options;
  const mistake = fc.record({
    route: constantFrom(...Array<undefined>(20), "subset", "empty", "port", "host"),
    token: constantFrom(...Array<undefined>(12), ...TOKEN_MISTAKES),
    protocol: constantFrom(...Array<undefined>(120), "tcp to http", "http to tcp", "http to tcp"),
  });
  const drawn = fc.sample(mistake, { seed: seed + 1, numRuns: count });
  return requestsFrom(from, { seed, count, ports }).map((one, at): Asked => {
    const { route, token, protocol } = drawn[at]!;
    const { url, headers = [], claims: _, ...rest } = one.fields;
    if (protocol === "tcp to http" && !from.startsWith("gate.")) {
      return { fields: { from, url: `tcp://${HOST}:${ports.service.http}` }, claims: undefined };
    }
    if (url.startsWith("tcp:")) {
      return protocol === undefined
        ? one
        : { ...one, fields: { from, url: url.replace("tcp:", "http:") } };
    }
    const lines = [...headers, ...(route === undefined ? [] : [`x-m: ${route}`])];
    return {
      fields: { ...rest, url, headers: lines },
      claims: token === undefined
        ? undefined
        : one.claims ?? { iss: ISSUER, sub: "me", aud: "shop" },
      ...(token === undefined ? {} : { mistake: token }),
    };
  });
}

const claims = fc.record({
  iss: constantFrom(ISSUER, ISSUER, "https://other-issuer.test"),
  sub: constantFrom("me", "you"),
  group: constantFrom("dev", "ops"),
});

/** Requests through the proxy of one workload, `NAME.NAMESPACE`. */
export function requestsFrom(
  from: string,
  { seed, count, ports }: {
    readonly seed: number;
    readonly count: number;
    readonly ports: HopPorts;
  },
): Asked[] {
  const edge = from.startsWith("gate.");
  const { service } = ports;
  const request = fc.record({
    from: fc.constant(from),
    port: edge
      ? fc.constant(ports.gateway)
      : constantFrom(service.http, service.http, service.http, service.alt, service.tcp),
    path: constantFrom(...PATHS),
    method: constantFrom(...METHODS),
    header: constantFrom("x-a: one", "x-a: two", undefined),
    claims: fc.option(claims, { nil: undefined, freq: 2 }),
    client: edge ? constantFrom("192.0.2.7", "192.0.2.200") : fc.constant(undefined),
  });
  return fc.sample(request, { seed, numRuns: count }).map((one): Asked => {
    const { port, path, method, header, client } = one;
    if (port === service.tcp) {
      return { fields: { from, url: `tcp://${HOST}:${port}` }, claims: undefined };
    }
    const headers = [
      ...(header === undefined ? [] : [header]),
    ];
    return {
      fields: {
        from,
        url: `http://${HOST}:${port}${path}`,
        method,
        headers,
        ...(client === undefined ? {} : { client }),
        ...(one.claims === undefined ? {} : { claims: JSON.stringify(one.claims) }),
      },
      claims: one.claims,
    };
  });
}
