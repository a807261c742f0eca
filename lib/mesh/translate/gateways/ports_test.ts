/** Ports at which gateways listen: the target ports of their services. */
import assert from "node:assert/strict";
import { documents, manifest } from "../../../../tests/support/manifest.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const IP = "172.16.0.1";

type Ports = readonly (readonly [port: number, target: number])[];

const CASES: readonly [about: string, ports: Ports, named: readonly number[], listened: string][] =
  [
    ["the target port", [[443, 8443]], [443], "8443"],
    ["the named port without a service of it", [[443, 8443]], [80], "80"],
    ["the named port where another port has no other target", [[80, 8080], [8080, 8080]], [
      80,
      8080,
    ], "80,8080"],
    ["a target that is the number of a port with another target", [[443, 8443], [8443, 8444]], [
      443,
      8443,
    ], "8443,8444"],
    ["the least port takes a target of two", [[80, 8080], [81, 8080]], [80, 81], "8080,81"],
  ];

for (const [about, ports, named, listened] of CASES) {
  Deno.test(`a gateway listens at ${about}`, () => {
    const bench = startTranslation();
    bench.set(documents(
      manifest("ServiceEntry", "edge", {
        hosts: ["edge.test"],
        location: "MESH_INTERNAL",
        resolution: "STATIC",
        ports: ports.map(([number, targetPort]) => ({
          number,
          targetPort,
          name: `p${number}`,
          protocol: "TCP",
        })),
        endpoints: [{ address: IP }],
      }),
      manifest("Gateway", "edge", {
        selector: { app: "edge" },
        servers: named.map((number) => ({
          port: { number, name: `p${number}`, protocol: "HTTP" },
          hosts: ["*"],
        })),
      }),
    ));
    const node = proxyNode("test", { role: "router", labels: { app: "edge" }, ip: IP });
    const listeners = bench.translation.source.bind(node, () => {}).view(TYPE_URLS.listener)!;
    const names = [...listeners.names()];
    assert.deepEqual(names.sort(), listened.split(",").map((port) => `0.0.0.0_${port}`));
  });
}
