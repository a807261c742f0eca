/** Services of the type `ExternalName`: aliases of hosts that the mesh has, and otherwise nothing. */
import assert from "node:assert/strict";
import { objectsOf, serviceFacts } from "../../../../tests/support/mesh_fixture.ts";
import {
  type Bench,
  changeOf,
  contentOf,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import type { ProxyBinding, ServiceFacts } from "../../model/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";

const WEB = "web.shop.svc.cluster.local";
const ALIAS = "store.bank.svc.cluster.local";

/** Sets a Service with an HTTP and a TCP port, or an alias, which has none. */
function setService(bench: Bench, host: string, facts: Partial<ServiceFacts> = {}): void {
  const [name, namespace] = host.split(".");
  const [object] = objectsOf(`apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  hosts: [${host}]
  location: MESH_INTERNAL
  resolution: STATIC
  addresses: [${facts.alias === undefined ? "10.96.0.1" : ""}]
  ports: [${
    facts.alias === undefined
      ? "{number: 80, name: http, protocol: HTTP}, {number: 90, name: tcp, protocol: TCP}"
      : ""
  }]
`);
  const change = changeOf(object!);
  const service = serviceFacts(facts);
  bench.apply({
    objects: [{
      ...change,
      object: { ...change.object!, service, digest: JSON.stringify(service) },
    }],
  });
}

/** Domain → cluster or status of the first route, in the route table of port 80. */
function routesOf(binding: ProxyBinding): Record<string, string> {
  const { bytes } = binding.view(TYPE_URLS.route)!.get("80")!;
  const { virtualHosts } = fromBinary(RouteConfigurationSchema, bytes);
  return Object.fromEntries(
    virtualHosts.flatMap(({ domains, routes }) => {
      const action = routes[0]?.action;
      const target = action?.case === "route" && action.value.clusterSpecifier.case === "cluster"
        ? action.value.clusterSpecifier.value
        : JSON.stringify(action?.case);
      return domains.map((domain) => [domain, target]);
    }),
  );
}

const TEAPOT = (exportTo: string): string =>
  `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: teapot, namespace: shop}
spec:
  hosts: [${WEB}]
  exportTo: ["${exportTo}"]
  http: [{directResponse: {status: 418}}]
`;

Deno.test("requests to an alias go to the clusters of the other Service, and obey its rules", () => {
  const bench = startTranslation();
  setService(bench, WEB);
  setService(bench, ALIAS, { alias: WEB });
  const [bank, shop] = ["bank", "shop"]
    .map((namespace) => bench.translation.source.bind(proxyNode(namespace), () => {}));
  const cluster = `outbound|80||${WEB}`;
  assert.equal(routesOf(bank!)[ALIAS], cluster);
  assert.equal(routesOf(bank!)["store"], cluster);
  assert.equal(routesOf(shop!)["store.bank"], cluster);
  // The alias has no resources of its own but virtual hosts.
  for (const type of [TYPE_URLS.cluster, TYPE_URLS.endpoint, TYPE_URLS.listener]) {
    const names = Object.keys(contentOf(bank!.view(type)));
    assert.deepEqual(names.filter((name) => name.includes("store")), []);
  }
  assert.ok(Object.keys(contentOf(bank!.view(TYPE_URLS.listener))).includes("10.96.0.1_90"));

  bench.set(TEAPOT("*"));
  for (const one of [bank!, shop!]) assert.equal(routesOf(one)[ALIAS], '"directResponse"');
  // A rule that only one namespace sees applies to the alias there.
  bench.set(TEAPOT("."));
  assert.equal(routesOf(shop!)[ALIAS], '"directResponse"');
  assert.equal(routesOf(bank!)[ALIAS], cluster);
});

/** A host outside of the orchestrator. */
const PARTNER = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: partner, namespace: shop}
spec:
  hosts: [api.example]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}, {number: 90, name: tcp, protocol: TCP}]
  endpoints: [{address: 192.0.2.1}]
`;

/** Names of resources of all types that have a text in them, and domains of the route table. */
function tracesOf(binding: ProxyBinding, text: string): string[] {
  const names = [TYPE_URLS.cluster, TYPE_URLS.endpoint, TYPE_URLS.listener, TYPE_URLS.route]
    .flatMap((type) => Object.keys(contentOf(binding.view(type))));
  const routes = binding.view(TYPE_URLS.route)!.get("80") === undefined ? {} : routesOf(binding);
  return [...names, ...Object.keys(routes)].filter((name) => name.includes(text));
}

Deno.test("an alias of a host that the mesh does not have is nothing until it has it", () => {
  const bench = startTranslation();
  setService(bench, WEB);
  const second = "second.bank.svc.cluster.local";
  setService(bench, second, { alias: ALIAS });
  setService(bench, ALIAS, { alias: "api.example" });
  setService(bench, "loop.bank.svc.cluster.local", { alias: "loop.bank.svc.cluster.local" });
  const binding = bench.translation.source.bind(proxyNode("bank"), () => {});
  const traces = () => ["store", "second", "loop"].flatMap((text) => tracesOf(binding, text));
  assert.deepEqual(traces(), []);

  bench.set(PARTNER);
  assert.equal(routesOf(binding)[ALIAS], "outbound|80||api.example");
  assert.equal(routesOf(binding)[second], "outbound|80||api.example", "an alias of an alias");
  assert.deepEqual(tracesOf(binding, "|store"), []);
  bench.remove("ServiceEntry", "shop/partner");
  assert.deepEqual(traces(), []);

  // A definition of the host itself goes before the alias.
  bench.set(PARTNER.replace("api.example", ALIAS).replace("namespace: shop", "namespace: bank"));
  assert.equal(routesOf(binding)[ALIAS], `outbound|80||${ALIAS}`);
});

Deno.test("an alias of a host that only some namespaces see acts there alone", () => {
  const bench = startTranslation();
  setService(bench, WEB);
  setService(bench, ALIAS, { alias: "api.example" });
  bench.set(PARTNER.replace("spec:", "spec:\n  exportTo: [bank]"));
  const [bank, shop] = ["bank", "shop"]
    .map((namespace) => bench.translation.source.bind(proxyNode(namespace), () => {}));
  assert.equal(routesOf(bank!)[ALIAS], "outbound|80||api.example");
  assert.equal(routesOf(shop!)[ALIAS], undefined);
});

Deno.test("a Sidecar that imports an alias imports the host that it stands for", () => {
  const bench = startTranslation();
  setService(bench, WEB);
  setService(bench, ALIAS, { alias: WEB });
  bench.set(`apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: own, namespace: bank}
spec: {egress: [{hosts: ["./*"]}]}
`);
  const binding = bench.translation.source.bind(proxyNode("bank"), () => {});
  assert.equal(routesOf(binding)[ALIAS], `outbound|80||${WEB}`);
  assert.ok(Object.hasOwn(contentOf(binding.view(TYPE_URLS.cluster)), `outbound|80||${WEB}`));
  // TCP has no name: nothing but the other host's address leads there.
  const listeners = Object.keys(contentOf(binding.view(TYPE_URLS.listener)));
  assert.deepEqual(listeners.filter((name) => name.endsWith("_90")), []);
});

Deno.test("a rule that names an alias as its destination means the other Service", () => {
  const bench = startTranslation();
  setService(bench, WEB);
  setService(bench, ALIAS, { alias: WEB });
  bench.set(`apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: front, namespace: bank}
spec:
  hosts: [front.example]
  http: [{route: [{destination: {host: store, port: {number: 80}}}]}]
`);
  const binding = bench.translation.source.bind(proxyNode("bank"), () => {});
  assert.equal(routesOf(binding)["front.example"], `outbound|80||${WEB}`);
});
