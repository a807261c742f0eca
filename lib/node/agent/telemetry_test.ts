import assert from "node:assert/strict";
import { create, durationOf, type MessageInitShape } from "../../kit/proto/mod.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { telemetryOf } from "./telemetry.ts";

type Service = MessageInitShape<typeof ProxyConfigSchema>["dataproxyMetricsService"];

function keptAlive(tcpKeepalive: NonNullable<Service>["tcpKeepalive"]): unknown[] {
  const service = { address: "a.example:80", tcpKeepalive };
  const config = create(ProxyConfigSchema, {
    dataproxyMetricsService: service,
    dataproxyAccessLogService: service,
  });
  return telemetryOf(config, "own", {
    families: { first: 4, both: false },
    hostIp: undefined,
  }).clusters.map((one) => one.upstream_connection_options);
}

Deno.test("connections to services of metrics and logs are kept alive as the proxy's configuration says", () => {
  const cases: readonly [Parameters<typeof keptAlive>[0], unknown][] = [
    [undefined, undefined],
    [{}, { tcp_keepalive: {} }],
    [
      { probes: 3, time: durationOf(60_000), interval: durationOf(1_500) },
      { tcp_keepalive: { keepalive_probes: 3, keepalive_time: 60, keepalive_interval: 2 } },
    ],
  ];
  for (const [given, expected] of cases) assert.deepEqual(keptAlive(given), [expected, expected]);
});
