/**
 * Scenes for the fields of the Gateway API's kinds: a mesh with a Gateway, ListenerSets and routes, and
 * specifications for fields that need others.
 *
 * @module
 */
import type { FieldValues } from "./fields.ts";
import type { Scene } from "./observe.ts";
import { byPrefix } from "./scenes.ts";

const GROUP = "gateway.networking.k8s.io";

const service = (name: string, namespace: string): string =>
  `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  hosts: [${name}.${namespace}.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}, {number: 8080, name: http-alt, protocol: HTTP}]
  endpoints: [{address: 10.1.0.${name.charCodeAt(0)}}]
`;

/** The Service in front of a Gateway's proxy. */
const front = (name: string, address: string): string =>
  `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}-mesh, namespace: one}
spec:
  hosts: [${name}-mesh.one.svc.cluster.local]
  addresses: [10.2.0.1]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [${
    FRONT_PORTS.map((port) => `{number: ${port}, name: tcp-${port}, protocol: TCP}`).join(", ")
  }]
  workloadSelector: {labels: {gateway.networking.k8s.io/gateway-name: ${name}}}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: ${name}, namespace: one}
spec: {address: ${address}, labels: {gateway.networking.k8s.io/gateway-name: ${name}}}
`;

/** An XBackend without more. */
const EXTERNAL = {
  type: "ExternalHostname",
  externalHostname: { hostname: "a.test" },
  port: { port: 443 },
};

/** Authorities that servers are validated with. */
const AUTHORITIES = { caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }] };

/** An XBackend whose server has a name of a type. */
const validated = (type: string) => ({
  ...EXTERNAL,
  tls: {
    mode: "ServerOnly",
    validation: { hostname: "a.test", ...AUTHORITIES, subjectAltNames: [{ type }] },
  },
});

const FRONT_PORTS = [80, 81, 5300, 5301, 8080, 8081, 8082, 8085, 8443, 8444, 9000, 9001];

const namespace = (name: string): string =>
  `apiVersion: v1
kind: Namespace
metadata: {name: ${name}, labels: {team: ${name}}}
`;

const api = (kind: string, [namespace, name]: readonly [string, string], spec: string): string =>
  `apiVersion: ${GROUP}/v1
kind: ${kind}
metadata: {name: ${name}, namespace: ${namespace}}
spec: ${spec}
`;

const listener = (name: string, port: number, protocol: string, more = ""): string =>
  `{name: ${name}, port: ${port}, protocol: ${protocol}${more}}`;

const ALL = "allowedRoutes: {namespaces: {from: All}}";

/** Objects that are always present. */
export const API_BACKGROUND: string = [
  ...["one", "two", "three"].map(namespace),
  service("a", "one"),
  service("b", "one"),
  service("c", "two"),
  service("d", "three"),
  front("edge", "10.0.0.8"),
  front("subject", "10.0.0.9"),
  api(
    "Gateway",
    ["one", "edge"],
    `{gatewayClassName: mesh, allowedListeners: {namespaces: {from: All}}, listeners: [` +
      [
        listener("http", 80, "HTTP", `, ${ALL}`),
        listener("other", 8080, "HTTP", `, ${ALL}`),
        listener("tls", 8443, "TLS", ", tls: {mode: Passthrough}"),
        listener("tcp", 9000, "TCP"),
        listener("more", 9001, "TCP"),
        listener("udp", 5300, "UDP"),
        listener("more-udp", 5301, "UDP"),
      ].join(", ") + "]}",
  ),
  api(
    "Gateway",
    ["one", "fallback"],
    "{gatewayClassName: mesh, defaultScope: All, " +
      `listeners: [${listener("http", 80, "HTTP")}]}`,
  ),
  api(
    "HTTPRoute",
    ["one", "defaulting"],
    "{useDefaultGateways: All, rules: [{backendRefs: [{name: a, port: 80}]}]}",
  ),
  api(
    "ListenerSet",
    ["two", "set"],
    `{parentRef: {name: edge, namespace: one}, listeners: [${listener("set", 8081, "HTTP")}]}`,
  ),
  api(
    "ListenerSet",
    ["one", "own"],
    `{parentRef: {name: subject}, listeners: [${listener("own", 8082, "HTTP")}]}`,
  ),
  api(
    "HTTPRoute",
    ["one", "plain"],
    "{parentRefs: [{name: edge}], hostnames: [plain.test], " +
      "rules: [{backendRefs: [{name: a, port: 80}]}]}",
  ),
  api(
    "HTTPRoute",
    ["one", "subject-users"],
    "{parentRefs: [{name: subject}, {name: subject, kind: ListenerSet}], " +
      "hostnames: [users.test], rules: [{backendRefs: [{name: a, port: 80}]}]}",
  ),
  api(
    "TCPRoute",
    ["one", "tcp-users"],
    "{parentRefs: [{name: subject}], rules: [{backendRefs: [{name: a, port: 80}]}]}",
  ).replace("/v1\n", "/v1alpha2\n"),
  api(
    "HTTPRoute",
    ["two", "visitor"],
    "{parentRefs: [{name: subject, namespace: one}, " +
      "{name: subject, namespace: one, kind: ListenerSet}], " +
      "hostnames: [visitor.test], rules: [{backendRefs: [{name: c, port: 80}]}]}",
  ),
  api(
    "HTTPRoute",
    ["one", "reaching"],
    "{parentRefs: [{name: edge}], hostnames: [reach.test], " +
      "rules: [{backendRefs: [{name: d, namespace: three, port: 80}]}]}",
  ),
  api(
    "ReferenceGrant",
    ["two", "all"],
    `{from: [{group: ${GROUP}, kind: HTTPRoute, namespace: one}, ` +
      `{group: ${GROUP}, kind: GRPCRoute, namespace: one}], to: [{group: "", kind: Service}]}`,
  ).replace("/v1\n", "/v1beta1\n"),
].join("---\n");

const BACKEND = { name: "a", port: 80 };
const OTHER = { name: "b", port: 80 };
const route = (rule: object, more: object = {}) => ({
  parentRefs: [{ name: "edge" }],
  hostnames: ["subject.test"],
  rules: [{ backendRefs: [BACKEND], ...rule }],
  ...more,
});
const filter = (one: object, more: object = {}) => route({ filters: [one], ...more });
const ofBackend = (one: object) => route({ backendRefs: [{ ...BACKEND, filters: [one] }] });

/** Specifications for filters, at `at` of routes; `place` puts one there. */
function filters(at: string, place: (filter: object) => object): Record<string, unknown> {
  const header = (name: string) => ({ [name]: { set: [{ name: "x-a", value: "b" }] } });
  const specs: Record<string, unknown> = {
    [`${at}.type`]: place({
      type: "ResponseHeaderModifier",
      ...header("responseHeaderModifier"),
    }),
    [`${at}.requestHeaderModifier`]: place({
      type: "RequestHeaderModifier",
      ...header("requestHeaderModifier"),
    }),
    [`${at}.requestHeaderModifier.add[].value`]: place({
      type: "RequestHeaderModifier",
      requestHeaderModifier: { add: [{ name: "x-a", value: "b" }] },
    }),
    [`${at}.responseHeaderModifier.add[].value`]: place({
      type: "ResponseHeaderModifier",
      responseHeaderModifier: { add: [{ name: "x-a", value: "b" }] },
    }),
    [`${at}.responseHeaderModifier`]: place({
      type: "ResponseHeaderModifier",
      ...header("responseHeaderModifier"),
    }),
    [`${at}.requestMirror`]: place({ type: "RequestMirror", requestMirror: { backendRef: OTHER } }),
    [`${at}.requestMirror.fraction`]: place({
      type: "RequestMirror",
      requestMirror: { backendRef: OTHER, fraction: { numerator: 1 } },
    }),
    [`${at}.requestRedirect`]: place({ type: "RequestRedirect", requestRedirect: {} }),
    [`${at}.urlRewrite`]: place({ type: "URLRewrite", urlRewrite: { hostname: "w.test" } }),
    [`${at}.cors`]: place({ type: "CORS", cors: { allowOrigins: ["https://x.test"] } }),
    [`${at}.externalAuth`]: place({
      type: "ExternalAuth",
      externalAuth: { protocol: "HTTP", backendRef: OTHER },
    }),
    [`${at}.extensionRef`]: place({
      type: "ExtensionRef",
      extensionRef: { group: "x.test", kind: "X", name: "x" },
    }),
  };
  for (const kind of ["requestRedirect", "urlRewrite"]) {
    const type = kind === "urlRewrite" ? "URLRewrite" : "RequestRedirect";
    for (
      const [field, value] of [
        ["replaceFullPath", "ReplaceFullPath"],
        ["replacePrefixMatch", "ReplacePrefixMatch"],
      ] as const
    ) {
      specs[`${at}.${kind}.path.${field}`] = place({
        type,
        [kind]: { path: { type: value, [field]: "/x" } },
      });
    }
    specs[`${at}.${kind}.path.type`] = specs[`${at}.${kind}.path.replaceFullPath`];
  }
  return specs;
}

/** Values of the fields of filters at `at`. */
function filterValues(at: string): Record<string, unknown> {
  return {
    [`${at}.type`]: "ResponseHeaderModifier",
    [`${at}.requestMirror.backendRef.name`]: "a",
    [`${at}.requestMirror.backendRef.port`]: 8080,
    [`${at}.requestMirror.backendRef.namespace`]: "two",
    [`${at}.requestRedirect.scheme`]: "https",
    [`${at}.requestRedirect.statusCode`]: 301,
    [`${at}.requestRedirect.hostname`]: "probe.test",
    [`${at}.requestRedirect.path.type`]: "ReplacePrefixMatch",
    [`${at}.requestRedirect.path.replaceFullPath`]: "/probe",
    [`${at}.requestRedirect.path.replacePrefixMatch`]: "/probe",
    [`${at}.urlRewrite.hostname`]: "probe.test",
    [`${at}.urlRewrite.path.type`]: "ReplacePrefixMatch",
    [`${at}.urlRewrite.path.replaceFullPath`]: "/probe",
    [`${at}.urlRewrite.path.replacePrefixMatch`]: "/probe",
    [`${at}.cors.allowOrigins[]`]: "https://probe.test",
    [`${at}.cors.allowMethods[]`]: "PUT",
    [`${at}.externalAuth.protocol`]: "GRPC",
    [`${at}.externalAuth.backendRef.name`]: "a",
  };
}

const PARENT_VALUES = {
  "parentRefs[].group": "probe.test",
  "parentRefs[].kind": "ListenerSet",
  "parentRefs[].namespace": "two",
  "parentRefs[].sectionName": "other",
  "parentRefs[].port": 8080,
  "hostnames[]": "probe.test",
  "useDefaultGateways": "All",
};
const BACKEND_VALUES = {
  "rules[].backendRefs[].kind": "Hostname",
  "rules[].backendRefs[].name": "b",
  "rules[].backendRefs[].namespace": "two",
  "rules[].backendRefs[].port": 8080,
};
const SESSION_VALUES = {
  "rules[].sessionPersistence.type": "Header",
  "rules[].sessionPersistence.absoluteTimeout": "1h",
  "rules[].sessionPersistence.cookieConfig.lifetimeType": "Permanent",
};
const TWO_BACKENDS = { backendRefs: [BACKEND, OTHER] };

const path = (type: string) => route({ matches: [{ path: { type, value: "/a" } }] });

const HTTP: Readonly<Record<string, unknown>> = {
  "": route({}),
  "rules[].matches[].path.type": path("PathPrefix"),
  "rules[].matches[].path.value": path("PathPrefix"),
  "rules[].matches[].headers[]": route({ matches: [{ headers: [{ name: "x-a", value: "b" }] }] }),
  "rules[].matches[].queryParams[]": route({
    matches: [{ queryParams: [{ name: "a", value: "b" }] }],
  }),
  "rules[].backendRefs[].weight": route(TWO_BACKENDS),
  "rules[].sessionPersistence": route({ sessionPersistence: { sessionName: "s" } }),
  "rules[].sessionPersistence.cookieConfig.lifetimeType": route({
    sessionPersistence: { sessionName: "s", absoluteTimeout: "2h" },
  }),
  "rules[].retry": route({ retry: { attempts: 3 } }),
  "rules[].timeouts.backendRequest": route({ timeouts: { request: "9s" } }),
  ...filters("rules[].filters[]", (one) => filter(one)),
  ...filters("rules[].backendRefs[].filters[]", ofBackend),
  // A rule that redirects has no backends.
  ...Object.fromEntries(
    Object.entries(filters("rules[].filters[]", (one) => filter(one, { backendRefs: [] })))
      .filter(([label]) => label.includes("requestRedirect")),
  ),
};

const GRPC: Readonly<Record<string, unknown>> = {
  "": route({}),
  "rules[].matches[].method": route({ matches: [{ method: { service: "a.B", method: "C" } }] }),
  "rules[].matches[].headers[]": route({ matches: [{ headers: [{ name: "x-a", value: "b" }] }] }),
  "rules[].backendRefs[].weight": route(TWO_BACKENDS),
  "rules[].sessionPersistence": route({ sessionPersistence: { sessionName: "s" } }),
  "rules[].sessionPersistence.cookieConfig.lifetimeType": route({
    sessionPersistence: { sessionName: "s", absoluteTimeout: "2h" },
  }),
  ...filters("rules[].filters[]", (one) => filter(one)),
  ...filters("rules[].backendRefs[].filters[]", ofBackend),
};

const tcp = (more: object = {}) => ({
  parentRefs: [{ name: "edge", sectionName: "tcp" }],
  rules: [{ backendRefs: [BACKEND], ...more }],
});
const udp = (more: object = {}) => ({
  parentRefs: [{ name: "edge", sectionName: "udp" }],
  rules: [{ backendRefs: [BACKEND], ...more }],
});
const tls = (more: object = {}) => ({
  parentRefs: [{ name: "edge", sectionName: "tls" }],
  hostnames: ["subject.test"],
  rules: [{ backendRefs: [BACKEND], ...more }],
});

const HTTPS = { name: "https", port: 8443, protocol: "HTTPS", hostname: "*.test" };
const CERTIFIED = {
  ...HTTPS,
  tls: { certificateRefs: [{ name: "cert" }] },
};
const gateway = (listener: object, more: object = {}) => ({
  gatewayClassName: "mesh",
  listeners: [listener],
  ...more,
});
const PLAIN = { name: "http", port: 80, protocol: "HTTP", hostname: "*.test" };
const FRONTEND = { caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }] };

/** A selector of namespaces by an expression. */
const IN_ONE = [{ key: "team", operator: "In", values: ["one"] }];

const LISTENERS: Readonly<Record<string, object>> = {
  "": PLAIN,
  "protocol": { name: "x", port: 80, protocol: "HTTP" },
  "tls": CERTIFIED,
  "allowedRoutes.namespaces.selector": {
    ...PLAIN,
    allowedRoutes: { namespaces: { from: "Selector", selector: { matchLabels: { team: "one" } } } },
  },
  "allowedRoutes.namespaces.selector.matchExpressions[]": {
    ...PLAIN,
    allowedRoutes: { namespaces: { from: "Selector", selector: { matchExpressions: IN_ONE } } },
  },
  "allowedRoutes.kinds[].group": { ...PLAIN, allowedRoutes: { kinds: [{ kind: "HTTPRoute" }] } },
  "tls.mode": { ...CERTIFIED, protocol: "TLS" },
};

function listeners(place: (listener: object) => object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(LISTENERS).map((
      [label, one],
    ) => [label === "" ? "listeners[]" : `listeners[].${label}`, place(one)]),
  );
}

const LISTENER_VALUES = {
  "listeners[].name": "probe",
  "listeners[].hostname": "*.probe.test",
  "listeners[].port": 81,
  "listeners[].protocol": "TCP",
  "listeners[].tls.mode": "Passthrough",
  "listeners[].tls.options.gateway.mesh.io/tls-terminate-mode": "MESH_MUTUAL",
  "listeners[].tls.certificateRefs[].name": "other",
  "listeners[].allowedRoutes.namespaces.from": "All",
  "listeners[].allowedRoutes.namespaces.selector.matchLabels.team": "two",
  "listeners[].allowedRoutes.namespaces.selector.matchExpressions[].operator": "NotIn",
  "listeners[].allowedRoutes.namespaces.selector.matchExpressions[].values[]": "two",
  "listeners[].allowedRoutes.kinds[].kind": "GRPCRoute",
};
const LISTENER_KEYS = {
  "listeners[].allowedRoutes.namespaces.selector.matchLabels": "team",
  "listeners[].tls.options": "gateway.mesh.io/tls-terminate-mode",
};

const common = { apiVersion: `${GROUP}/v1`, namespace: "one" };

/** Scenes by kind. */
export const API_SCENES: Readonly<Record<string, Scene & FieldValues>> = {
  HTTPRoute: {
    ...common,
    kind: "HTTPRoute",
    specOf: byPrefix(HTTP),
    values: {
      ...PARENT_VALUES,
      ...BACKEND_VALUES,
      ...SESSION_VALUES,
      ...filterValues("rules[].filters[]"),
      ...filterValues("rules[].backendRefs[].filters[]"),
      "rules[].matches[].path.type": "Exact",
      "rules[].matches[].path.value": "/probe",
      "rules[].matches[].headers[].type": "RegularExpression",
      "rules[].matches[].queryParams[].type": "RegularExpression",
      "rules[].matches[].method": "GET",
      "rules[].timeouts.request": "7s",
      "rules[].timeouts.backendRequest": "7s",
      "rules[].retry.codes[]": 503,
      "rules[].retry.backoff": "7ms",
    },
    keys: {},
  },
  GRPCRoute: {
    ...common,
    kind: "GRPCRoute",
    specOf: byPrefix(GRPC),
    values: {
      ...PARENT_VALUES,
      ...BACKEND_VALUES,
      ...SESSION_VALUES,
      ...filterValues("rules[].filters[]"),
      ...filterValues("rules[].backendRefs[].filters[]"),
      "rules[].matches[].method.type": "RegularExpression",
      "rules[].matches[].headers[].type": "RegularExpression",
    },
    keys: {},
  },
  TCPRoute: {
    ...common,
    apiVersion: `${GROUP}/v1alpha2`,
    kind: "TCPRoute",
    specOf: byPrefix({
      "": tcp(),
      "rules[].backendRefs[].weight": tcp(TWO_BACKENDS),
      "parentRefs[].port": { ...tcp(), parentRefs: [{ name: "edge" }] },
    }),
    values: {
      ...PARENT_VALUES,
      ...BACKEND_VALUES,
      "parentRefs[].sectionName": "more",
      "parentRefs[].port": 9001,
    },
    keys: {},
  },
  UDPRoute: {
    ...common,
    kind: "UDPRoute",
    specOf: byPrefix({
      "": udp(),
      "rules[].backendRefs[].weight": udp(TWO_BACKENDS),
      "parentRefs[].port": { ...udp(), parentRefs: [{ name: "edge" }] },
    }),
    values: {
      ...PARENT_VALUES,
      ...BACKEND_VALUES,
      "parentRefs[].sectionName": "more-udp",
      "parentRefs[].port": 5301,
    },
    keys: {},
  },
  TLSRoute: {
    ...common,
    kind: "TLSRoute",
    specOf: byPrefix({ "": tls(), "rules[].backendRefs[].weight": tls(TWO_BACKENDS) }),
    values: { ...PARENT_VALUES, ...BACKEND_VALUES, "parentRefs[].sectionName": "none" },
    keys: {},
  },
  KubernetesGateway: {
    ...common,
    kind: "KubernetesGateway",
    written: "Gateway",
    specOf: byPrefix({
      "": gateway(PLAIN),
      ...listeners((one) => gateway(one)),
      "allowedListeners.namespaces.selector": gateway(PLAIN, {
        allowedListeners: {
          namespaces: { from: "Selector", selector: { matchLabels: { team: "one" } } },
        },
      }),
      "allowedListeners.namespaces.selector.matchExpressions[]": gateway(PLAIN, {
        allowedListeners: {
          namespaces: { from: "Selector", selector: { matchExpressions: IN_ONE } },
        },
      }),
      "infrastructure.parametersRef": gateway(PLAIN, {
        infrastructure: { parametersRef: { group: "", kind: "ConfigMap", name: "p" } },
      }),
      "tls.frontend.default": gateway(CERTIFIED, {
        tls: { frontend: { default: { validation: FRONTEND } } },
      }),
      "tls.frontend.perPort[]": gateway(CERTIFIED, {
        tls: {
          frontend: {
            default: { validation: FRONTEND },
            perPort: [{
              port: 8443,
              tls: { validation: { ...FRONTEND, mode: "AllowInsecureFallback" } },
            }],
          },
        },
      }),
      "tls.backend": gateway(PLAIN, {
        tls: { backend: { clientCertificateRef: { name: "cert" } } },
      }),
      "addresses[]": gateway(PLAIN, { addresses: [{ type: "IPAddress", value: "192.0.2.1" }] }),
    }),
    values: {
      ...LISTENER_VALUES,
      "gatewayClassName": "mesh-remote",
      "addresses[].type": "Hostname",
      "addresses[].value": "192.0.2.7",
      "allowedListeners.namespaces.from": "All",
      "allowedListeners.namespaces.selector.matchLabels.team": "two",
      "allowedListeners.namespaces.selector.matchExpressions[].operator": "NotIn",
      "allowedListeners.namespaces.selector.matchExpressions[].values[]": "two",
      "tls.frontend.default.validation.mode": "AllowInsecureFallback",
      "tls.frontend.perPort[].tls.validation.mode": "AllowValidOnly",
      "tls.frontend.perPort[].port": 8444,
      "defaultScope": "All",
    },
    keys: { ...LISTENER_KEYS, "allowedListeners.namespaces.selector.matchLabels": "team" },
  },
  ListenerSet: {
    ...common,
    kind: "ListenerSet",
    specOf: byPrefix({
      "": { parentRef: { name: "edge" }, listeners: [{ ...PLAIN, port: 8085 }] },
      ...listeners((one) => ({ parentRef: { name: "edge" }, listeners: [{ ...one, port: 8085 }] })),
    }),
    values: { ...LISTENER_VALUES, "parentRef.name": "none", "parentRef.namespace": "two" },
    keys: LISTENER_KEYS,
  },
  ReferenceGrant: {
    apiVersion: `${GROUP}/v1beta1`,
    namespace: "three",
    kind: "ReferenceGrant",
    specOf: byPrefix({
      "": {
        from: [{ group: GROUP, kind: "HTTPRoute", namespace: "one" }],
        to: [{ group: "", kind: "Service" }],
      },
    }),
    values: {
      "from[].kind": "GRPCRoute",
      "from[].namespace": "two",
      "to[].kind": "Secret",
    },
    keys: {},
  },
  BackendTLSPolicy: {
    ...common,
    kind: "BackendTLSPolicy",
    specOf: byPrefix({
      "": {
        targetRefs: [{ group: "", kind: "Service", name: "a" }],
        validation: {
          caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }],
          hostname: "a.test",
        },
      },
      "validation.subjectAltNames[].hostname": {
        targetRefs: [{ group: "", kind: "Service", name: "a" }],
        validation: {
          caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }],
          hostname: "a.test",
          subjectAltNames: [{ type: "Hostname" }],
        },
      },
      "validation.subjectAltNames[].uri": {
        targetRefs: [{ group: "", kind: "Service", name: "a" }],
        validation: {
          caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }],
          hostname: "a.test",
          subjectAltNames: [{ type: "URI" }],
        },
      },
    }),
    values: {
      "targetRefs[].name": "b",
      "targetRefs[].sectionName": "http",
      "validation.caCertificateRefs[].name": "other",
      "validation.caCertificateRefs[].kind": "Secret",
      "validation.wellKnownCACertificates": "System",
      "validation.hostname": "probe.test",
      "validation.subjectAltNames[].type": "Hostname",
      "validation.subjectAltNames[].hostname": "probe.test",
      "validation.subjectAltNames[].uri": "spiffe://probe",
    },
    keys: {},
  },
  XBackendTrafficPolicy: {
    ...common,
    apiVersion: "gateway.networking.x-k8s.io/v1alpha1",
    kind: "XBackendTrafficPolicy",
    specOf: byPrefix({
      "": {
        targetRefs: [{ group: "", kind: "Service", name: "a" }],
        retryConstraint: {},
        sessionPersistence: { sessionName: "s" },
      },
      "retryConstraint.minRetryRate": {
        targetRefs: [{ group: "", kind: "Service", name: "a" }],
        retryConstraint: { minRetryRate: { count: 10, interval: "1s" } },
      },
      "sessionPersistence.absoluteTimeout": {
        targetRefs: [{ group: "", kind: "Service", name: "a" }],
        sessionPersistence: { absoluteTimeout: "1h", cookieConfig: { lifetimeType: "Permanent" } },
      },
      "sessionPersistence.cookieConfig": {
        targetRefs: [{ group: "", kind: "Service", name: "a" }],
        sessionPersistence: { absoluteTimeout: "1h" },
      },
    }),
    values: {
      "targetRefs[].name": "b",
      "retryConstraint.budget.interval": "3s",
      "retryConstraint.minRetryRate.interval": "3s",
      "sessionPersistence.sessionName": "probe",
      "sessionPersistence.type": "Header",
      "sessionPersistence.absoluteTimeout": "2h",
      "sessionPersistence.cookieConfig.lifetimeType": "Permanent",
    },
    keys: {},
  },
  XBackend: {
    ...common,
    apiVersion: "gateway.networking.x-k8s.io/v1alpha1",
    kind: "XBackend",
    specOf: byPrefix({
      "": EXTERNAL,
      "tls": { ...EXTERNAL, tls: { mode: "ServerOnly" } },
      "tls.validation": {
        ...EXTERNAL,
        tls: { mode: "ServerOnly", validation: { hostname: "a.test", ...AUTHORITIES } },
      },
      "tls.validation.subjectAltNames[].hostname": validated("Hostname"),
      "tls.validation.subjectAltNames[].uri": validated("URI"),
    }),
    values: {
      "externalHostname.hostname": "b.test",
      "protocol": "H2C",
      "tls.mode": "None",
      "tls.validation.caCertificateRefs[].name": "other",
      "tls.validation.caCertificateRefs[].kind": "Secret",
      "tls.validation.wellKnownCACertificates": "System",
      "tls.validation.hostname": "probe.test",
      "tls.validation.subjectAltNames[].type": "Hostname",
      "tls.validation.subjectAltNames[].hostname": "probe.test",
      "tls.validation.subjectAltNames[].uri": "spiffe://probe",
    },
    keys: {},
  },
};
