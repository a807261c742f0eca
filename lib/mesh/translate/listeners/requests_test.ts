/** Inbound HTTP: retries by protocol, and detection at ports that no service has. */
import assert from "node:assert/strict";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { documents, manifest, type Spec } from "../../../../tests/support/manifest.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { showResource } from "../../../insight/diff/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const IP = "172.16.0.1";

function listener(...objects: readonly string[]) {
  return listenerOf({}, ...objects);
}

/** The inbound listener of a proxy with further metadata. */
function listenerOf(metadata: Spec, ...objects: readonly string[]) {
  const bench = startTranslation();
  bench.set(documents(...objects));
  const node = proxyNode("test", { ip: IP, labels: { app: "own" }, metadata });
  const view = bench.translation.source.bind(node, () => {}).view(TYPE_URLS.listener)!;
  return view.get("virtualInbound")!.bytes;
}

for (
  const [protocol, retried] of [
    ["HTTP", true],
    ["HTTP2", true],
    ["", true],
    ["GRPC", false],
    ["GRPC-Web", false],
  ] as const
) {
  Deno.test(`inbound requests to ${protocol || "undeclared"} ports are retried: ${retried}`, () => {
    const bytes = listener(manifest("ServiceEntry", "own", {
      hosts: ["own.test"],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: 80, name: "main", protocol }],
      endpoints: [{ address: IP }],
    }));
    const shown = JSON.stringify(showResource(TYPE_URLS.listener, bytes));
    assert.ok(shown.includes("inbound|80||"));
    assert.equal(shown.includes("retryPolicy"), retried);
  });
}

Deno.test("a proxy that its agent drains says which requests its workload has not seen", () => {
  const server = manifest("ServiceEntry", "own", {
    hosts: ["own.test"],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 80, name: "main", protocol: "HTTP" }],
    endpoints: [{ address: IP }],
  });
  const shown = (metadata: Spec) =>
    JSON.stringify(showResource(TYPE_URLS.listener, listenerOf(metadata, server)));
  assert.match(shown({ AGENT_DRAIN: "true" }), /"flags":\["UF"\].*"grpc-status"/);
  assert.doesNotMatch(shown({}), /grpc-status/);
});

/** A DataproxyFilter with one patch. */
function filter(applyTo: string, match: Spec, selected = "own"): string {
  const text = manifest("DataproxyFilter", "filter", {
    workloadSelector: { labels: { app: selected } },
    configPatches: [{
      applyTo,
      match,
      patch: { operation: "MERGE", value: { name: "any" } },
    }],
  });
  return text.replace("networking.mesh.io/v1", "networking.mesh.io/v1alpha3");
}

function plugin(match: readonly Spec[], type = "HTTP"): string {
  const text = manifest("WasmPlugin", "plugin", { url: "file:///a.wasm", match, type });
  return text.replace("networking.mesh.io/v1", "extensions.mesh.io/v1alpha1");
}

const MANAGER = { filter: { name: "envoy.filters.network.http_connection_manager" } };

const CASES: readonly [about: string, objects: readonly string[], detected: boolean][] = [
  ["nothing", [], false],
  ["an HTTP filter inbound", [filter("HTTP_FILTER", { context: "SIDECAR_INBOUND" })], true],
  ["an HTTP filter anywhere", [filter("HTTP_FILTER", {})], true],
  ["an HTTP filter outbound", [filter("HTTP_FILTER", { context: "SIDECAR_OUTBOUND" })], false],
  ["an HTTP filter of other workloads", [filter("HTTP_FILTER", {}, "other")], false],
  ["an HTTP filter at one port", [
    filter("HTTP_FILTER", { context: "SIDECAR_INBOUND", listener: { portNumber: 80 } }),
  ], false],
  ["a patch of connection managers", [
    filter("NETWORK_FILTER", { listener: { filterChain: MANAGER } }),
  ], true],
  ["a patch of other network filters", [
    filter("NETWORK_FILTER", {
      listener: { filterChain: { filter: { name: "envoy.filters.network.tcp_proxy" } } },
    }),
  ], false],
  ["a patch of inbound routes", [filter("HTTP_ROUTE", { context: "SIDECAR_INBOUND" })], true],
  ["a patch of clusters", [filter("CLUSTER", {})], false],
  ["a plugin", [plugin([])], true],
  ["a plugin of servers", [plugin([{ mode: "SERVER" }])], true],
  ["a plugin of clients", [plugin([{ mode: "CLIENT" }])], false],
  ["a plugin at one port", [plugin([{ mode: "SERVER", ports: [{ number: 80 }] }])], false],
  ["a plugin of bytes", [plugin([], "NETWORK")], false],
];

for (const [about, objects, detected] of CASES) {
  Deno.test(`HTTP at ports of no service with ${about}: detected ${detected}`, () => {
    const { filterChains } = fromBinary(ListenerSchema, listener(...objects));
    const undeclared = filterChains.filter(({ filterChainMatch: match }) =>
      match?.destinationPort === undefined
    );
    const http = undeclared.some(({ filters }) => {
      const last = filters.at(-1)?.configType;
      return last?.case === "typedConfig" && last.value.typeUrl.endsWith(".HttpConnectionManager");
    });
    assert.equal(http, detected);
  });
}
