/**
 * Variables of the environment, as listeners show them.
 */
import assert from "node:assert/strict";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { ConfigSchema as StatsSchema } from "#envoy/extensions/access_loggers/stats/v3/stats_pb.ts";
import { HttpConnectionManagerSchema } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { TcpProxySchema } from "#envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  DEFAULT_FEATURES,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { type Any, fromBinary } from "../../../kit/proto/mod.ts";
import { parseMeshConfig, parseMeshNetworks } from "../../schema/mod.ts";
import type { Features } from "../features.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const service = (name: string, port: number, protocol: string): string =>
  `apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: ${name}, namespace: one}

spec:
  hosts: [${name}.example]
  addresses: [240.0.0.${port % 100}]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: ${port}, name: main, protocol: ${protocol}}]
  endpoints: [{address: 10.0.0.1}]

`;

const DOCUMENTS = [
  service("web", 80, "HTTP"),
  service("documents", 27017, "Mongo"),
  service("values", 6379, "Redis"),
  service("anything", 9002, '""'),
].join("---\n");

function listenersWith(
  features: Partial<Features>,
  ip: string,
  config?: MeshConfig,
  ips: readonly string[] = [ip],
): (name: string) => Listener {
  const bench = startTranslation(config, { ...DEFAULT_FEATURES, ...features });
  bench.set(DOCUMENTS);
  const networks = parseMeshNetworks(
    "networks: {far: {endpoints: [{fromCidr: 100.64.0.0/10}], gateways: [{address: 1.1.1.1, port: 1}]}}",
    "networks",
  ).value;
  bench.apply({ networks });
  const binding = bench.translation.source.bind(proxyNode("one", { ip, ips }), () => {});
  return (name) => fromBinary(ListenerSchema, binding.view(TYPE_URLS.listener)!.get(name)!.bytes);
}

function filtersOf({ filterChains }: Listener): string[] {
  return filterChains.flatMap(({ filters }) => filters.map(({ name }) => name.split(".").at(-1)!));
}

Deno.test("databases whose protocols are known are looked into where the switches say so", () => {
  const cases: readonly [Partial<Features>, string, string[]][] = [
    [{}, "240.0.0.17_27017", ["mongo_proxy", "tcp_proxy"]],
    [{ documentFilter: false }, "240.0.0.17_27017", ["tcp_proxy"]],
    [{}, "240.0.0.79_6379", ["tcp_proxy"]],
    [{ keyValueFilter: true }, "240.0.0.79_6379", ["redis_proxy"]],
  ];
  for (const [features, name, expected] of cases) {
    assert.deepEqual(filtersOf(listenersWith(features, "172.16.0.1")(name)), expected);
  }
  const inbound = (features: Partial<Features>) =>
    filtersOf(listenersWith(features, "10.0.0.1")("virtualInbound"))
      .filter((name) => name === "mongo_proxy").length;
  assert.equal(inbound({}), 1);
  assert.equal(inbound({ documentFilter: false }), 0);
});

Deno.test("IPv4 destinations are caught beside IPv6 ones where a switch says so", () => {
  const addresses = (features: Partial<Features>) =>
    listenersWith(features, "2001:db8::1")("virtualOutbound").additionalAddresses.length;
  assert.equal(addresses({}), 0);
  assert.equal(addresses({ ipv4Outbound: true }), 1);
});

Deno.test("proxies with addresses of both families serve both where the switch says so", () => {
  const both = ["10.9.0.1", "2001:db8::1"];
  const boundAt = (features: Partial<Features>, ips: readonly string[]): string[] => {
    const { address, additionalAddresses } = listenersWith(features, ips[0]!, undefined, ips)(
      "virtualOutbound",
    );
    return [address, ...additionalAddresses.map((more) => more.address)].map((one) =>
      one?.address.case === "socketAddress" ? one.address.value.address : ""
    );
  };
  assert.deepEqual(boundAt({}, both), ["0.0.0.0"]);
  assert.deepEqual(boundAt({}, [...both].reverse()), ["0.0.0.0"]);
  assert.deepEqual(boundAt({ dualStack: true }, both), ["0.0.0.0", "::"]);
  assert.deepEqual(boundAt({ dualStack: true }, ["10.9.0.1"]), ["0.0.0.0"]);
  assert.deepEqual(boundAt({}, ["2001:db8::1"]), ["::"]);
});

Deno.test("addresses of the mesh networks are internal where a switch says so", () => {
  const ranges = (features: Partial<Features>): string[] => {
    const { defaultFilterChain, filterChains } = listenersWith(features, "172.16.0.1")(
      "0.0.0.0_80",
    );
    const chain = [...filterChains, defaultFilterChain].find((c) =>
      c?.filters[0]?.name.endsWith("http_connection_manager")
    );
    const config = chain!.filters[0]!.configType;
    assert.equal(config.case, "typedConfig");
    const manager = fromBinary(HttpConnectionManagerSchema, config.value.value);
    return manager.internalAddressConfig!.cidrRanges.map((range) => range.addressPrefix);
  };
  assert.ok(!ranges({}).includes("100.64.0.0"));
  assert.ok(ranges({ internalNetworks: true }).includes("100.64.0.0"));
});

Deno.test("metrics may be forgotten where the switch says so", () => {
  const counting = parseMeshConfig("", "mesh").value;
  const forget = (features: Partial<Features>): boolean[] =>
    listenersWith(features, "172.16.0.1", counting)("virtualOutbound").filterChains.flatMap((
      { filters },
    ) =>
      filters.flatMap(({ configType }) => {
        if (configType.case !== "typedConfig") return [];
        return fromBinary(TcpProxySchema, configType.value.value).accessLog
          .filter(({ name }) => name === "envoy.access_loggers.stats")
          .map((log) => fromBinary(StatsSchema, (log.configType.value as Any).value))
          .map(({ statsScope }) => statsScope?.enableEviction === true);
      })
    );
  const [kept, forgotten] = [forget({}), forget({ forgetMetrics: true })];
  assert.ok(kept.length > 0);
  assert.deepEqual([new Set(kept), new Set(forgotten)], [new Set([false]), new Set([true])]);
});

Deno.test("mutual TLS says where HTTP was found, unless the switch forbids it", () => {
  const names = (features: Partial<Features>): string[] =>
    listenersWith(features, "172.16.0.1")("240.0.0.2_9002").filterChains.flatMap(({ filters }) =>
      filters.flatMap(({ name, configType }) =>
        configType.case !== "typedConfig" || !name.endsWith("http_connection_manager")
          ? []
          : fromBinary(HttpConnectionManagerSchema, configType.value.value).httpFilters
            .map((filter) => filter.name)
      )
    );
  const filterName = "envoy.filters.http.set_filter_state";
  assert.ok(names({}).includes(filterName));
  const quiet = names({ announceDetectedHttp: false });
  assert.ok(quiet.length > 0 && !quiet.includes(filterName));
});
