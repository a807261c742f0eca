import assert from "node:assert/strict";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { HttpProtocolOptionsSchema } from "#envoy/extensions/upstreams/http/v3/http_protocol_options_pb.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { parseMeshConfig } from "../../schema/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const SERVICE = `apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: a, namespace: one}

spec:
  hosts: [a.example]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1}]

`;

Deno.test("the mesh's default traffic policy applies where no rule says otherwise, and follows changes", () => {
  const config = (connections: number) =>
    parseMeshConfig(
      `defaultTrafficPolicy: {connectionPool: {tcp: {maxConnections: ${connections}}}}`,
      "mesh",
    ).value;
  const bench = startTranslation(config(7));
  bench.set(SERVICE);
  const binding = bench.translation.source.bind(proxyNode("one"), () => {});
  const limit = (): number | undefined => {
    const resource = binding.view(TYPE_URLS.cluster)!.get("outbound|80||a.example")!;
    const { circuitBreakers } = fromBinary(ClusterSchema, resource.bytes);
    return circuitBreakers?.thresholds[0]?.maxConnections;
  };
  assert.equal(limit(), 7);
  bench.apply({ mesh: config(9) });
  assert.equal(limit(), 9);
  bench.set(`apiVersion: networking.mesh.io/v1

kind: DestinationRule

metadata: {name: a, namespace: one}

spec: {host: a.example, trafficPolicy: {connectionPool: {tcp: {maxConnections: 3}}}}

`);
  assert.equal(limit(), 3);
});

Deno.test("hosts that no service claims have the TLS that the mesh says, and follow changes", () => {
  const policy = (more: string) =>
    parseMeshConfig(`outboundTrafficPolicy: {mode: ALLOW_ANY_DYNAMIC_DNS${more}}`, "mesh").value;
  const bench = startTranslation(policy(", tls: {mode: SIMPLE, caCertificates: /etc/world.pem}"));
  const binding = bench.translation.source.bind(proxyNode("one"), () => {});
  const cluster = () =>
    fromBinary(
      ClusterSchema,
      binding.view(TYPE_URLS.cluster)!.get("DynamicPassthroughCluster")!.bytes,
    );
  assert.equal(cluster().transportSocket?.name, "envoy.transport_sockets.tls");
  bench.apply({ mesh: policy("") });
  assert.equal(cluster().transportSocket, undefined);
  bench.apply({ mesh: policy(", tls: {mode: SIMPLE, sni: all.example}") });
  assert.equal(cluster().transportSocket?.name, "envoy.transport_sockets.tls");
});

Deno.test("the mesh may carry HTTP to services as HTTP/2, and a rule may say otherwise", () => {
  const { value } = parseMeshConfig("h2UpgradePolicy: UPGRADE", "mesh");
  const bench = startTranslation(value);
  bench.set(SERVICE);
  const binding = bench.translation.source.bind(proxyNode("one"), () => {});
  const upgraded = (): boolean => {
    const { bytes } = binding.view(TYPE_URLS.cluster)!.get("outbound|80||a.example")!;
    const options = Object.values(fromBinary(ClusterSchema, bytes).typedExtensionProtocolOptions);
    return options.some(({ value }) => {
      const { upstreamProtocolOptions: chosen } = fromBinary(HttpProtocolOptionsSchema, value);
      return chosen.case === "explicitHttpConfig" &&
        chosen.value.protocolConfig.case === "http2ProtocolOptions";
    });
  };
  assert.equal(upgraded(), true);
  bench.set(`apiVersion: networking.mesh.io/v1

kind: DestinationRule

metadata: {name: a, namespace: one}

spec:
  host: a.example
  trafficPolicy: {connectionPool: {http: {h2UpgradePolicy: DO_NOT_UPGRADE}}}

`);
  assert.equal(upgraded(), false);
});
