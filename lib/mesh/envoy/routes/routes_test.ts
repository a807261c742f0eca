import assert from "node:assert/strict";
import { LoadBalancerSettingsSchema } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  HTTPRetrySchema,
  type VirtualService,
  VirtualServiceSchema,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import {
  durationMs,
  durationOf,
  fromJson,
  type JsonObject,
  type JsonValue,
} from "../../../kit/proto/mod.ts";
import { timeouts } from "./action.ts";
import { hashPolicyFor } from "./hash.ts";
import { inboundRetries } from "./retry.ts";
import { defaultRoute, inboundRoute, translateHttpRoutes } from "./routes.ts";
import type { RouteScope } from "./scope.ts";

const TARGET = { cluster: "outbound|80||a.example.com", host: "a.example.com", port: 80 };

const SCOPE: RouteScope = {
  gateways: ["mesh"],
  port: 80,
  vsNamespace: "store",
  vsName: "shop",
  mesh: { excludeUnsafe503: true },
  resolve: (d) => ({ cluster: `static-${d.host}`, host: d.host, port: 80 }),
};

function virtualService(http: JsonValue): VirtualService {
  return fromJson(VirtualServiceSchema, { hosts: ["a.example.com"], http });
}

Deno.test("the default route goes to one cluster, without a time limit, with the mesh's retries", () => {
  const defaultHttpRetryPolicy = fromJson(HTTPRetrySchema, { attempts: 7 });
  const route = defaultRoute(TARGET, { excludeUnsafe503: true, defaultHttpRetryPolicy });
  assert.equal(route.name, "default");
  assert.equal(route.decorator?.operation, "a.example.com:80/*");
  assert.deepEqual(route.match?.pathSpecifier, { case: "prefix", value: "/" });
  assert.equal(route.action.case, "route");
  const action = route.action.value;
  assert.deepEqual(action.clusterSpecifier, { case: "cluster", value: TARGET.cluster });
  assert.equal(durationMs(action.timeout!), 0);
  assert.equal(action.retryPolicy?.numRetries, 7);
  assert.deepEqual(action.hashPolicy, []);
});

Deno.test("the default route hashes by what its destination asks for", () => {
  const hashPolicy = hashPolicyFor(
    fromJson(LoadBalancerSettingsSchema, { consistentHash: { httpHeaderName: "x-user" } }),
  );
  const { action } = defaultRoute({ ...TARGET, hashPolicy }, { excludeUnsafe503: true });
  assert.equal(action.case, "route");
  assert.deepEqual(action.value.hashPolicy, hashPolicy);
});

Deno.test("a hash by a source address that is switched off is none", () => {
  const settings = fromJson(LoadBalancerSettingsSchema, { consistentHash: { useSourceIp: false } });
  assert.deepEqual(hashPolicyFor(settings), []);
  assert.deepEqual(hashPolicyFor(undefined), []);
});

Deno.test("a route honours the deadlines of gRPC calls, up to its own timeout", () => {
  for (const timeout of [undefined, durationOf(0)]) {
    const limits = timeouts(timeout);
    assert.equal(durationMs(limits.timeout), 0);
    assert.deepEqual(limits.maxStreamDuration, { grpcTimeoutHeaderMax: durationOf(0) });
  }
  // Envoy would ignore the timeout beside the other field.
  const timeout = durationOf(1500);
  assert.deepEqual(timeouts(timeout), { timeout, maxGrpcTimeout: timeout });
});

Deno.test("an inbound route repeats only what the workload cannot have seen, if at all", () => {
  const retries = inboundRetries(undefined, true);
  const route = inboundRoute("inbound|8080||", "a.example.com:80/*", retries);
  assert.equal(route.decorator?.operation, "a.example.com:80/*");
  assert.equal(route.action.case, "route");
  const { retryPolicy, timeout, maxStreamDuration } = route.action.value;
  assert.equal(retryPolicy?.retryOn, "reset-before-request");
  assert.equal(retryPolicy?.numRetries, 2);
  assert.equal(durationMs(timeout!), 0);
  assert.equal(durationMs(maxStreamDuration!.maxStreamDuration!), 0);
  assert.equal(durationMs(maxStreamDuration!.grpcTimeoutHeaderMax!), 0);
  const never = inboundRoute("inbound|8080||", "a.example.com:80/*");
  assert.equal(never.action.case, "route");
  assert.equal(never.action.value.retryPolicy, undefined);
  assert.equal(inboundRetries(undefined, false), undefined);
});

Deno.test("inbound retries of the mesh configuration override the built-in ones", () => {
  const policy = (json: JsonObject) => fromJson(HTTPRetrySchema, json);
  assert.equal(inboundRetries(policy({ attempts: 0 }), true), undefined);
  for (const builtIn of [true, false]) {
    const plain = inboundRetries(policy({ attempts: 5 }), builtIn);
    assert.deepEqual([plain?.numRetries, plain?.retryOn], [5, "reset-before-request"]);
  }
  const full = inboundRetries(
    policy({ attempts: 1, retryOn: "503,reset", perTryTimeout: "2s", backoff: "0.1s" }),
    true,
  );
  assert.equal(full?.retryOn, "reset,retriable-status-codes");
  assert.deepEqual(full?.retriableStatusCodes, [503]);
  assert.equal(durationMs(full!.perTryTimeout!), 2_000);
  assert.equal(durationMs(full!.retryBackOff!.baseInterval!), 100);
  assert.deepEqual(full?.retryHostPredicate, [], "there is no other host");
});

Deno.test("a rule with a delegate is left out and does not hide the rules behind it", () => {
  const routes = translateHttpRoutes(
    virtualService([
      { delegate: { name: "other" } },
      { name: "own", route: [{ destination: { host: "b" } }] },
    ]),
    SCOPE,
  );
  assert.deepEqual(routes.map((r) => r.name), ["own"]);
});

Deno.test("no rule that applies gives no routes", () => {
  const vs = virtualService([
    { match: [{ port: 8080 }], route: [{ destination: { host: "b" } }] },
    { match: [{ gateways: ["edge"] }], route: [{ destination: { host: "b" } }] },
    { match: [{ sourceLabels: { app: "web" } }], route: [{ destination: { host: "b" } }] },
    { match: [{ sourceNamespace: "store" }], route: [{ destination: { host: "b" } }] },
  ]);
  assert.deepEqual(translateHttpRoutes(vs, SCOPE), []);
});

Deno.test("a cluster whose name has no host is traced under the VirtualService's name", () => {
  const [route] = translateHttpRoutes(
    virtualService([{ route: [{ destination: { host: "b" } }] }]),
    SCOPE,
  );
  assert.equal(route?.decorator?.operation, "shop:80/*");
});

Deno.test("on a TLS listener a redirect to its own port does not name it", () => {
  const vs = virtualService([
    { match: [{ uri: { prefix: "/a" } }], redirect: { derivePort: "FROM_REQUEST_PORT" } },
    { redirect: { port: 443, scheme: "http" } },
  ]);
  const ports = translateHttpRoutes(vs, { ...SCOPE, port: 443, tls: true }).map(({ action }) =>
    action.case === "redirect" ? action.value.portRedirect : undefined
  );
  assert.deepEqual(ports, [0, 443]);
});

Deno.test("equal rules give equal routes, however their maps are ordered", () => {
  const rule = (headers: Record<string, JsonValue>, set: Record<string, JsonValue>) =>
    translateHttpRoutes(
      virtualService([{
        match: [{ headers, queryParams: headers }],
        headers: { request: { set, add: set } },
        route: [{ destination: { host: "b" } }],
      }]),
      SCOPE,
    );
  const one = rule({ a: { exact: "1" }, b: { exact: "2" } }, { c: "3", d: "4" });
  const two = rule({ b: { exact: "2" }, a: { exact: "1" } }, { d: "4", c: "3" });
  assert.deepEqual(one, two);
});

Deno.test("the action of a rule is built once for all its matches", () => {
  let resolved = 0;
  const scope: RouteScope = {
    ...SCOPE,
    resolve: (...question) => (resolved++, SCOPE.resolve(...question)),
  };
  const rule = (n: number, host: string): JsonValue => ({
    match: Array.from({ length: n }, (_, i) => ({ uri: { regex: `/${host}/${i}` } })),
    route: [{ destination: { host } }],
    fault: { abort: { httpStatus: 503, percentage: { value: 1 } } },
  });
  const many = translateHttpRoutes(virtualService([rule(1_000, "a"), rule(3, "b")]), scope);
  assert.deepEqual([many.length, resolved], [1_003, 2]);
  const single = (at: number, host: string) =>
    translateHttpRoutes(
      virtualService([{
        ...rule(1, host) as object,
        match: [{ uri: { regex: `/${host}/${at}` } }],
      }]),
      SCOPE,
    )[0];
  assert.deepEqual(many[999], single(999, "a"));
  assert.deepEqual(many[1_002], single(2, "b"));
});
