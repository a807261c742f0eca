import assert from "node:assert/strict";
import { create, encode, typeUrl } from "../../kit/proto/mod.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { TrafficDirection } from "#envoy/config/core/v3/base_pb.ts";
import {
  HttpConnectionManager_PathWithEscapedSlashesAction as Escaped,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { objectsOf, testMeshConfig } from "../../../tests/support/mesh_fixture.ts";
import { DEFAULT_FEATURES, proxyNode } from "../../../tests/support/translation_fixture.ts";
import {
  type Call,
  type Documents,
  type Encoded,
  follow,
  renderVerdict,
  resourcesOf,
  servedTo,
  simulate,
} from "./mod.ts";
import { normalizePath } from "./path.ts";

const WORLD = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: a, namespace: test}
spec:
  hosts: [a.test]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1, labels: {version: v1}}, {address: 10.0.0.2, labels: {version: v2}}]
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: a, namespace: test}
spec:
  host: a.test
  trafficPolicy: {tls: {mode: SIMPLE, sni: inner.test}}
  subsets: [{name: v1, labels: {version: v1}}, {name: v2, labels: {version: v2}}]
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: a, namespace: test}
spec:
  hosts: [a.test]
  http:
  - match: [{uri: {prefix: /slow}}]
    fault: {delay: {fixedDelay: 2s, percentage: {value: 10}}, abort: {httpStatus: 503, percentage: {value: 25}}}
    timeout: 3s
    retries: {attempts: 2, perTryTimeout: 1s, retryOn: 5xx}
    rewrite: {uri: /fast}
    mirror: {host: a.test, subset: v2}
    headers: {request: {set: {x-a: "1"}, remove: [x-b]}}
    route:
    - {destination: {host: a.test, subset: v1}, weight: 3}
    - {destination: {host: a.test, subset: v2}, weight: 1}
`;

const documents: Documents = {
  objects: objectsOf(WORLD),
  config: testMeshConfig(),
  features: DEFAULT_FEATURES,
  clusterId: "test",
};

function outbound(host: string, path: string, more: Partial<Call> = {}): Call {
  return {
    direction: "outbound",
    source: { ip: "10.9.9.9" },
    destination: { ip: "240.0.0.1", port: 80 },
    http: { host, path },
    ...more,
  };
}

Deno.test("simulate: a call through a mesh of documents, with all its endings", () => {
  const verdict = simulate(documents, proxyNode("test"), outbound("a.test", "/slow/x?y=1"));
  assert.deepEqual(verdict.unmodelled, []);
  assert.deepEqual(
    verdict.endings.map((one) => [one.kind, one.share, "cluster" in one ? one.cluster : ""]),
    [
      ["answered", 0.25, ""],
      ["forwarded", 0.5625, "outbound|80|v1|a.test"],
      ["forwarded", 0.1875, "outbound|80|v2|a.test"],
    ],
  );
  const [, first] = verdict.endings;
  assert.ok(first?.kind === "forwarded");
  assert.equal(first.subset, "v1");
  assert.deepEqual(first.request, {
    host: "a.test",
    path: "/fast/x?y=1",
    headers: ["-x-b", "x-a"],
    timeout: "3s",
    retries: "2 on 5xx, each within 1s",
    mirrors: ["outbound|80|v2|a.test"],
    delay: { ms: 2000, share: 0.1 },
  });
  assert.deepEqual(first.upstream.endpoints.map(({ address, tls }) => [address, tls]), [
    ["10.0.0.1:80", "TLS for inner.test"],
  ]);
});

Deno.test("simulate: the text names every decision", () => {
  const text = renderVerdict(
    simulate(documents, proxyNode("test"), outbound("nobody.test", "/")),
  );
  assert.match(text, /^listener +0\.0\.0\.0_80: is for port 80, handed over by virtualOutbound$/m);
  assert.match(text, /^virtual host +allow_any: of table 80, by domain \*$/m);
  assert.match(text, /^=> HTTP to PassthroughCluster \(240\.0\.0\.1:80, nobody\.test\/\)$/m);
});

Deno.test("simulate: unmodelled settings are named and not guessed", () => {
  const listener = create(ListenerSchema, {
    name: "odd",
    trafficDirection: TrafficDirection.OUTBOUND,
    address: {
      address: {
        case: "socketAddress",
        value: { address: "240.0.0.1", portSpecifier: { case: "portValue", value: 80 } },
      },
    },
    listenerFilters: [{ name: "strange.listener" }],
    filterChains: [{ filters: [{ name: "strange.network" }] }],
  });
  const shelf: Encoded = { name: "odd", bytes: encode(ListenerSchema, listener) };
  const resources = resourcesOf((type) =>
    type === typeUrl(ListenerSchema) ? { entries: () => [shelf], get: () => shelf } : undefined
  );
  const { endings, unmodelled } = follow(resources, outbound("a.test", "/"));
  assert.deepEqual(unmodelled, [
    "listener filter strange.listener",
    "network filter strange.network",
  ]);
  assert.deepEqual(endings.map(({ kind }) => kind), ["undecided"]);
});

Deno.test("simulate: a certificate that the proxy is not sent leaves TLS undecided", () => {
  const gateway = `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: test}
spec:
  selector: {app: edge}
  servers:
  - port: {number: 443, name: https, protocol: HTTPS}
    hosts: [a.test]
    tls: {mode: SIMPLE, credentialName: a-cert}
`;
  const world = { ...documents, objects: objectsOf(`${WORLD}---\n${gateway}`) };
  const proxy = proxyNode("test", { role: "router", labels: { app: "edge" } });
  const served = servedTo(world, proxy);
  const call: Call = {
    ...outbound("a.test", "/"),
    direction: "gateway",
    destination: { ip: proxy.ip, port: 443 },
    tls: { serverName: "a.test" },
  };
  const outcomes = (hasSecret: boolean) =>
    follow({ ...served, hasSecret: (name) => hasSecret && name === "kubernetes://a-cert" }, call)
      .endings.map((one) => one.kind === "undecided" ? one.why : one.kind);
  assert.deepEqual(outcomes(false), [
    "whether the proxy has the certificate kubernetes://a-cert, which is not among its resources",
  ]);
  assert.deepEqual(outcomes(true), ["answered"], "no route is for the host");
  assert.ok(!served.hasSecret("kubernetes://a-cert"), "documents have no secrets");
});

Deno.test("simulate: a rule that goes by a header which the proxy writes is undecided", () => {
  const objects = objectsOf(WORLD.replace(
    "match: [{uri: {prefix: /slow}}]",
    "match: [{headers: {x-request-id: {prefix: a}}}]",
  ));
  const verdict = simulate({ ...documents, objects }, proxyNode("test"), outbound("a.test", "/"));
  assert.deepEqual(verdict.endings.map(({ kind }) => kind), ["undecided"]);
});

Deno.test("simulate: paths in the form that routes see", () => {
  const base = {
    normalizePath: true,
    mergeSlashes: false,
    pathWithEscapedSlashesAction: Escaped.KEEP_UNCHANGED,
  };
  const cases: readonly (readonly [string, string | number])[] = [
    ["/a/./b/../c", "/a/c"],
    ["/..", "/"],
    ["/a/..", "/"],
    ["/a\\b", "/a/b"],
    ["/%61%2f", "/a%2f"],
    ["/%2e%2e/a?x=/../", "/a?x=/../"],
    ["//a", "//a"],
    ["/a#b", 400],
    ["a", 400],
  ];
  for (const [path, wanted] of cases) {
    const found = normalizePath(path, base);
    assert.equal("status" in found ? found.status : found.path, wanted, path);
  }
  const whole = { ...base, mergeSlashes: true };
  const decoding = { ...whole, pathWithEscapedSlashesAction: Escaped.UNESCAPE_AND_FORWARD };
  assert.deepEqual(normalizePath("//a///b?c=//", whole), { path: "/a/b?c=//" });
  assert.deepEqual(normalizePath("/a%2F%5cb", decoding), { path: "/a/b" });
  const refusing = { ...base, pathWithEscapedSlashesAction: Escaped.REJECT_REQUEST };
  assert.deepEqual(normalizePath("/a%2Fb", refusing), { status: 400, why: "it escapes a slash" });
});
