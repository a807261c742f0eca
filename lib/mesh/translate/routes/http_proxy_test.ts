import assert from "node:assert/strict";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import {
  proxyNode,
  startTranslation,
  TAKES_PARTS,
} from "../../../../tests/support/translation_fixture.ts";
import type { ProxyBinding } from "../../model/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { parseMeshConfig } from "../../schema/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const entry = (name: string, ports: string): string =>
  `apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: ${name}, namespace: one}

spec:
  hosts: [${name}.example]
  resolution: STATIC
  ports: [${ports}]
  endpoints: [{address: 10.0.0.1}]

`;

const SERVICES = [
  entry("a", "{number: 80, name: http, protocol: HTTP}, {number: 8080, name: alt, protocol: HTTP}"),
  entry("b", "{number: 8080, name: http, protocol: HTTP}"),
].join("---\n");

function domainsOf(binding: ProxyBinding): string[] | undefined {
  const table = binding.view(TYPE_URLS.route)!.get("http_proxy");
  return table &&
    fromBinary(RouteConfigurationSchema, table.bytes).virtualHosts.flatMap((v) => v.domains);
}

Deno.test("tables of one port take a host whatever port clients name, those of many go by it", () => {
  const bench = startTranslation();
  bench.set(SERVICES);
  for (const kind of [{}, TAKES_PARTS]) {
    const node = proxyNode("one", { metadata: { HTTP_PROXY_PORT: "3128" }, ...kind });
    const binding = bench.translation.source.bind(node, () => {});
    const ignores = (name: string): boolean =>
      fromBinary(RouteConfigurationSchema, binding.view(TYPE_URLS.route)!.get(name)!.bytes)
        .ignorePortInHostMatching;
    assert.deepEqual(["80", "8080", "http_proxy"].map(ignores), [true, true, false]);
  }
});

const ALL = [
  ...["a.example", "a.example:80", "a.example.", "a.example.:80"],
  ...["a.example:8080", "a.example.:8080", "b.example:8080", "b.example.:8080", "*"],
];

Deno.test("workloads use their proxy as an HTTP proxy where it says that it is one", () => {
  const bench = startTranslation();
  bench.set(SERVICES);
  for (const kind of [{}, TAKES_PARTS]) {
    const metadata = { HTTP_PROXY_PORT: "3128" };
    const node = proxyNode("one", { metadata, ...kind });
    const binding = bench.translation.source.bind(node, () => {});
    assert.deepEqual(domainsOf(binding), ALL);
    const listener = binding.view(TYPE_URLS.listener)!.get("127.0.0.1_3128")!;
    assert.notEqual(fromBinary(ListenerSchema, listener.bytes).bindToPort, false);
  }
  const other = bench.translation.source.bind(proxyNode("one"), () => {});
  assert.equal(domainsOf(other), undefined);
});

Deno.test("the mesh may make all proxies ones, of what their Sidecars import", () => {
  const mesh = (port: number) => parseMeshConfig(`proxyHttpPort: ${port}`, "mesh").value;
  const bench = startTranslation(mesh(3128));
  bench.set(SERVICES);
  const binding = bench.translation.source.bind(proxyNode("one"), () => {});
  assert.deepEqual(domainsOf(binding), ALL);
  bench.set(`apiVersion: networking.mesh.io/v1

kind: Sidecar

metadata: {name: s, namespace: one}

spec: {egress: [{hosts: [one/b.example]}], outboundTrafficPolicy: {mode: REGISTRY_ONLY}}

`);
  assert.deepEqual(domainsOf(binding), ["b.example:8080", "b.example.:8080", "*"]);
  bench.remove("Sidecar", "one/s");
  bench.set(entry("b", "{number: 9090, name: http, protocol: HTTP}"));
  assert.deepEqual(
    domainsOf(binding),
    ALL.map((d) => d.replace(/^(b\.example\.?):8080$/, "$1:9090")),
  );
  bench.apply({ mesh: parseMeshConfig("rootNamespace: x", "mesh").value });
  assert.equal(domainsOf(binding), undefined);
  assert.equal(binding.view(TYPE_URLS.listener)!.get("127.0.0.1_3128"), undefined);
});

Deno.test("connections are shared out evenly where a proxy asks for it", () => {
  const bench = startTranslation();
  const balanceOf = (key: string, name: string) => {
    const node = proxyNode("one", { metadata: { [key]: "true" } });
    const binding = bench.translation.source.bind(node, () => {});
    const { bytes } = binding.view(TYPE_URLS.listener)!.get(name)!;
    return fromBinary(ListenerSchema, bytes).connectionBalanceConfig?.balanceType.case;
  };
  const inbound = "INBOUND_LISTENER_EXACT_BALANCE";
  assert.equal(balanceOf(inbound, "virtualInbound"), "exactBalance");
  assert.equal(balanceOf(inbound, "virtualOutbound"), undefined);
  const outbound = "OUTBOUND_LISTENER_EXACT_BALANCE";
  assert.equal(balanceOf(outbound, "virtualOutbound"), "exactBalance");
});

Deno.test("rules for callers of certain labels act at an HTTP proxy port, for those alone", () => {
  const bench = startTranslation();
  bench.set(`${SERVICES}---

apiVersion: networking.mesh.io/v1

kind: VirtualService

metadata: {name: a, namespace: one}

spec:
  hosts: [a.example]
  http:
  - {name: web, match: [{sourceLabels: {app: web}}], route: [{destination: {host: b.example}}]}
  - {name: all, route: [{destination: {host: a.example}}]}

---

apiVersion: networking.mesh.io/v1

kind: Sidecar

metadata: {name: s, namespace: one}

spec: {workloadSelector: {labels: {scoped: "yes"}}, egress: [{hosts: [one/*]}]}

`);
  const metadata = { HTTP_PROXY_PORT: "3128" };
  const table = (labels: Record<string, string>) =>
    bench.translation.source.bind(proxyNode("one", { metadata, labels }), () => {})
      .view(TYPE_URLS.route)!.get("http_proxy")!;
  const first = (labels: Record<string, string>): (string | undefined)[] =>
    fromBinary(RouteConfigurationSchema, table(labels).bytes).virtualHosts
      .filter(({ name }) => name.startsWith("a.example:")).map(({ routes }) => routes[0]?.name);
  assert.deepEqual(first({ app: "web" }), ["web", "web"]);
  assert.deepEqual(first({ app: "web", scoped: "yes" }), ["web", "web"]);
  assert.deepEqual(first({ app: "other" }), ["all", "all"]);
  assert.equal(table({ app: "other" }).bytes, table({}).bytes);
});

Deno.test("clients of an HTTP proxy port open ways to services' ports, whatever these carry", () => {
  const bench = startTranslation();
  const port = (name: string, ports: string): string => entry(name, ports);
  bench.set([
    SERVICES,
    port("db", "{number: 5432, name: tcp, protocol: TCP}, {number: 53, name: dns, protocol: UDP}"),
    port("api", "{number: 443, name: https, protocol: HTTPS}"),
    `apiVersion: networking.mesh.io/v1

kind: VirtualService

metadata: {name: nobody, namespace: one}

spec: {hosts: [nobody.example], http: [{route: [{destination: {host: a.example}}]}]}

`,
  ].join("---\n"));
  const metadata = { HTTP_PROXY_PORT: "3128" };
  const binding = bench.translation.source.bind(proxyNode("one", { metadata }), () => {});
  const ways = (): Record<string, string> => {
    const { bytes } = binding.view(TYPE_URLS.route)!.get("http_proxy")!;
    return Object.fromEntries(
      fromBinary(RouteConfigurationSchema, bytes).virtualHosts.flatMap(({ domains, routes }) =>
        routes.flatMap(({ match, action }) =>
          match?.pathSpecifier.case === "connectMatcher" && action.case === "route"
            ? [[domains.join(" "), `${action.value.clusterSpecifier.value}`]]
            : []
        )
      ),
    );
  };
  assert.deepEqual(ways(), {
    "a.example a.example:80 a.example. a.example.:80": "outbound|80||a.example",
    "a.example:8080 a.example.:8080": "outbound|8080||a.example",
    "api.example:443 api.example.:443": "outbound|443||api.example",
    "b.example:8080 b.example.:8080": "outbound|8080||b.example",
    "db.example:5432 db.example.:5432": "outbound|5432||db.example",
  });
  bench.set(`apiVersion: networking.mesh.io/v1

kind: Sidecar

metadata: {name: s, namespace: one}

spec: {egress: [{hosts: [one/db.example]}]}

`);
  assert.deepEqual(ways(), { "db.example:5432 db.example.:5432": "outbound|5432||db.example" });
  bench.remove("ServiceEntry", "one/db");
  assert.deepEqual(ways(), {});
  const policy = "outboundTrafficPolicy: {mode: ALLOW_ANY_DYNAMIC_DNS}";
  bench.apply({ mesh: parseMeshConfig(policy, "mesh").value });
  bench.remove("Sidecar", "one/s");
  assert.equal(ways()["*"], "DynamicPassthroughCluster");
});
