/** A real Envoy accepts listeners and virtual hosts with auto-allocated addresses. */
import assert from "node:assert/strict";
import {
  create,
  type DescMessage,
  fromBinary,
  type JsonValue,
  type MessageShape,
  SERVED_TYPES,
  toJson,
} from "../../lib/kit/proto/mod.ts";
import { testMeshConfig } from "../support/mesh_fixture.ts";
import { routesBootstrap, validateBootstrap } from "../support/envoy_validate.ts";
import { DEFAULT_FEATURES, proxyNode, startTranslation } from "../support/translation_fixture.ts";
import { BootstrapSchema } from "#envoy/config/bootstrap/v3/bootstrap_pb.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";

/** Hosts without addresses, one of each way to tell connections apart. */
const HOSTS = [
  ["bytes.example", "{number: 90, name: tcp, protocol: TCP}"],
  ["more.example", "{number: 90, name: tcp, protocol: TCP}"],
  ["tls.example", "{number: 443, name: tls, protocol: TLS}"],
  ["found.example", "{number: 7070, name: unknown}"],
  ["web.example", "{number: 80, name: http, protocol: HTTP}"],
].map(([host, port]) =>
  `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${host}, namespace: one}
spec: {hosts: [${host}], resolution: STATIC, ports: [${port}], endpoints: [{address: 10.0.0.1}]}
`
).join("---\n");

/** Resources of a dual-stack proxy, by type. */
function served() {
  const bench = startTranslation(testMeshConfig(), {
    ...DEFAULT_FEATURES,
    autoAllocateAddresses: true,
    dualStack: true,
  });
  bench.set(HOSTS);
  const node = proxyNode("one", { ip: "172.16.0.1", ips: ["172.16.0.1", "fd00::1"] });
  const binding = bench.translation.source.bind(node, () => {});
  return <D extends DescMessage>(typeUrl: string, schema: D): MessageShape<D>[] =>
    [...binding.view(typeUrl)!.entries()].map(({ bytes }) => fromBinary(schema, bytes));
}

Deno.test("Envoy takes listeners at auto-allocated addresses of both families, one for each host", async () => {
  const of = served();
  const listeners = of(TYPE_URLS.listener, ListenerSchema);
  const given = listeners.filter(({ name }) => /^(240\.240\.|2001:2::)/.test(name));
  assert.equal(given.length, 2 * 4, given.map(({ name }) => name).join(" "));
  const bootstrap = create(BootstrapSchema, {
    node: { id: "sidecar~172.16.0.1~a.one~one.svc.cluster.local", cluster: "a.one" },
    dynamicResources: {
      adsConfig: {
        apiType: 2,
        transportApiVersion: 2,
        grpcServices: [{
          targetSpecifier: { case: "envoyGrpc", value: { clusterName: "xds" } },
        }],
      },
    },
    staticResources: {
      clusters: [create(ClusterSchema, { name: "xds" }), ...of(TYPE_URLS.cluster, ClusterSchema)],
      listeners: given,
    },
  });
  const verdict = await validateBootstrap(
    toJson(BootstrapSchema, bootstrap, { registry: SERVED_TYPES }) as JsonValue,
  );
  assert.ok(verdict.accepted, verdict.log);
});

Deno.test("Envoy takes virtual hosts with auto-allocated addresses", async () => {
  const tables = served()(TYPE_URLS.route, RouteConfigurationSchema);
  const domains = tables.flatMap((t) => t.virtualHosts).flatMap((v) => v.domains);
  assert.ok(domains.some((domain) => /^240\.240\.[0-9.]+$/.test(domain)), domains.join(" "));
  assert.ok(domains.some((domain) => /^\[2001:2::.*\]$/.test(domain)), domains.join(" "));
  const shown = tables.map((t) =>
    toJson(RouteConfigurationSchema, t, { registry: SERVED_TYPES }) as JsonValue
  );
  const verdict = await validateBootstrap(routesBootstrap(shown));
  assert.ok(verdict.accepted, verdict.log);
});
