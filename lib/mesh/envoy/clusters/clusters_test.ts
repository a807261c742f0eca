import assert from "node:assert/strict";
import { type Cluster, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterConfigSchema as DynamicClusterSchema } from "#envoy/extensions/clusters/dynamic_forward_proxy/v3/cluster_pb.ts";
import { HeaderMutationSchema } from "#envoy/extensions/filters/http/header_mutation/v3/header_mutation_pb.ts";
import { UpstreamCodecSchema } from "#envoy/extensions/filters/http/upstream_codec/v3/upstream_codec_pb.ts";
import { ClientSideWeightedRoundRobinSchema } from "#envoy/extensions/load_balancing_policies/client_side_weighted_round_robin/v3/client_side_weighted_round_robin_pb.ts";
import { WrrLocalitySchema } from "#envoy/extensions/load_balancing_policies/wrr_locality/v3/wrr_locality_pb.ts";
import { ProxyProtocolUpstreamTransportSchema } from "#envoy/extensions/transport_sockets/proxy_protocol/v3/upstream_proxy_protocol_pb.ts";
import { RawBufferSchema } from "#envoy/extensions/transport_sockets/raw_buffer/v3/raw_buffer_pb.ts";
import { UpstreamTlsContextSchema } from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { HttpProtocolOptionsSchema } from "#envoy/extensions/upstreams/http/v3/http_protocol_options_pb.ts";
import {
  CLUSTER_DEFAULTS,
  testEndpoint,
  testPort,
  testService,
} from "../../../../tests/support/envoy_cases/cluster_parts.ts";
import { INBOUND_CASES, OUTBOUND_CASES } from "../../../../tests/support/envoy_cases/clusters.ts";
import { assertGolden } from "../../../../tests/support/golden.ts";
import {
  createRegistry,
  DurationSchema,
  encode,
  fromBinary,
  type JsonObject,
  type JsonValue,
  toJson,
} from "../../../kit/proto/mod.ts";
import { buildOutboundCluster } from "./outbound.ts";

const registry = createRegistry(
  HeaderMutationSchema,
  UpstreamCodecSchema,
  HttpProtocolOptionsSchema,
  ProxyProtocolUpstreamTransportSchema,
  ClientSideWeightedRoundRobinSchema,
  DynamicClusterSchema,
  RawBufferSchema,
  UpstreamTlsContextSchema,
  WrrLocalitySchema,
);

/** The cluster as JSON, with the field that the generated code does not have. */
function jsonOf(cluster: Cluster): JsonValue {
  const json = toJson(ClusterSchema, cluster, { registry }) as JsonObject;
  const [jitter] = cluster.$unknown ?? [];
  if (jitter === undefined) return json;
  assert.equal(jitter.no, 58);
  assert.equal(jitter.data[0], jitter.data.length - 1, "a length, and so many bytes");
  const duration = fromBinary(DurationSchema, jitter.data.subarray(1));
  return { ...json, dnsJitter: toJson(DurationSchema, duration) };
}

for (const [name, build] of Object.entries({ ...OUTBOUND_CASES, ...INBOUND_CASES })) {
  Deno.test(`cluster: ${name}`, async () => {
    const cluster = build();
    assert.ok(cluster);
    await assertGolden(
      new URL(`./testdata/${name}.golden.json`, import.meta.url),
      jsonOf(cluster),
    );
  });
}

Deno.test("without jitter the field is not sent", () => {
  const service = testService({ resolution: "DNS" });
  const input = { service, port: testPort(), policy: undefined, endpoints: [] };
  const unknown = (dnsJitterMs: number) => {
    const cluster = buildOutboundCluster({ ...input, mesh: { ...CLUSTER_DEFAULTS, dnsJitterMs } });
    return fromBinary(ClusterSchema, encode(ClusterSchema, cluster!)).$unknown;
  };
  assert.equal(unknown(0), undefined);
  assert.equal(unknown(1)?.length, 1);
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
