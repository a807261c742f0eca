import assert from "node:assert/strict";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { FileAccessLogSchema } from "#envoy/extensions/access_loggers/file/v3/file_pb.ts";
import { CorsSchema } from "#envoy/extensions/filters/http/cors/v3/cors_pb.ts";
import { HTTPFaultSchema } from "#envoy/extensions/filters/http/fault/v3/fault_pb.ts";
import { FilterConfigSchema as GrpcStatsSchema } from "#envoy/extensions/filters/http/grpc_stats/v3/config_pb.ts";
import { RBACSchema as HttpRbacSchema } from "#envoy/extensions/filters/http/rbac/v3/rbac_pb.ts";
import { RouterSchema } from "#envoy/extensions/filters/http/router/v3/router_pb.ts";
import { ConfigSchema as SetFilterStateSchema } from "#envoy/extensions/filters/http/set_filter_state/v3/set_filter_state_pb.ts";
import { HttpInspectorSchema } from "#envoy/extensions/filters/listener/http_inspector/v3/http_inspector_pb.ts";
import { OriginalDstSchema } from "#envoy/extensions/filters/listener/original_dst/v3/original_dst_pb.ts";
import { OriginalSrcSchema } from "#envoy/extensions/filters/listener/original_src/v3/original_src_pb.ts";
import { ProxyProtocolSchema } from "#envoy/extensions/filters/listener/proxy_protocol/v3/proxy_protocol_pb.ts";
import { TlsInspectorSchema } from "#envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector_pb.ts";
import { HttpConnectionManagerSchema } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { MongoProxySchema } from "#envoy/extensions/filters/network/mongo_proxy/v3/mongo_proxy_pb.ts";
import { RBACSchema as TcpRbacSchema } from "#envoy/extensions/filters/network/rbac/v3/rbac_pb.ts";
import { RedisProxySchema } from "#envoy/extensions/filters/network/redis_proxy/v3/redis_proxy_pb.ts";
import { TcpProxySchema } from "#envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import { DownstreamTlsContextSchema } from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { logged, MANAGER_DEFAULTS } from "../../../../tests/support/envoy_cases/listener_values.ts";
import { LISTENER_CASES } from "../../../../tests/support/envoy_cases/listeners.ts";
import { assertGolden } from "../../../../tests/support/golden.ts";
import type { Protocol } from "../../model/mod.ts";
import {
  type Any,
  anyUnpack,
  createRegistry,
  fromBinary,
  type JsonObject,
  toBinary,
  toJson,
  typeUrl,
} from "../../../kit/proto/mod.ts";
import {
  httpConnectionManager,
  type ManagerDefaults,
  type PathNormalization,
} from "../connection_manager/mod.ts";
import { outboundTcpListener } from "./outbound.ts";

/** Types that an `Any` may contain. */
const REGISTRY = createRegistry(
  CorsSchema,
  FileAccessLogSchema,
  GrpcStatsSchema,
  HTTPFaultSchema,
  HttpConnectionManagerSchema,
  HttpInspectorSchema,
  OriginalDstSchema,
  OriginalSrcSchema,
  HttpRbacSchema,
  RouterSchema,
  SetFilterStateSchema,
  TcpProxySchema,
  TcpRbacSchema,
  MongoProxySchema,
  ProxyProtocolSchema,
  RedisProxySchema,
  TlsInspectorSchema,
  DownstreamTlsContextSchema,
);

const GRPC_WEB = "type.googleapis.com/envoy.extensions.filters.http.grpc_web.v3.GrpcWeb";

const ROUTER = typeUrl(RouterSchema);

/** The listener as JSON. The empty filter without generated code is encoded as an empty router. */
function jsonOf(listener: Listener): JsonObject {
  const copy = fromBinary(ListenerSchema, toBinary(ListenerSchema, listener));
  const configs = copy.filterChains.flatMap((c) => c.filters.map((f) => f.configType.value as Any));
  for (const config of configs) {
    const manager = anyUnpack(config, HttpConnectionManagerSchema);
    if (manager === undefined) continue;
    for (const { configType } of manager.httpFilters) {
      const inner = configType.value as Any;
      if (inner.typeUrl === GRPC_WEB) inner.typeUrl = ROUTER;
    }
    config.value = toBinary(HttpConnectionManagerSchema, manager);
  }
  const text = JSON.stringify(toJson(ListenerSchema, copy, { registry: REGISTRY }));
  return JSON.parse(
    text,
    (_, value) =>
      value?.name === "envoy.filters.http.grpc_web"
        ? { ...value, typedConfig: { "@type": GRPC_WEB } }
        : value,
  );
}

for (const [name, build] of Object.entries(LISTENER_CASES)) {
  Deno.test(`listener: ${name}`, async () => {
    await assertGolden(
      new URL(`./testdata/${name}.golden.json`, import.meta.url),
      jsonOf(build()),
    );
  });
}

function managerOf(defaults: Partial<ManagerDefaults>, protocol: Protocol = "HTTP") {
  return httpConnectionManager({
    class: "outbound",
    statPrefix: "outbound_0.0.0.0_80",
    routes: { rds: "80" },
    protocol,
    defaults: { ...MANAGER_DEFAULTS, ...defaults },
  });
}

Deno.test("HTTP filters: always the same ones in the same order, gRPC-Web first where spoken", () => {
  const always = ["grpc_stats", "fault", "cors", "router"];
  const cases: [Protocol, string[]][] = [
    ["HTTP", always],
    ["GRPC", always],
    ["GRPC-Web", ["grpc_web", ...always]],
  ];
  for (const [protocol, wanted] of cases) {
    const names = managerOf({}, protocol).httpFilters.map((f) => f.name);
    assert.deepEqual(names, wanted.map((n) => `envoy.filters.http.${n}`), protocol);
  }
  const [web] = managerOf({}, "GRPC-Web").httpFilters;
  assert.equal((web?.configType.value as Any).typeUrl, GRPC_WEB);
});

Deno.test("path normalization", () => {
  const cases: [PathNormalization, normalize: boolean, merge: boolean, slashes: number][] = [
    ["none", false, false, 1],
    ["base", true, false, 1],
    ["merge-slashes", true, true, 1],
    ["decode-and-merge-slashes", true, true, 4],
  ];
  for (const [pathNormalization, normalize, merge, slashes] of cases) {
    const manager = managerOf({ pathNormalization });
    assert.equal(manager.normalizePath, normalize, pathNormalization);
    assert.equal(manager.mergeSlashes, merge, pathNormalization);
    assert.equal(manager.pathWithEscapedSlashesAction, slashes, pathNormalization);
  }
});

Deno.test("access logs: formats", () => {
  const formatOf = (encoding: "text" | "json", format: string) => {
    const [log] = managerOf({ telemetry: logged({ file: "/x", encoding, format }) }).accessLog;
    const file = anyUnpack(log?.configType.value as Any, FileAccessLogSchema);
    const json = toJson(FileAccessLogSchema, file!) as { logFormat: JsonObject };
    return json.logFormat;
  };
  const text = formatOf("text", "") as { textFormatSource: { inlineString: string } };
  assert.match(
    text.textFormatSource.inlineString,
    /^\[%START_TIME%\] "%REQ\(:METHOD\)% %REQ\(X-ENVOY-ORIGINAL-PATH\?:PATH\)% %PROTOCOL%" %RESPONSE_CODE% .* %ROUTE_NAME%\n$/,
  );
  const line = { textFormatSource: { inlineString: "%DURATION%\n" } };
  assert.deepEqual(formatOf("text", "%DURATION%"), line, "a line gets its end");
  assert.deepEqual(formatOf("text", "%DURATION%\n"), line);
  assert.deepEqual(formatOf("json", '{"a":{"b":"%DURATION%"}}'), {
    jsonFormat: { a: { b: "%DURATION%" } },
  });
  const builtIn = formatOf("json", "");
  assert.equal((builtIn.jsonFormat as JsonObject).response_code, "%RESPONSE_CODE%");
  for (const bad of ["{", "[1]", "null", "7"]) {
    assert.deepEqual(formatOf("json", bad), builtIn, `${bad} is no object`);
  }
  assert.deepEqual(managerOf({}).accessLog, []);
});

Deno.test("a TCP listener takes nothing by mistake", () => {
  const chains = [{
    destinationCidrs: ["10.0.0.0/99"],
    clusters: [{ cluster: "c", weight: 1 }],
    statPrefix: "c",
  }];
  const common = { bind: "0.0.0.0", port: 9000, bindToPort: false, chains };
  const listener = outboundTcpListener({ ...common, manager: MANAGER_DEFAULTS });
  assert.deepEqual(listener.filterChains, []);
});

Deno.test("destinations without weight leave the first", () => {
  const clusters = [{ cluster: "a", weight: 0 }, { cluster: "b", weight: 0 }];
  const listener = outboundTcpListener({
    bind: "0.0.0.0",
    port: 9000,
    bindToPort: false,
    chains: [{ clusters, statPrefix: "s" }],
    manager: MANAGER_DEFAULTS,
  });
  const [filter] = listener.filterChains[0]!.filters;
  const proxy = anyUnpack(filter?.configType.value as Any, TcpProxySchema);
  assert.deepEqual(proxy?.clusterSpecifier, { case: "cluster", value: "a" });
});
