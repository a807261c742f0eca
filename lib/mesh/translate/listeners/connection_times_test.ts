/** Connection times of DestinationRules in TCP listeners of sidecars and gateways. */
import assert from "node:assert/strict";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { TcpProxySchema } from "#envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import {
  documents,
  manifest,
  serviceEntry,
  type Spec,
} from "../../../../tests/support/manifest.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { type Any, anyUnpack, durationMs, fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const BOTH = { idleTimeout: "10s", maxConnectionDuration: "60s" };

const CASES: readonly [what: string, whole: Spec, ofPort: Spec | undefined, ms: number[]][] = [
  ["of the rule", BOTH, undefined, [10_000, 60_000]],
  ["of the rule, beside other settings of the port", BOTH, { maxConnections: 7 }, [10_000, 60_000]],
  ["of the port, before those of the rule", BOTH, { idleTimeout: "3s" }, [3_000, 60_000]],
  ["of the port alone", {}, BOTH, [10_000, 60_000]],
];

for (const [what, whole, ofPort, expected] of CASES) {
  Deno.test(`connection times: ${what}`, () => {
    const bench = startTranslation();
    bench.set(documents(
      serviceEntry("a", ["a.test"], { number: 90, protocol: "TCP" }, {
        addresses: ["240.0.0.1"],
        endpoints: [{ address: "10.0.0.1" }],
      }),
      manifest("DestinationRule", "a", {
        host: "a.test",
        trafficPolicy: {
          connectionPool: { tcp: whole },
          portLevelSettings: ofPort === undefined
            ? []
            : [{ port: { number: 90 }, connectionPool: { tcp: ofPort } }],
        },
      }),
    ));
    const binding = bench.translation.source.bind(proxyNode("test"), () => {});
    const { bytes } = binding.view(TYPE_URLS.listener)!.get("240.0.0.1_90")!;
    const [chain] = fromBinary(ListenerSchema, bytes).filterChains;
    const proxy = anyUnpack(chain!.filters[0]!.configType.value as Any, TcpProxySchema)!;
    const times = [proxy.idleTimeout, proxy.maxDownstreamConnectionDuration];
    assert.deepEqual(times.map((time) => time && durationMs(time)), expected);
  });
}

/** A TCP service, and a rule for it. */
const timed = (name: string, number: number, tcp: Spec): string =>
  documents(
    serviceEntry(name, [`${name}.test`], { number, protocol: "TCP" }, {
      addresses: [`240.0.0.${number}`],
      endpoints: [{ address: "10.0.0.1" }],
    }),
    manifest("DestinationRule", name, {
      host: `${name}.test`,
      trafficPolicy: { connectionPool: { tcp } },
    }),
  );

const route = { route: [{ destination: { host: "b.test", port: { number: 91 } } }] };

/** Listener, and the rules and servers that lead to another service. */
const ROUTED: readonly [what: string, listener: string, objects: readonly string[]][] = [
  ["to another service", "240.0.0.90_90", [
    manifest("VirtualService", "v", { hosts: ["a.test"], tcp: [route] }),
  ]],
  ["behind a gateway", "0.0.0.0_90", [
    manifest("Gateway", "edge", {
      selector: { app: "edge" },
      servers: [{ port: { number: 90, name: "main", protocol: "TCP" }, hosts: ["*"] }],
    }),
    manifest("VirtualService", "v", { hosts: ["*"], gateways: ["edge"], tcp: [route] }),
  ]],
  ["behind a gateway that passes TLS through", "0.0.0.0_90", [
    manifest("Gateway", "edge", {
      selector: { app: "edge" },
      servers: [{
        port: { number: 90, name: "main", protocol: "TLS" },
        tls: { mode: "PASSTHROUGH" },
        hosts: ["c.test"],
      }],
    }),
    manifest("VirtualService", "v", {
      hosts: ["c.test"],
      gateways: ["edge"],
      tls: [{ ...route, match: [{ sniHosts: ["c.test"] }] }],
    }),
  ]],
];

for (const [what, listener, objects] of ROUTED) {
  Deno.test(`TCP connections end as the rule of their destination says: ${what}`, () => {
    const bench = startTranslation();
    bench.set(documents(timed("a", 90, BOTH), timed("b", 91, { idleTimeout: "2s" }), ...objects));
    const node = what.includes("gateway")
      ? proxyNode("test", { role: "router", labels: { app: "edge" } })
      : proxyNode("test");
    const view = bench.translation.source.bind(node, () => {}).view(TYPE_URLS.listener)!;
    const [chain] = fromBinary(ListenerSchema, view.get(listener)!.bytes).filterChains;
    const proxy = anyUnpack(chain!.filters.at(-1)!.configType.value as Any, TcpProxySchema)!;
    const times = [proxy.idleTimeout, proxy.maxDownstreamConnectionDuration];
    assert.deepEqual(times.map((time) => time && durationMs(time)), [2000, undefined]);
  });
}
