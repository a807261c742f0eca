import assert from "node:assert/strict";
import { durationMs } from "../../../kit/proto/mod.ts";
import { defaultRoute } from "../routes/mod.ts";
import { blackHoleVirtualHost, catchAllVirtualHost, virtualHostFor } from "./virtual_host.ts";

const ROUTE = defaultRoute(
  { cluster: "outbound|80||a.example.com", host: "a.example.com", port: 80 },
  { excludeUnsafe503: true },
);

Deno.test("a virtual host is named by host and port and counts attempts", () => {
  const host = virtualHostFor({ host: "a.example.com", port: 80 }, [ROUTE]);
  assert.equal(host.name, "a.example.com:80");
  assert.deepEqual(host.domains, [
    "a.example.com",
    "a.example.com:80",
    "a.example.com.",
    "a.example.com.:80",
  ]);
  assert.deepEqual(host.routes, [ROUTE]);
  assert.equal(host.includeRequestAttemptCount, true);
});

Deno.test("a virtual host of a gateway has its host as the only domain", () => {
  const host = virtualHostFor({ host: "*.example.com", port: 8080, gateway: true }, []);
  assert.equal(host.name, "*.example.com:8080");
  assert.deepEqual(host.domains, ["*.example.com"]);
});

Deno.test("allow_any lets unknown hosts pass without a time limit", () => {
  const host = catchAllVirtualHost("allow_any");
  assert.equal(host.name, "allow_any");
  assert.deepEqual(host.domains, ["*"]);
  assert.equal(host.routes[0]?.name, "allow_any");
  const action = host.routes[0]?.action;
  assert.equal(action?.case, "route");
  assert.deepEqual(action.value.clusterSpecifier, { case: "cluster", value: "PassthroughCluster" });
  assert.equal(durationMs(action.value.timeout!), 0);
  assert.equal(action.value.retryPolicy, undefined);
});

Deno.test("block_all answers unknown hosts with 502", () => {
  const host = catchAllVirtualHost("block_all");
  assert.equal(host.name, "block_all");
  assert.deepEqual(host.domains, ["*"]);
  const action = host.routes[0]?.action;
  assert.equal(action?.case, "directResponse");
  assert.equal(action.value.status, 502);
});

Deno.test("a gateway's port without hosts has a virtual host without routes", () => {
  const host = blackHoleVirtualHost(8080);
  assert.equal(host.name, "blackhole:8080");
  assert.deepEqual(host.domains, ["*"]);
  assert.deepEqual(host.routes, []);
});
