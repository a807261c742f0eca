/**
 * The configuration of proxies, as their listeners show it.
 */
import assert from "node:assert/strict";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouterSchema } from "#envoy/extensions/filters/http/router/v3/router_pb.ts";
import { ConnectionLimitSchema } from "#envoy/extensions/filters/network/connection_limit/v3/connection_limit_pb.ts";
import {
  type HttpConnectionManager,
  HttpConnectionManager_ForwardClientCertDetails as Forward,
  HttpConnectionManager_PathWithEscapedSlashesAction as Slashes,
  HttpConnectionManager_ServerHeaderTransformation as ServerHeader,
  HttpConnectionManagerSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { SETTINGS_DOCUMENTS } from "../../../../tests/support/proxy_settings_documents.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { durationMs, fromBinary } from "../../../kit/proto/mod.ts";
import { parseMeshConfig } from "../../schema/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

type Side = "gateway" | "inbound" | "outbound";

type Found = { readonly listener: Listener; readonly manager: HttpConnectionManager };

function managerOf(listener: Listener): HttpConnectionManager | undefined {
  for (const { filters } of listener.filterChains) {
    for (const { configType } of filters) {
      if (configType.case !== "typedConfig") continue;
      if (!configType.value.typeUrl.endsWith(".HttpConnectionManager")) continue;
      return fromBinary(HttpConnectionManagerSchema, configType.value.value);
    }
  }
  return undefined;
}

function listenersWith(config: string): Record<Side, Found> {
  const parsed = parseMeshConfig(`defaultConfig: ${config}`, "mesh");
  assert.deepEqual([parsed.problems, parsed.warnings], [[], []]);
  const bench = startTranslation(parsed.value);
  bench.set(SETTINGS_DOCUMENTS);
  const listenerOf = (node: Parameters<typeof proxyNode>[1], name: string): Found => {
    const binding = bench.translation.source.bind(proxyNode("one", node), () => {});
    const listener = fromBinary(ListenerSchema, binding.view(TYPE_URLS.listener)!.get(name)!.bytes);
    return { listener, manager: managerOf(listener)! };
  };
  return {
    gateway: listenerOf({ role: "router", labels: { app: "gw" } }, "0.0.0.0_8080"),
    inbound: listenerOf({}, "virtualInbound"),
    outbound: listenerOf({}, "0.0.0.0_8080"),
  };
}

const inbound = ({ inbound: { manager } }: Record<Side, Found>) => manager;

const all = (found: Record<Side, Found>) => Object.values(found);

const CASES: readonly [config: string, check: (found: Record<Side, Found>) => void][] = [
  ["{gatewayTopology: {numTrustedProxies: 2}}", ({ gateway, inbound }) => {
    assert.equal(gateway.manager.xffNumTrustedHops, 2);
    assert.equal(inbound.manager.xffNumTrustedHops, 0);
    assert.equal(gateway.manager.forwardClientCertDetails, Forward.SANITIZE_SET);
  }],
  ["{gatewayTopology: {forwardClientCertDetails: FORWARD_ONLY}}", ({ gateway, inbound }) => {
    assert.equal(gateway.manager.forwardClientCertDetails, Forward.FORWARD_ONLY);
    assert.equal(inbound.manager.forwardClientCertDetails, Forward.APPEND_FORWARD);
  }],
  ["{gatewayTopology: {proxyProtocol: {}}}", ({ gateway, inbound }) => {
    const names = ({ listener }: Found) => listener.listenerFilters.map(({ name }) => name);
    assert.deepEqual(names(gateway), ["envoy.filters.listener.proxy_protocol"]);
    assert.ok(!names(inbound).includes("envoy.filters.listener.proxy_protocol"));
  }],
  ["{proxyHeaders: {forwardedClientCert: SANITIZE}}", ({ gateway, inbound, outbound }) => {
    assert.equal(gateway.manager.forwardClientCertDetails, Forward.SANITIZE);
    assert.equal(inbound.manager.forwardClientCertDetails, Forward.SANITIZE);
    assert.equal(outbound.manager.setCurrentClientCertDetails, undefined);
  }],
  ["{proxyHeaders: {setCurrentClientCertDetails: {chain: true, dns: false}}}", (found) => {
    const { subject, chain, dns } = inbound(found).setCurrentClientCertDetails!;
    assert.deepEqual({ subject, chain, dns }, { subject: true, chain: true, dns: false });
  }],
  [
    "{proxyHeaders: {server: {value: shop}}}",
    (found) =>
      assert.deepEqual([inbound(found).serverName, found.gateway.manager.serverName], [
        "shop",
        "shop",
      ]),
  ],
  [
    "{proxyHeaders: {server: {disabled: true}}}",
    (found) => assert.equal(inbound(found).serverHeaderTransformation, ServerHeader.PASS_THROUGH),
  ],
  [
    "{proxyHeaders: {requestId: {disabled: true}}}",
    (found) => assert.equal(inbound(found).generateRequestId, false),
  ],
  [
    "{proxyHeaders: {xForwardedPort: {enabled: true}}}",
    (found) => assert.ok(found.gateway.manager.appendXForwardedPort),
  ],
  ["{connectionSettings: {listenerPerConnectionBufferLimitBytes: 4096}}", (found) => {
    for (const { listener } of all(found)) {
      assert.equal(listener.perConnectionBufferLimitBytes, 4096);
    }
  }],
  ["{connectionSettings: {httpMaxConcurrentStreams: 5, httpMergeSlashes: true}}", (found) => {
    for (const { manager } of all(found)) {
      assert.equal(manager.http2ProtocolOptions?.maxConcurrentStreams, 5);
      assert.equal(manager.mergeSlashes, true);
      assert.equal(manager.commonHttpProtocolOptions, undefined);
    }
  }],
  [
    "{connectionSettings: {httpIdleTimeout: 1s, httpMaxConnectionDuration: 2s, httpMaxStreamDuration: 3s, httpDrainTimeout: 4s, httpRequestTimeout: 5s, httpRequestHeadersTimeout: 6s, httpStreamIdleTimeout: 7s}}",
    (found) => {
      const manager = inbound(found);
      const common = manager.commonHttpProtocolOptions!;
      const times = [
        common.idleTimeout,
        common.maxConnectionDuration,
        common.maxStreamDuration,
        manager.drainTimeout,
        manager.requestTimeout,
        manager.requestHeadersTimeout,
        manager.streamIdleTimeout,
      ];
      assert.deepEqual(times.map((time) => durationMs(time!) / 1000), [1, 2, 3, 4, 5, 6, 7]);
    },
  ],
  ["{proxyHeaders: {dataproxyDebugHeaders: {disabled: true}}}", (found) => {
    for (const { manager } of all(found)) {
      const router = manager.httpFilters.at(-1)!;
      const config = router.configType.value as { value: Uint8Array };
      assert.equal(fromBinary(RouterSchema, config.value).suppressEnvoyHeaders, true);
    }
  }],
  ["{proxyHeaders: {preserveHttp1HeaderCase: true}}", (found) => {
    for (const { manager } of all(found)) {
      const format = manager.httpProtocolOptions?.headerKeyFormat?.headerFormat;
      assert.equal(format?.case === "statefulFormatter" && format.value.name, "preserve_case");
    }
  }],
  ["{connectionSettings: {listenerConnectionLimit: 3}}", (found) => {
    for (const { listener } of all(found)) {
      const chains = [...listener.filterChains, listener.defaultFilterChain ?? []].flat();
      for (const { filters: [first] } of chains) {
        const config = first!.configType.value as { value: Uint8Array };
        assert.equal(first!.name, "envoy.filters.network.connection_limit");
        assert.equal(fromBinary(ConnectionLimitSchema, config.value).maxConnections, 3n);
      }
    }
  }],
  ["{connectionSettings: {profile: EDGE, httpMaxConcurrentStreams: 7}}", ({ gateway }) => {
    const { manager, listener } = gateway;
    assert.equal(manager.http2ProtocolOptions?.maxConcurrentStreams, 7);
    assert.equal(manager.http2ProtocolOptions?.initialStreamWindowSize, 65_536);
    assert.equal(manager.pathWithEscapedSlashesAction, Slashes.UNESCAPE_AND_REDIRECT);
    assert.equal(listener.perConnectionBufferLimitBytes, 32_768);
  }],
];

for (const [config, check] of CASES) {
  Deno.test(`proxy settings: ${config.slice(0, 90)}`, () => check(listenersWith(config)));
}
