/**
 * Listeners of a sidecar: the chains of a port's services, by declared protocol and distinguishing
 * match.
 */
import assert from "node:assert/strict";
import type { FilterChain } from "#envoy/config/listener/v3/listener_components_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { HttpConnectionManagerSchema } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { TcpProxySchema } from "#envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import { documents, manifest, serviceEntry } from "../../../../tests/support/manifest.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { type Any, anyUnpack, fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

/** A chain in one line: what it takes, and where to. */
function lineOf({ filterChainMatch: match, filters }: FilterChain): string {
  const config = filters[0]!.configType.value as Any;
  const manager = anyUnpack(config, HttpConnectionManagerSchema);
  const proxy = anyUnpack(config, TcpProxySchema);
  const takes = [
    ...(match?.prefixRanges ?? []).map((r) => `${r.addressPrefix}/${r.prefixLen}`),
    ...(match?.serverNames ?? []),
    ...((match?.applicationProtocols.length ?? 0) > 0 ? ["http"] : []),
    ...(match?.transportProtocol ? [match.transportProtocol] : []),
  ];
  const to = manager === undefined
    ? proxy?.clusterSpecifier.value
    : `table ${
      manager.routeSpecifier.value && "routeConfigName" in manager.routeSpecifier.value
        ? manager.routeSpecifier.value.routeConfigName
        : "?"
    }`;
  return `${takes.join(" ") || "all"}: ${to}`;
}

/** The listeners of a proxy that traffic is redirected to, but for the capturing ones. */
function listenersFor(...entries: readonly string[]): Record<string, string[]> {
  const bench = startTranslation();
  bench.set(documents(...entries));
  const binding = bench.translation.source.bind(proxyNode("test"), () => {});
  const found = [...binding.view(TYPE_URLS.listener)!.entries()]
    .map(({ bytes }) => fromBinary(ListenerSchema, bytes))
    .filter(({ name }) => !name.startsWith("virtual"));
  return Object.fromEntries(found.map((listener) => [listener.name, [
    ...listener.filterChains.map(lineOf),
    ...(listener.defaultFilterChain ? [`default ${lineOf(listener.defaultFilterChain)}`] : []),
  ]]));
}

function service(host: string, protocol: string, ...addresses: readonly string[]): string {
  const endpoints = [{ address: "10.0.0.1" }];
  return serviceEntry(host.replaceAll(/[^a-z-]/g, ""), [host], { number: 90, protocol }, {
    endpoints: endpoints,
    addresses,
  });
}

const REST = "default all: PassthroughCluster";

const CASES: readonly [
  what: string,
  entries: readonly string[],
  expected: Readonly<Record<string, readonly string[]>>,
][] = [
  ["HTTP alone", [service("a.test", "HTTP")], {
    "0.0.0.0_90": ["http raw_buffer: table 90", REST],
  }],
  ["undeclared", [service("a.test", "")], {
    "0.0.0.0_90": ["http raw_buffer: table 90", "default all: outbound|90||a.test"],
  }],
  ["undeclared, with an address", [service("a.test", "", "240.0.0.1")], {
    "240.0.0.1_90": ["http raw_buffer: table a.test:90", "default all: outbound|90||a.test"],
  }],
  ["undeclared, with a range", [service("a.test", "", "240.1.0.0/16")], {
    "0.0.0.0_90": [
      "240.1.0.0/16 http raw_buffer: table 90",
      "240.1.0.0/16 raw_buffer: outbound|90||a.test",
      "240.1.0.0/16: outbound|90||a.test",
      REST,
    ],
  }],
  ["TLS by name", [service("a.test", "TLS"), service("*.b.test", "HTTPS")], {
    "0.0.0.0_90": ["*.b.test: outbound|90||*.b.test", "a.test: outbound|90||a.test", REST],
  }],
  ["TLS with an address, whose connections need no name", [service("a.test", "TLS", "240.0.0.1")], {
    "240.0.0.1_90": ["all: outbound|90||a.test"],
  }],
  ["TLS with an address and rules: other names are passed through", [
    service("a.test", "TLS", "240.0.0.1"),
    manifest("VirtualService", "a", {
      hosts: ["a.test"],
      tls: [{ match: [{ sniHosts: ["a.test"] }], route: [{ destination: { host: "a.test" } }] }],
    }),
  ], {
    "240.0.0.1_90": ["a.test: outbound|90||a.test", REST],
  }],
  ["TLS by name with rules: other names are passed through", [
    service("*.test", "TLS"),
    manifest("VirtualService", "a", {
      hosts: ["*.test"],
      tls: [{ match: [{ sniHosts: ["x.test"] }], route: [{ destination: { host: "*.test" } }] }],
    }),
  ], {
    "0.0.0.0_90": ["x.test: outbound|90||*.test", REST],
  }],
  ["everything at once", [
    service("a.test", "HTTP"),
    service("b.test", "TCP"),
    service("c.test", "TLS"),
    service("d.test", "TCP", "240.0.0.1"),
    service("e.test", "TCP"),
  ], {
    "0.0.0.0_90": [
      "http raw_buffer: table 90",
      "c.test: outbound|90||c.test",
      "default all: outbound|90||b.test",
    ],
    "240.0.0.1_90": ["all: outbound|90||d.test"],
  }],
  ["nothing but addresses of TCP", [service("a.test", "TCP", "240.0.0.1")], {
    "240.0.0.1_90": ["all: outbound|90||a.test"],
  }],
];

for (const [what, entries, expected] of CASES) {
  Deno.test(`outbound listeners: ${what}`, () => {
    assert.deepEqual(listenersFor(...entries), expected);
  });
}
