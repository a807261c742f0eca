/** Egress listeners of Sidecars that have a port: the listeners of its services' addresses. */
import assert from "node:assert/strict";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import {
  documents,
  manifest,
  serviceEntry,
  type Spec,
} from "../../../../tests/support/manifest.ts";
import { proxyNode, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const service = (name: string, protocol: string, address?: string): string =>
  serviceEntry(name, [`${name}.test`], { number: 90, protocol }, {
    endpoints: [{ address: "10.0.0.1" }],
    ...address === undefined ? {} : { addresses: [address] },
  });

const SERVICES = documents(
  service("tcp", "TCP", "240.0.0.1"),
  service("http", "HTTP", "240.0.0.2"),
  service("found", "", "240.0.0.3"),
  service("plain", "TCP"),
);

const port = (protocol: string): Spec => ({ number: 90, name: "main", protocol });

const CASES: readonly [what: string, egress: Spec, listeners: Record<string, string[]>][] = [
  ["TCP: those of the addresses, whatever services declare", { port: port("TCP") }, {
    "0.0.0.0_90": ["outbound|90||plain.test"],
    "240.0.0.1_90": ["outbound|90||tcp.test"],
    "240.0.0.2_90": ["outbound|90||http.test"],
    "240.0.0.3_90": ["outbound|90||found.test"],
  }],
  ["TCP at an address of its own", { port: port("TCP"), bind: "127.0.0.9" }, {
    "127.0.0.9_90": ["outbound|90||found.test"],
  }],
  ["TCP that is not captured", { port: port("TCP"), captureMode: "NONE" }, {
    "127.0.0.1_90": ["outbound|90||found.test"],
  }],
  ["HTTP: that of the port", { port: port("HTTP") }, { "0.0.0.0_90": [] }],
  ["another port", { port: { ...port("TCP"), number: 91 } }, {}],
];

for (const [what, egress, expected] of CASES) {
  Deno.test(`egress port: ${what}`, () => {
    const bench = startTranslation();
    const hosts = ["./*"];
    bench.set(documents(SERVICES, manifest("Sidecar", "own", { egress: [{ ...egress, hosts }] })));
    const binding = bench.translation.source.bind(proxyNode("test"), () => {});
    const found = [...binding.view(TYPE_URLS.listener)!.entries()]
      .filter(({ name }) => !name.startsWith("virtual"));
    const served = found.map(({ name, bytes }) => {
      assert.equal(fromBinary(ListenerSchema, bytes).name, name);
      const text = new TextDecoder().decode(bytes);
      const clusters = new Set(text.match(/outbound\|90\|\|\w+\.test/g) ?? []);
      return [name, [...clusters]];
    });
    assert.deepEqual(Object.fromEntries(served), expected);
  });
}

/** Reports if the listener of port 90 translates gRPC-Web. */
function translates(...objects: readonly string[]): boolean {
  const bench = startTranslation();
  bench.set(documents(...objects));
  const binding = bench.translation.source.bind(proxyNode("test"), () => {});
  const { bytes } = binding.view(TYPE_URLS.listener)!.get("0.0.0.0_90")!;
  return new TextDecoder().decode(bytes).includes("envoy.filters.http.grpc_web");
}

Deno.test("listeners of ports with gRPC-Web translate it", () => {
  const sidecar = (...egress: Spec[]) => manifest("Sidecar", "own", { egress });
  const web = service("web", "GRPC-WEB");
  const other = service("other", "HTTP");
  assert.equal(translates(other), false);
  assert.equal(translates(other, web), true);
  assert.equal(translates(other, web, sidecar({ hosts: ["./*"] })), true);
  assert.equal(translates(other, web, sidecar({ hosts: ["./other.test"] })), false);
  const ported = { hosts: ["./*"], port: port("GRPC-WEB") };
  assert.equal(translates(other, sidecar(ported)), true);
});
