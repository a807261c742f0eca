/**
 * Variables for telemetry metadata, as clusters and endpoints show them.
 */
import assert from "node:assert/strict";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { documents, serviceEntry } from "../../../../tests/support/manifest.ts";
import {
  contentOf,
  featuresWith,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { fromBinary, SERVED_TYPES, toJson } from "../../../kit/proto/mod.ts";
import { parseMeshConfig } from "../../schema/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const PORT = { number: 80, protocol: "HTTP" };
const endpoints = [{ address: "10.0.0.1", labels: { app: "shop" } }];

/** Metadata that is there: of the cluster of endpoints and of names, and of an endpoint of each. */
function shown(env: Readonly<Record<string, string>>): Record<string, boolean> {
  const bench = startTranslation(undefined, featuresWith(env));
  bench.set(documents(
    serviceEntry("eds", ["eds.test"], PORT, endpoints),
    serviceEntry("dns", ["dns.test"], PORT, { resolution: "DNS", endpoints }),
  ));
  const binding = bench.translation.source.bind(proxyNode("test"), () => {});
  const bytes = (type: string, host: string): Uint8Array =>
    binding.view(type)!.get(`outbound|80||${host}`)!.bytes;
  const cluster = (host: string) => fromBinary(ClusterSchema, bytes(TYPE_URLS.cluster, host));
  const assignment = fromBinary(
    ClusterLoadAssignmentSchema,
    bytes(TYPE_URLS.endpoint, "eds.test"),
  );
  const names = cluster("dns.test").loadAssignment!;
  const workload = (one: typeof assignment): boolean =>
    JSON.stringify(toJson(ClusterLoadAssignmentSchema, one)).includes('"workload"');
  return {
    cluster: cluster("eds.test").metadata !== undefined,
    dnsCluster: cluster("dns.test").metadata !== undefined,
    endpoint: workload(assignment),
    dnsEndpoint: workload(names),
  };
}

const CASES: readonly [env: Readonly<Record<string, string>>, clusters: boolean, ends: boolean][] =
  [
    [{}, true, true],
    [{ PILOT_ENABLE_TELEMETRY_LABEL: "false" }, false, false],
    [{ PILOT_ENDPOINT_TELEMETRY_LABEL: "false" }, true, false],
  ];

for (const [env, clusters, ends] of CASES) {
  Deno.test(`telemetry metadata with ${JSON.stringify(env)}`, () => {
    assert.deepEqual(shown(env), {
      cluster: clusters,
      dnsCluster: clusters,
      endpoint: ends,
      dnsEndpoint: ends,
    });
  });
}

/** Percentage of requests that the proxy's own services trace, as a listener shows it. */
function sampled(env: Readonly<Record<string, string>>): number | undefined {
  const { value: config } = parseMeshConfig(
    "{extensionProviders: [{name: z, zipkin: {service: zipkin.test, port: 9411}}], " +
      "defaultProviders: {tracing: [z]}}",
    "mesh.yaml",
  );
  const bench = startTranslation(config, featuresWith(env));
  const zipkin = { number: 9411, protocol: "HTTP" };
  bench.set(documents(
    serviceEntry("zipkin", ["zipkin.test"], zipkin, endpoints),
    serviceEntry("eds", ["eds.test"], PORT, endpoints),
  ));
  const view = bench.translation.source.bind(proxyNode("test"), () => {}).view(TYPE_URLS.listener);
  const texts = Object.keys(contentOf(view)).map((name) =>
    JSON.stringify(
      toJson(ListenerSchema, fromBinary(ListenerSchema, view!.get(name)!.bytes), {
        registry: SERVED_TYPES,
      }),
    )
  );
  const found = texts.map((text) => /"randomSampling":\{"value":([\d.]+)\}/.exec(text)?.[1])
    .find((value) => value !== undefined);
  return found === undefined ? undefined : Number(found);
}

Deno.test("PILOT_TRACE_SAMPLING sets the percentage of traced requests", () => {
  assert.equal(sampled({}), 1);
  assert.equal(sampled({ PILOT_TRACE_SAMPLING: "42.5" }), 42.5);
});
