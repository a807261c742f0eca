/** Hosts that VirtualServices route at port 80 without a service there. */
import assert from "node:assert/strict";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { documents, manifest, serviceEntry, to } from "../../../../tests/support/manifest.ts";
import {
  proxyNode,
  startTranslation,
  TAKES_PARTS,
} from "../../../../tests/support/translation_fixture.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const service = (host: string, number: number, protocol = "HTTP"): string =>
  serviceEntry(host.replace("*", "any").split(".")[0]!, [host], { number, protocol }, [
    { address: "10.0.0.1" },
  ]);

const route = (host: string): string =>
  manifest("VirtualService", host.replace("*", "any").split(".")[0]!, {
    hosts: [host],
    http: [to("web.test")],
  });

const sidecar = (...hosts: string[]): string => manifest("Sidecar", "own", { egress: [{ hosts }] });

const WEB = service("web.test", 80);

const CASES: readonly [what: string, objects: readonly string[], hosts: readonly string[]][] = [
  ["a host without a service", [route("x.test")], ["x.test:80"]],
  ["a service without port 80", [service("x.test", 81), route("x.test")], ["x.test:80"]],
  ["a service whose port 80 is TCP", [service("x.test", 80, "TCP"), route("x.test")], []],
  ["a wildcard that covers a service", [service("x.more.test", 80), route("*.more.test")], [
    "x.more.test:80",
  ]],
  ["a wildcard that covers services at other ports", [
    service("x.more.test", 81),
    route("*.more.test"),
  ], ["*.more.test:80"]],
  ["a wildcard that covers no service", [route("*.more.test")], ["*.more.test:80"]],
  ["a wildcard that covers a service that a Sidecar does not import", [
    service("x.more.test", 80).replace("namespace: test", "namespace: other"),
    route("*.more.test"),
    sidecar("./*"),
  ], ["*.more.test:80"]],
  ["what a Sidecar imports", [
    service("x.test", 81),
    route("x.test"),
    service("y.more.test", 80),
    route("*.more.test"),
    sidecar("./*"),
  ], ["x.test:80", "y.more.test:80"]],
];

for (const [what, objects, hosts] of CASES) {
  Deno.test(`routed at port 80: ${what}`, () => {
    const bench = startTranslation();
    bench.set(documents(WEB, ...objects));
    const expected = [...hosts, "web.test:80"].sort();
    const plain = bench.translation.source.bind(proxyNode("test"), () => {});
    const table = fromBinary(
      RouteConfigurationSchema,
      plain.view(TYPE_URLS.route)!.get("80")!.bytes,
    );
    const names = table.virtualHosts.map(({ name }) => name).filter((name) => name !== "allow_any");
    assert.deepEqual(names.sort(), expected);
    const apart = bench.translation.source.bind(proxyNode("test", TAKES_PARTS), () => {});
    const parts = [...apart.view(TYPE_URLS.virtualHost)!.entries()].map(({ name }) => name)
      .filter((name) => name.startsWith("80/"));
    assert.deepEqual(parts.sort(), expected.map((name) => `80/${name}`));
  });
}

Deno.test("a wildcard stands for a service from when it comes until it goes", () => {
  const bench = startTranslation();
  bench.set(documents(WEB, route("*.more.test")));
  const binding = bench.translation.source.bind(proxyNode("test"), () => {});
  const hosts = () =>
    fromBinary(RouteConfigurationSchema, binding.view(TYPE_URLS.route)!.get("80")!.bytes)
      .virtualHosts.map(({ name }) => name).filter((name) => name.includes("more"));
  assert.deepEqual(hosts(), ["*.more.test:80"]);
  bench.set(service("x.more.test", 80));
  assert.deepEqual(hosts(), ["x.more.test:80"]);
  bench.remove("ServiceEntry", "test/x");
  assert.deepEqual(hosts(), ["*.more.test:80"]);
});
