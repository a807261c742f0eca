/** Clients' proxies and undeclared ports: ALPN under mutual TLS, and the version of HTTP. */
import assert from "node:assert/strict";
import { documents, manifest } from "../../../../tests/support/manifest.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { showResource } from "../../../insight/diff/mod.ts";
import type { ProxyNode } from "../../model/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const FILES = Object.fromEntries(
  ["SERVER", "CLIENT"].flatMap((side) =>
    ["CERT_CHAIN", "KEY", "ROOT_CERT"].map((part) => [`TLS_${side}_${part}`, `/etc/${part}`])
  ),
);

const INPUT = documents(
  ...(["", "HTTP", "TCP"] as const).map((protocol, at) =>
    manifest("ServiceEntry", `s${at}`, {
      hosts: [`s${at}.test`],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: 80 + at, name: "main", protocol }],
      endpoints: [{ address: "10.0.0.1", labels: { "security.mesh.io/tlsMode": "mesh" } }],
    })
  ),
  manifest("Gateway", "edge", {
    selector: { app: "edge" },
    servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
  }),
);

/** Reports if a resource of a proxy has application protocols. */
function says(node: ProxyNode, type: "cluster" | "listener", name: string, what: string): boolean {
  const bench = startTranslation();
  bench.set(INPUT);
  const binding = bench.translation.source.bind(node, () => {});
  const found = binding.view(TYPE_URLS[type])!.get(name);
  assert.ok(found !== undefined, name);
  return JSON.stringify(showResource(TYPE_URLS[type], found.bytes)).includes(what);
}

Deno.test("clusters of ports without a protocol have options for detected HTTP", () => {
  const sidecar = proxyNode("test", { metadata: FILES });
  const plain = proxyNode("test");
  const edge = { role: "router", labels: { app: "edge" } } as const;
  const word = '"alpn":"mesh-http/1.1,mesh"';
  const filter = "envoy.network.application_protocols";
  const cases = [
    [sidecar, "cluster", "outbound|80||s0.test", word, true],
    [sidecar, "cluster", "outbound|81||s1.test", word, false],
    [sidecar, "cluster", "outbound|82||s2.test", word, false],
    [plain, "cluster", "outbound|80||s0.test", word, false],
    [sidecar, "listener", "0.0.0.0_80", filter, true],
    [sidecar, "listener", "0.0.0.0_81", filter, false],
    [proxyNode("test", { ...edge, metadata: FILES }), "listener", "0.0.0.0_80", filter, true],
    [proxyNode("test", edge), "listener", "0.0.0.0_80", filter, false],
  ] as const;
  for (const [node, type, name, what, there] of cases) {
    assert.equal(says(node, type, name, what), there, `${node.role} ${type} ${name}`);
  }
});

Deno.test("to a port without a protocol sidecars speak what clients speak, gateways HTTP/1.1", () => {
  const downstream = "useDownstreamProtocolConfig";
  const edge = proxyNode("test", { role: "router", labels: { app: "edge" } });
  const cases = [
    [proxyNode("test"), "outbound|80||s0.test", true],
    [edge, "outbound|80||s0.test", false],
    [edge, "outbound|81||s1.test", false],
  ] as const;
  for (const [node, name, there] of cases) {
    assert.equal(says(node, "cluster", name, downstream), there, `${node.role} ${name}`);
  }
});
