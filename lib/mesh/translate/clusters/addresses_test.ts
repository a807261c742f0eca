/** Virtual addresses of Services in several clusters, as proxies of each cluster use them. */
import assert from "node:assert/strict";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { NameTableSchema } from "#mesh/networking/nds/v1/nds_pb.ts";
import {
  type ServiceEntry,
  ServiceEntry_Resolution,
  ServiceEntrySchema,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { objectsOf, serviceFacts, testMeshConfig } from "../../../../tests/support/mesh_fixture.ts";
import {
  changeOf,
  featuresWith,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { clone, fromBinary } from "../../../kit/proto/mod.ts";
import { AGENT_TYPE_URLS, TYPE_URLS } from "../resources/mod.ts";

/** The row of a Service with ports 90 (TCP) and 80 (HTTP); `cluster` unset: the daemon's own. */
function service(name: string, address: string, cluster?: string) {
  const [object] = objectsOf(`apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: one}
spec:
  hosts: [${name}.one.svc.cluster.local]
  addresses: [${address}]
  resolution: STATIC
  ports: [{number: 90, name: tcp, protocol: TCP}, {number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1}]
`);
  const { meta } = object!;
  if (cluster === undefined) return object!;
  const origin = { source: `cluster/${cluster}`, cluster };
  return { ...object!, meta: { ...meta, name: `${name}@${cluster}`, origin } };
}

const SERVICES = [
  service("both", "10.96.0.1"),
  service("both", "10.97.0.1", "b"),
  service("only-a", "10.96.0.2"),
  service("only-b", "10.97.0.3", "b"),
  // Clusters assign addresses independently: this one is of another host in this cluster.
  service("z-clash", "10.96.0.2", "b"),
];

/** Rows of a headless Service of the hosts `db` or, in `kube-system`, `dns`, in two clusters. */
function headless(host: string, only = false) {
  return [undefined, "b"].map((cluster) => {
    const object = service(host.split(".")[0]!, "10.0.0.9", cluster);
    const spec = clone(ServiceEntrySchema, object.spec as ServiceEntry);
    spec.hosts = [host];
    spec.addresses = [];
    spec.resolution = ServiceEntry_Resolution.NONE;
    spec.endpoints[0]!.address = cluster === undefined ? "10.1.0.1" : "10.2.0.1";
    const facts = serviceFacts({
      headless: true,
      clusterOnly: only,
      endpoints: [{
        health: "healthy",
        namespace: "one",
        workload: "",
        hostname: "",
        node: "",
        pod: true,
      }],
    });
    return { ...object, spec, service: facts };
  });
}

Deno.test("ENABLE_MULTICLUSTER_HEADLESS: names of headless services have addresses in all clusters", () => {
  const [db, only, dns] = ["db", "only", "dns"];
  const answers = (ENABLE_MULTICLUSTER_HEADLESS: string, cluster?: string) => {
    const features = featuresWith({ ENABLE_MULTICLUSTER_HEADLESS });
    const bench = startTranslation(testMeshConfig(), features);
    const rows = [
      ...headless("db.one.svc.cluster.local"),
      ...headless("only.one.svc.cluster.local", true),
      ...headless("dns.kube-system.svc.cluster.local"),
    ];
    bench.apply({ objects: [...SERVICES, ...rows].map(changeOf) });
    const { names } = seenBy(bench, cluster);
    return [names[db], names[only], names[dns]];
  };
  const both = "10.1.0.1 10.2.0.1";
  assert.deepEqual(answers("true"), [both, "10.1.0.1", "10.1.0.1"]);
  assert.deepEqual(answers("true", "b"), [both, "10.2.0.1", "10.2.0.1"]);
  assert.deepEqual(answers("false"), ["10.1.0.1", "10.1.0.1", "10.1.0.1"]);
  assert.deepEqual(answers("false", "b"), ["10.2.0.1", "10.2.0.1", "10.2.0.1"]);
});

/** The name table, and the addresses of TCP listeners with the hosts of their clusters. */
function seenBy(bench: ReturnType<typeof startTranslation>, cluster?: string) {
  const metadata = cluster === undefined ? {} : { CLUSTER_ID: cluster };
  const binding = bench.translation.source.bind(proxyNode("one", { metadata }), () => {});
  const [names] = [...binding.view(AGENT_TYPE_URLS.nameTable)!.entries()];
  const { table } = fromBinary(NameTableSchema, names!.bytes);
  const listeners: Record<string, string> = {};
  for (const { name, bytes } of binding.view(TYPE_URLS.listener)!.entries()) {
    const match = /^(10\.[\d.]+)_90$/.exec(name);
    if (match === null) continue;
    const text = JSON.stringify(
      fromBinary(ListenerSchema, bytes),
      (_, value) =>
        typeof value === "bigint"
          ? `${value}`
          : value instanceof Uint8Array
          ? new TextDecoder().decode(value)
          : value,
    );
    listeners[match[1]!] = /outbound\|90\|\|([-a-z]+)/.exec(text)?.[1] ?? "";
  }
  return {
    names: Object.fromEntries(
      Object.entries(table).map(([name, { ips }]) => [name.split(".")[0], ips.join(" ")]),
    ),
    listeners,
    routes: fromBinary(
      RouteConfigurationSchema,
      binding.view(TYPE_URLS.route)!.get("80")!.bytes,
    ).virtualHosts.flatMap(({ domains }) => domains.filter((one) => /^10\.[\d.]+$/.test(one)))
      .sort(),
  };
}

Deno.test("a proxy uses the address of its own cluster, and of the first cluster without one", () => {
  const bench = startTranslation();
  bench.apply({ objects: SERVICES.map(changeOf) });
  const own = {
    names: {
      "both": "10.96.0.1",
      "only-a": "10.96.0.2",
      "only-b": "10.97.0.3",
      "z-clash": "10.96.0.2",
    },
    listeners: { "10.96.0.1": "both", "10.96.0.2": "only-a", "10.97.0.3": "only-b" },
    routes: ["10.96.0.1", "10.96.0.2", "10.97.0.1", "10.97.0.3"],
  };
  assert.deepEqual(seenBy(bench), own);
  assert.deepEqual(seenBy(bench, "unknown"), own);
  assert.deepEqual(seenBy(bench, "b"), {
    ...own,
    names: { ...own.names, both: "10.97.0.1" },
    listeners: { "10.97.0.1": "both", "10.96.0.2": "z-clash", "10.97.0.3": "only-b" },
  });
});

Deno.test("the addresses of a cluster follow its Services", () => {
  const bench = startTranslation();
  bench.apply({ objects: SERVICES.map(changeOf) });
  const both = SERVICES[1]!;
  bench.apply({ objects: [{ ...changeOf(both), object: undefined }] });
  assert.equal(seenBy(bench, "b").names["both"], "10.96.0.1");
  bench.apply({ objects: [changeOf(service("both", "10.97.0.9", "b"))] });
  assert.equal(seenBy(bench, "b").names["both"], "10.97.0.9");
  assert.equal(seenBy(bench).names["both"], "10.96.0.1");
});
