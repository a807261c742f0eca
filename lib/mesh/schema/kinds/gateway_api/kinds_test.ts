import assert from "node:assert/strict";
import { parseConfigDocuments } from "../../documents.ts";

/** Kinds of the objects, and where the findings of a document are. */
function read(
  kind: string,
  spec: string,
  version = "v1",
  group = "gateway.networking.k8s.io",
): string[] {
  const text = `apiVersion: ${group}/${version}\nkind: ${kind}\n` +
    `metadata: { name: a, namespace: one }\nspec: ${spec}\n`;
  const { objects, problems } = parseConfigDocuments(text, "f.yaml");
  return [
    ...objects.map((object) => object.kind),
    ...problems.map(({ code, path }) => `${code} ${path}`),
  ];
}

/** {@linkcode read} of an XBackendTrafficPolicy. */
function readPolicy(spec: string): string[] {
  return read("XBackendTrafficPolicy", spec, "v1alpha1", "gateway.networking.x-k8s.io");
}

const BACKEND = "backendRefs: [{ name: web, port: 80 }]";
const PLAIN = "{ name: http, port: 80, protocol: HTTP }";

Deno.test("gateway api: valid objects of all kinds are read", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["GatewayClass", "{ controllerName: mesh.io/gateway-controller }", "v1beta1"],
    ["Gateway", `{ gatewayClassName: mesh, listeners: [${PLAIN}] }`, "v1"],
    ["ListenerSet", `{ parentRef: { name: a }, listeners: [${PLAIN}] }`, "v1"],
    ["HTTPRoute", `{ rules: [{ ${BACKEND} }] }`, "v1beta1"],
    ["GRPCRoute", `{ rules: [{ ${BACKEND} }] }`, "v1"],
    ["TLSRoute", `{ hostnames: [a.example], rules: [{ ${BACKEND} }] }`, "v1alpha2"],
    ["TCPRoute", `{ rules: [{ ${BACKEND} }] }`, "v1"],
    ["UDPRoute", `{ rules: [{ ${BACKEND} }] }`, "v1"],
    [
      "ReferenceGrant",
      "{ from: [{ group: '', kind: Pod, namespace: a }], to: [{ group: '', kind: Service }] }",
      "v1beta1",
    ],
    [
      "BackendTLSPolicy",
      "{ targetRefs: [{ group: '', kind: Service, name: a }], " +
      "validation: { hostname: a.example, wellKnownCACertificates: System } }",
      "v1",
    ],
  ];
  const policy = "{ targetRefs: [{ group: '', kind: Service, name: a }], retryConstraint: {} }";
  assert.deepEqual(readPolicy(policy), ["XBackendTrafficPolicy"]);
  for (const [kind, spec, version] of cases) {
    const known = kind === "Gateway" ? "KubernetesGateway" : kind;
    assert.deepEqual(read(kind, spec, version), [known], kind);
  }
});

Deno.test("gateway api: Mesh's own Gateway is another kind", () => {
  const text = "apiVersion: networking.mesh.io/v1\nkind: Gateway\nmetadata: { name: a }\n" +
    "spec: { servers: [{ hosts: ['*'], port: { number: 80, name: http, protocol: HTTP } }] }\n";
  assert.deepEqual(parseConfigDocuments(text, "f").objects.map(({ kind }) => kind), ["Gateway"]);
});

Deno.test("gateway api: mistakes are reported with their fields", () => {
  const listener = (fields: string) => `{ gatewayClassName: mesh, listeners: [{ ${fields} }] }`;
  const rule = (fields: string) => `{ rules: [{ ${fields} }] }`;
  const filter = (fields: string) => rule(`filters: [{ ${fields} }]`);
  const cases: readonly (readonly [string, string, string])[] = [
    ["Gateway", "{ gatewayClassName: mesh }", "required spec.listeners"],
    [
      "Gateway",
      listener("name: a, port: 0, protocol: HTTP"),
      "invalid-port spec.listeners[0].port",
    ],
    [
      "Gateway",
      listener("name: a, port: 80, protocol: HTTP, tls: { mode: Terminate }"),
      "conflict spec.listeners[0].tls",
    ],
    [
      "Gateway",
      listener("name: a, port: 443, protocol: HTTPS, tls: { mode: Terminate }"),
      "required spec.listeners[0].tls",
    ],
    ["HTTPRoute", "{ hostnames: ['*'] }", "invalid-host spec.hostnames[0]"],
    ["HTTPRoute", rule("backendRefs: [{ name: web }]"), "required spec.rules[0].backendRefs[0]"],
    [
      "HTTPRoute",
      rule("matches: [{ path: { type: Exact, value: a } }]"),
      "invalid-value spec.rules[0].matches[0].path.value",
    ],
    [
      "HTTPRoute",
      rule("timeouts: { request: 1d }"),
      "invalid-duration spec.rules[0].timeouts.request",
    ],
    [
      "HTTPRoute",
      filter("type: CORS, requestRedirect: { port: 80 }, cors: { maxAge: 1 }"),
      "conflict spec.rules[0].filters[0].requestRedirect",
    ],
    ["HTTPRoute", filter("type: URLRewrite"), "required spec.rules[0].filters[0]"],
    [
      "HTTPRoute",
      rule("sessionPersistence: { sessionName: 'a b' }"),
      "invalid-header spec.rules[0].sessionPersistence.sessionName",
    ],
    [
      "HTTPRoute",
      rule(
        "sessionPersistence: { absoluteTimeout: 0s, cookieConfig: { lifetimeType: Permanent } }",
      ),
      "invalid-value spec.rules[0].sessionPersistence.absoluteTimeout",
    ],
    [
      "HTTPRoute",
      filter("type: ExternalAuth, externalAuth: { protocol: HTTP, http: {} }"),
      "required spec.rules[0].filters[0].externalAuth",
    ],
    [
      "HTTPRoute",
      filter(
        "type: ExternalAuth, externalAuth: { protocol: GRPC, http: {}, backendRef: { name: a, port: 1 } }",
      ),
      "conflict spec.rules[0].filters[0].externalAuth.http",
    ],
    [
      "HTTPRoute",
      filter(
        "type: ExternalAuth, externalAuth: { protocol: HTTP, backendRef: { name: a, port: 1 }, " +
          "http: { path: '/a?b' } }",
      ),
      "invalid-value spec.rules[0].filters[0].externalAuth.http.path",
    ],
    ["GRPCRoute", rule("matches: [{ method: {} }]"), "required spec.rules[0].matches[0].method"],
    ["TCPRoute", "{ rules: [] }", "required spec.rules"],
    ["UDPRoute", "{ rules: [] }", "required spec.rules"],
    [
      "BackendTLSPolicy",
      "{ targetRefs: [{ group: '', kind: Service, name: a }], validation: { hostname: a.example } }",
      "conflict spec.validation",
    ],
  ];
  for (const [kind, spec, expected] of cases) assert.deepEqual(read(kind, spec), [expected], spec);
});

Deno.test("gateway api: mistakes in an XBackendTrafficPolicy are reported with their fields", () => {
  const of = (constraint: string) =>
    `{ targetRefs: [{ group: '', kind: Service, name: a }], retryConstraint: { ${constraint} } }`;
  const cases: readonly (readonly [string, string])[] = [
    ["{}", "required spec.targetRefs"],
    [of("budget: { percent: 101 }"), "out-of-range spec.retryConstraint.budget.percent"],
    [of("minRetryRate: { interval: 1s }"), "out-of-range spec.retryConstraint.minRetryRate.count"],
    [of("minRetryRate: { count: 1 }"), "required spec.retryConstraint.minRetryRate.interval"],
    [
      of("minRetryRate: { count: 1, interval: 0s }"),
      "required spec.retryConstraint.minRetryRate.interval",
    ],
  ];
  for (const [spec, expected] of cases) assert.deepEqual(readPolicy(spec), [expected], spec);
});

Deno.test("gateway api: fields that proxies cannot obey have a warning", () => {
  const at = "rules[0].sessionPersistence.absoluteTimeout";
  const session = (fields: string) => `{ rules: [{ sessionPersistence: { ${fields} } }] }`;
  const permanent = "absoluteTimeout: 1h, cookieConfig: { lifetimeType: Permanent }";
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["GRPCRoute", session("absoluteTimeout: 1h"), [at]],
    ["HTTPRoute", session(`type: Header, ${permanent}`), [at]],
    ["HTTPRoute", session(permanent), []],
  ];
  for (const [kind, spec, paths] of cases) {
    const text = `apiVersion: gateway.networking.k8s.io/v1\nkind: ${kind}\n` +
      `metadata: { name: a, namespace: one }\nspec: ${spec}\n`;
    const { problems, warnings } = parseConfigDocuments(text, "f.yaml");
    assert.deepEqual(problems, []);
    assert.deepEqual(
      warnings.map(({ code, path }) => `${code} ${path}`),
      paths.map((path) => `no-effect spec.${path}`),
    );
  }
});
