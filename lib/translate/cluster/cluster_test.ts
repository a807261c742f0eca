import assert from "node:assert/strict";
import { assertGolden } from "../../../tests/support/golden.ts";
import {
  CLUSTER_DEFAULTS,
  INBOUND_CASES,
  OUTBOUND_CASES,
  testEndpoint,
  testPort,
  testService,
} from "../../../tests/support/cluster_cases.ts";
import { createRegistry, encode, fromBinary, toJson } from "../../proto/mod.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { HttpProtocolOptionsSchema } from "#envoy/extensions/upstreams/http/v3/http_protocol_options_pb.ts";
import { buildOutboundCluster } from "./mod.ts";

const registry = createRegistry(HttpProtocolOptionsSchema);

for (const [name, build] of Object.entries({ ...OUTBOUND_CASES, ...INBOUND_CASES })) {
  Deno.test(`cluster: ${name}`, async () => {
    const cluster = build();
    assert.ok(cluster);
    await assertGolden(
      new URL(`./testdata/${name}.golden.json`, import.meta.url),
      toJson(ClusterSchema, cluster, { registry }),
    );
  });
}

Deno.test("DNS jitter goes out under its number", () => {
  const input = {
    service: testService({ resolution: "DNS" }),
    port: testPort(),
    policy: undefined,
    endpoints: [],
  };
  const build = (dnsJitterMs: number) =>
    buildOutboundCluster({ ...input, mesh: { ...CLUSTER_DEFAULTS, dnsJitterMs } });
  const with100 = fromBinary(ClusterSchema, encode(ClusterSchema, build(100)!));
  const [field] = with100.$unknown ?? [];
  assert.equal(field?.no, 58);
  // Length 4, then field 2 (nanos) as a varint of 100,000,000.
  assert.deepEqual([...field!.data], [5, 0x10, 0x80, 0xc2, 0xd7, 0x2f]);
  assert.equal(build(0)?.$unknown, undefined);
});

Deno.test("nothing to connect to, no cluster", () => {
  const mesh = CLUSTER_DEFAULTS;
  const service = testService({ resolution: "DNS" });
  const common = { service, policy: undefined, mesh };
  const udp = testPort({ protocol: "UDP" });
  assert.equal(buildOutboundCluster({ ...common, port: udp, endpoints: [] }), undefined);
  const subset = { name: "v9", labels: { version: "v9" } };
  const endpoints = [testEndpoint({ address: "a.example.com" })];
  const none = buildOutboundCluster({ ...common, port: testPort(), endpoints, subset });
  assert.equal(none, undefined);
});
