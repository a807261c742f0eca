/** Rows of Mesh's own kinds that objects of the Gateway API become. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { toJson } from "../../../kit/proto/mod.ts";
import type { Mesh, TableKind } from "../mod.ts";
import { gatewaySelectors, selectsWorkload, tableOf } from "../mod.ts";
import { apiTrafficOf, objectKey } from "../../model/mod.ts";
import { TABLED_KINDS } from "../../schema/mod.ts";
import { meshOf, objectsOf } from "../../../../tests/support/mesh_fixture.ts";

const API = "apiVersion: gateway.networking.k8s.io/v1";

function gateway(name: string, listeners: string, namespace = "infra"): string {
  return `${API}
kind: Gateway
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  gatewayClassName: mesh
  addresses: [{type: Hostname, value: ${name}.infra.svc.cluster.local}]
  listeners: [${listeners}]
`;
}

const OPEN = "{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}";

function route(name: string, rules: string, more = "hostnames: [a.example]"): string {
  return `${API}
kind: HTTPRoute
metadata: {name: ${name}, namespace: shop}
spec:
  parentRefs: [{name: edge, namespace: infra}]
  ${more}
  rules: [${rules}]
`;
}

function service(name: string, namespace = "shop"): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  hosts: [${name}.${namespace}.svc.cluster.local]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
`;
}

const TO_B = "backendRefs: [{name: b, port: 80}]";

function write(mesh: Mesh, documents: string, removed: readonly string[] = []): void {
  mesh.graph.transaction((tx) => {
    for (const object of documents === "" ? [] : objectsOf(documents)) {
      const { kind } = object.meta;
      // Ages of edits must not differ from those of a first write.
      const row = { ...object, meta: { ...object.meta, creationTime: 0 } };
      tx.set(tableOf(mesh.tables, kind as TableKind), objectKey(object.meta), row);
    }
    for (const key of removed) tx.delete(mesh.tables.httpRoutes, key);
  });
}

/** The fed rows of a mesh, as JSON by table and key. */
function rowsOf({ tables }: Mesh): Record<string, unknown> {
  const kinds = ["Gateway", "VirtualService", "DestinationRule"] as const;
  return Object.fromEntries(kinds.flatMap((kind) => {
    const table = tableOf(tables, kind);
    return table.keys().map((key) => {
      const row = table.peek(key)!;
      const { annotations } = row.meta;
      const spec = toJson(TABLED_KINDS[kind].schema, row.spec as never);
      return [`${kind}/${key}`, JSON.parse(JSON.stringify({ annotations, spec }))];
    });
  }));
}

const documents = (...texts: readonly string[]) => texts.join("---\n");

/** Rules of the only VirtualService. */
function httpOf(rules: string, more?: string, options = {}): unknown {
  const mesh = meshOf(
    documents(gateway("edge", OPEN), route("r", rules, more), service("b"), service("c")),
    options,
  );
  const [row] = Object.entries(rowsOf(mesh)).filter(([key]) => key.startsWith("VirtualService/"));
  return (row?.[1] as { spec: { http: unknown } }).spec.http;
}

const B = { destination: { host: "b.shop.svc.cluster.local", port: { number: 80 } } };

Deno.test("rules of HTTPRoutes become rules of VirtualServices", () => {
  const name = "shop.r.0";
  const cases: readonly (readonly [rules: string, expected: unknown])[] = [
    [`{${TO_B}, timeouts: {request: 3s, backendRequest: 1s}}`, [
      { name, timeout: "1s", route: [B] },
    ]],
    ["{}", [{ name, directResponse: { status: 500 } }]],
    ["{backendRefs: [{name: b, port: 80, weight: 0}]}", [
      { name, directResponse: { status: 500 } },
    ]],
    ["{backendRefs: [{name: b, port: 80, weight: 3}, {name: x, namespace: other, port: 80}]}", [
      { name, route: [{ ...B, weight: 3 }, { destination: {}, weight: 1 }] },
    ]],
    [
      `{${TO_B}, filters: [{type: ExtensionRef, extensionRef: {group: example.com, kind: K, name: one}}]}`,
      [
        { name, directResponse: { status: 500 } },
      ],
    ],
    [
      `{${TO_B}, filters: [{type: RequestMirror, requestMirror: {backendRef: {name: c, port: 80},
        fraction: {numerator: 1, denominator: 4}}}]}`,
      [{
        name,
        mirrors: [{
          destination: { host: "c.shop.svc.cluster.local", port: { number: 80 } },
          percentage: { value: 25 },
        }],
        route: [B],
      }],
    ],
    [
      `{${TO_B}, filters: [{type: CORS, cors: {allowOrigins: ["https://*.a.example"]}}]}`,
      [{
        name,
        corsPolicy: {
          allowOrigins: [{ regex: "https://.*\\.a\\.example" }],
          maxAge: "5s",
          unmatchedPreflights: "IGNORE",
        },
        route: [B],
      }],
    ],
    [
      "{filters: [{type: RequestRedirect, requestRedirect: {scheme: https}}]}",
      [{ name, redirect: { scheme: "https", derivePort: "FROM_PROTOCOL_DEFAULT" } }],
    ],
  ];
  for (const [rules, expected] of cases) assert.deepEqual(httpOf(rules), expected, rules);
});

Deno.test("retries act with the experimental channel alone", () => {
  const rules = `{${TO_B}, retry: {codes: [503], attempts: 3, backoff: 100ms}, timeouts: {
    request: 3s, backendRequest: 1s}}`;
  assert.deepEqual(httpOf(rules), [{ name: "shop.r.0", timeout: "1s", route: [B] }]);
  const retries = {
    attempts: 3,
    backoff: "0.100s",
    perTryTimeout: "1s",
    retryOn: "connect-failure,refused-stream,unavailable,cancelled,503",
  };
  assert.deepEqual(httpOf(rules, undefined, { experimentalGatewayApi: true }), [
    { name: "shop.r.0", timeout: "3s", retries, route: [B] },
  ]);
});

Deno.test("objects of the Gateway API have no effect where they are turned off", () => {
  const text = documents(gateway("edge", OPEN), route("r", `{${TO_B}}`), service("b"));
  assert.deepEqual(rowsOf(meshOf(text, { gatewayApi: false })), {});
  assert.equal(Object.keys(rowsOf(meshOf(text))).length, 2);
});

Deno.test("a GRPCRoute and an HTTPRoute of one host share a VirtualService", () => {
  const grpc = route(
    "g",
    `{matches: [{method: {service: s.S, method: M}}, {method: {service: s.S}},
    {method: {method: M}}], ${TO_B}}`,
  ).replace("HTTPRoute", "GRPCRoute");
  const mesh = meshOf(
    documents(gateway("edge", OPEN), grpc, route("r", `{${TO_B}}`), service("b")),
  );
  const rows = rowsOf(mesh) as Record<string, { annotations: unknown; spec: { http: unknown[] } }>;
  const row = rows["VirtualService/shop/g-0-mesh-autogenerated-k8s-gateway"];
  assert.deepEqual(row?.annotations, {
    "internal.mesh.io/parents": "GRPCRoute/g.shop,HTTPRoute/r.shop",
    "internal.mesh.io/route-semantics": "gateway",
  });
  assert.deepEqual(row?.spec.http.map((rule) => (rule as { match?: unknown }).match), [
    [{ uri: { exact: "/s.S/M" } }],
    [{ uri: { prefix: "/s.S/" } }],
    undefined,
    [{ uri: { regex: "/[^/]+/M" } }],
  ]);
});

Deno.test("a route of another namespace than its Service is for clients of its own", () => {
  const parent = (namespace: string) =>
    route("r", `{${TO_B}}`, "useDefaultGateways: ''").replace(
      "{name: edge, namespace: infra}",
      `{group: "", kind: Service, name: b, namespace: shop, port: 80}`,
    ).replace(
      "metadata: {name: r, namespace: shop}",
      `metadata: {name: r, namespace: ${namespace}}`,
    );
  const mesh = meshOf(documents(parent("shop"), parent("clients"), service("b")));
  const routed = (namespace: string) =>
    mesh.graph.peek(mesh.routes.meshRoute, { namespace, host: "b.shop.svc.cluster.local" });
  assert.equal(routed("clients"), "clients/r-0-mesh-autogenerated-k8s-gateway");
  assert.equal(routed("shop"), "shop/r-0-mesh-autogenerated-k8s-gateway");
  assert.equal(routed("others"), "shop/r-0-mesh-autogenerated-k8s-gateway");
});

Deno.test("routes of one Service for several ports and of several kinds apply together", () => {
  const parent = (name: string, port: number) =>
    route(name, `{${TO_B}}`, "useDefaultGateways: ''").replace(
      "{name: edge, namespace: infra}",
      `{group: "", kind: Service, name: b, port: ${port}}`,
    );
  const tcp = parent("t", 90).replace("HTTPRoute", "TCPRoute");
  const two = service("b").replace(
    "protocol: HTTP}]",
    "protocol: HTTP}, {number: 90, name: o, protocol: HTTP}]",
  );
  const mesh = meshOf(documents(parent("r", 80), parent("s", 90), tcp, two));
  const key = mesh.graph.peek(mesh.routes.meshRoute, {
    namespace: "shop",
    host: "b.shop.svc.cluster.local",
  });
  const spec = mesh.graph.peek(mesh.routes.spec, key);
  assert.deepEqual(spec?.http.map(({ name, match: [match] }) => [name, match?.port]), [
    ["shop.r.0", 80],
    ["shop.s.0", 90],
  ]);
  assert.deepEqual(spec?.tcp.map(({ match: [match] }) => match?.port), [90]);
});

Deno.test("a BackendTLSPolicy becomes a DestinationRule of its Service", () => {
  const policy = `${API}
kind: BackendTLSPolicy
metadata: {name: p, namespace: shop}
spec:
  targetRefs: [{group: "", kind: Service, name: b, sectionName: http}]
  validation: {wellKnownCACertificates: System, hostname: b.example}
`;
  const mesh = meshOf(documents(policy, service("b")));
  assert.deepEqual(rowsOf(mesh), {
    "DestinationRule/shop/b-mesh-autogenerated-k8s-gateway": {
      annotations: { "internal.mesh.io/parents": "BackendTLSPolicy/p.shop" },
      spec: {
        host: "b.shop.svc.cluster.local",
        trafficPolicy: {
          portLevelSettings: [{
            port: { number: 80 },
            tls: { mode: "SIMPLE", sni: "b.example", subjectAltNames: ["b.example"] },
          }],
        },
      },
    },
  });
});

const trafficPolicy = (name: string, spec: string) =>
  `apiVersion: gateway.networking.x-k8s.io/v1alpha1
kind: XBackendTrafficPolicy
metadata: {name: ${name}, namespace: shop}
spec: {targetRefs: [{group: "", kind: Service, name: b}], ${spec}}
`;

Deno.test("an XBackendTrafficPolicy becomes a retry budget of its Service", () => {
  const cases: readonly (readonly [spec: string, budget: unknown])[] = [
    ["retryConstraint: {}", { percent: 20, minRetryConcurrency: 10, budgetInterval: "10s" }],
    [
      "retryConstraint: {budget: {percent: 0, interval: 2m}, minRetryRate: {count: 30, interval: 1m}}",
      { percent: 0, minRetryConcurrency: 1, budgetInterval: "120s" },
    ],
    [
      "retryConstraint: {minRetryRate: {count: 7, interval: 500ms}}",
      { percent: 20, minRetryConcurrency: 14, budgetInterval: "10s" },
    ],
  ];
  for (const [spec, retryBudget] of cases) {
    const mesh = meshOf(documents(trafficPolicy("p", spec), service("b")), {
      experimentalGatewayApi: true,
    });
    assert.deepEqual(rowsOf(mesh), {
      "DestinationRule/shop/b-mesh-autogenerated-k8s-gateway": {
        annotations: { "internal.mesh.io/parents": "XBackendTrafficPolicy/p.shop" },
        spec: { host: "b.shop.svc.cluster.local", trafficPolicy: { retryBudget } },
      },
    });
  }
});

Deno.test("an XBackendTrafficPolicy acts with the experimental channel, and once for a Service", () => {
  const two = documents(
    trafficPolicy("q", "sessionPersistence: {sessionName: s}"),
    trafficPolicy("p", "retryConstraint: {budget: {percent: 5}}"),
    service("b"),
  );
  assert.deepEqual(rowsOf(meshOf(two)), {});
  const mesh = meshOf(two, { experimentalGatewayApi: true });
  const [key] = mesh.tables.destinationRules.keys();
  const policy = mesh.tables.destinationRules.peek(key!)?.spec.trafficPolicy;
  assert.equal(policy?.retryBudget, undefined);
  assert.deepEqual(apiTrafficOf(policy!), {
    object: "XBackendTrafficPolicy/shop/q",
    session: { kind: "cookie", name: "s", path: "/" },
  });
});

Deno.test("a Gateway selects the workloads of its Services", () => {
  const front = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: edge, namespace: infra}
spec:
  hosts: [edge.infra.svc.cluster.local]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  workloadSelector: {labels: {app: edge}}
`;
  const mesh = meshOf(documents(gateway("edge", OPEN), front));
  const ports = (namespace: string, app: string) =>
    mesh.graph.peek(mesh.gatewayPorts, { namespace, labels: { app } }).map(({ number }) => number);
  assert.deepEqual(ports("infra", "edge"), [80]);
  assert.deepEqual(ports("infra", "other"), []);
  assert.deepEqual(ports("other", "edge"), []);
  const row = mesh.tables.gateways.peek("infra/edge-mesh-autogenerated-k8s-gateway-http")!;
  const selector = { namespace: "infra", labels: { app: "edge" } };
  assert.deepEqual(gatewaySelectors(mesh, row), [selector]);
  assert.ok(selectsWorkload(mesh, row, selector));
  assert.ok(!selectsWorkload(mesh, row, { ...selector, namespace: "other" }));
});

Deno.test("a Gateway that Mesh deploys selects the pods with its label until its Service is known", () => {
  const deployed = gateway("edge", OPEN).replace(/ {2}addresses: .*\n/, "");
  const label = "gateway.networking.k8s.io/gateway-name";
  const ports = (mesh: Mesh, namespace: string, labels: Record<string, string>) =>
    mesh.graph.peek(mesh.gatewayPorts, { namespace, labels }).map(({ number }) => number);
  const alone = meshOf(deployed);
  assert.deepEqual(ports(alone, "infra", { [label]: "edge" }), [80]);
  assert.deepEqual(ports(alone, "infra", { [label]: "other" }), []);
  assert.deepEqual(ports(alone, "other", { [label]: "edge" }), []);
  const row = alone.tables.gateways.peek("infra/edge-mesh-autogenerated-k8s-gateway-http")!;
  assert.equal(row.deployed?.serviceAccount, "edge-mesh");
  const front = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: edge, namespace: infra}
spec:
  hosts: [edge-mesh.infra.svc.cluster.local]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  workloadSelector: {labels: {app: edge}}
`;
  const served = meshOf(documents(deployed, front));
  assert.deepEqual(ports(served, "infra", { [label]: "edge" }), []);
  assert.deepEqual(ports(served, "infra", { app: "edge" }), [80]);
});

Deno.test("a Gateway with a long name, and one with a name of its own, have the Service of that name", () => {
  const deployed = gateway("edge", OPEN).replace(/ {2}addresses: .*\n/, "");
  const long = "a".repeat(60);
  const cases: readonly (readonly [text: string, name: string, service: RegExp])[] = [
    [deployed, "edge", /^edge-mesh\.infra\.svc\.cluster\.local$/],
    [deployed.replace("name: edge,", `name: ${long},`), long, /^a{54}-[0-9a-f]{8}\.infra\.svc/],
    [
      deployed.replace(
        "name: edge,",
        "annotations: {gateway.mesh.io/name-override: own}, name: edge,",
      ),
      "edge",
      /^own\.infra\.svc\.cluster\.local$/,
    ],
  ];
  for (const [text, name, service] of cases) {
    const { tables } = meshOf(text);
    const row = tables.gateways.peek(`infra/${name}-mesh-autogenerated-k8s-gateway-http`);
    assert.match(row?.meta.annotations["internal.mesh.io/gateway-service"] ?? "", service);
  }
});

Deno.test("one changed route converts one route, and merges its hosts", () => {
  const names = Array.from({ length: 100 }, (_, i) => i);
  const own = (i: number) => route(`r${i}`, `{${TO_B}}`, `hostnames: [h${i}.example]`);
  const mesh = meshOf(
    documents(gateway("edge", OPEN), ...names.map(own), service("b"), service("c")),
  );
  assert.equal(Object.keys(rowsOf(mesh)).length, 101);
  mesh.graph.resetStats();
  write(mesh, own(7).replace("name: b", "name: c"));
  const { computedByTable } = mesh.graph.stats();
  const counts = ["Gateway", "Route"].map((kind) =>
    computedByTable[`gatewayApi.converted${kind}`] ?? 0
  );
  assert.deepEqual([...counts, computedByTable["gatewayApi.virtualService"]], [0, 1, 1]);
});

const LISTENERS = [
  OPEN,
  "{name: http, port: 80, protocol: HTTP}",
  "{name: a, port: 80, protocol: HTTP, hostname: '*.example', allowedRoutes: {namespaces: {from: All}}}",
];
const HOSTS = [
  "",
  "hostnames: [a.example]",
  "hostnames: [a.example, b.example]",
  "hostnames: ['*.example']",
];
const RULES = [
  `{${TO_B}}`,
  `{matches: [{path: {value: /x}}, {path: {value: /x/y}}], ${TO_B}}`,
  "{backendRefs: [{name: c, port: 80}, {name: none, port: 80}]}",
];

const edit = fc.oneof(
  fc.record({
    name: fc.constantFrom("r", "s", "t"),
    hosts: fc.constantFrom(...HOSTS),
    rules: fc.constantFrom(...RULES),
    gone: fc.boolean(),
  }).map(({ name, hosts, rules, gone }) =>
    gone ? { key: `shop/${name}`, text: "" } : {
      key: `HTTPRoute/${name}`,
      text: route(name, rules, hosts === "" ? "useDefaultGateways: ''" : hosts),
    }
  ),
  fc.constantFrom(...LISTENERS).map((listeners) => ({
    key: "Gateway/edge",
    text: gateway("edge", listeners),
  })),
  fc.constantFrom("b", "c").map((name) => ({ key: `ServiceEntry/${name}`, text: service(name) })),
);

Deno.test("rows after any edits are those of a start from scratch", () => {
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 12 }), (edits) => {
      const mesh = meshOf("");
      const texts = new Map<string, string>();
      for (const { key, text } of edits) {
        if (text === "") texts.delete(`HTTPRoute/${key.slice("shop/".length)}`);
        else texts.set(key, text);
        write(mesh, text, text === "" ? [key] : []);
      }
      const fresh = meshOf("");
      write(fresh, documents(...texts.values()));
      assert.deepEqual(rowsOf(mesh), rowsOf(fresh));
    }),
    { numRuns: 60 },
  );
});
