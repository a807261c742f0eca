/** Patches of route tables of one host, at ports whose protocol is detected, and of the HTTP proxy port. */
import assert from "node:assert/strict";
import { documents, manifest, type Spec } from "../../../../tests/support/manifest.ts";
import {
  proxyNode,
  startTranslation,
  TAKES_PARTS,
} from "../../../../tests/support/translation_fixture.ts";
import { parseMeshConfig } from "../../schema/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const TABLE = "a.test:7000";

const SERVICE = manifest("ServiceEntry", "a", {
  hosts: ["a.test"],
  resolution: "STATIC",
  ports: [{ number: 7000, name: "main" }],
  addresses: ["240.0.0.1"],
  endpoints: [{ address: "10.0.0.1" }],
});

const BY_LABELS = manifest("VirtualService", "a", {
  hosts: ["a.test"],
  http: [{
    match: [{ sourceLabels: { app: "web" } }],
    timeout: "3s",
    route: [{ destination: { host: "a.test" } }],
  }],
});

const SIDECAR = manifest("Sidecar", "own", { egress: [{ hosts: ["./*"] }] });

function patch(routeConfiguration: Spec): string {
  return manifest("DataproxyFilter", "f", {
    configPatches: [{
      applyTo: "VIRTUAL_HOST",
      match: { context: "SIDECAR_OUTBOUND", routeConfiguration },
      patch: {
        operation: "MERGE",
        value: { request_headers_to_add: [{ header: { key: "x-patched", value: "1" } }] },
      },
    }],
  }).replace("networking.mesh.io/v1", "networking.mesh.io/v1alpha3");
}

const WORLDS: readonly [what: string, more: readonly string[]][] = [
  ["without rules", []],
  ["with rules for labels", [BY_LABELS]],
  ["with a Sidecar", [SIDECAR]],
  ["of a host that one namespace sees", []],
];

for (const [what, more] of WORLDS) {
  Deno.test(`patches act on detected ports ${what}`, () => {
    const service = what.includes("namespace")
      ? SERVICE.replace("  hosts:", "  exportTo: ['.']\n  hosts:")
      : SERVICE;
    for (const takes of [{}, TAKES_PARTS]) {
      const served = (match: Spec): boolean => {
        const bench = startTranslation();
        bench.set(documents(service, ...more, patch(match)));
        const node = proxyNode("test", { ...takes, labels: { app: "web" } });
        const view = bench.translation.source.bind(node, () => {}).view(TYPE_URLS.route)!;
        return new TextDecoder().decode(view.get(TABLE)!.bytes).includes("x-patched");
      };
      assert.ok(served({}));
      assert.ok(served({ name: TABLE }));
      assert.ok(served({ portNumber: 7000 }));
      assert.ok(served({ vhost: { name: TABLE } }));
      assert.ok(!served({ name: "7000" }));
      assert.ok(!served({ portNumber: 7001 }));
    }
  });
}

Deno.test("patches act on the table of the HTTP proxy port", () => {
  const bench = startTranslation(parseMeshConfig("proxyHttpPort: 3128", "mesh").value);
  bench.set(documents(SERVICE, patch({ name: "http_proxy" })));
  const view = bench.translation.source.bind(proxyNode("test"), () => {}).view(TYPE_URLS.route)!;
  assert.ok(new TextDecoder().decode(view.get("http_proxy")!.bytes).includes("x-patched"));
});
