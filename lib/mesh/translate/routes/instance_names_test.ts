/** Names of the instances of a headless Service are names of its virtual hosts. */
import assert from "node:assert/strict";
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { manifest, serviceEntry, type Spec, to } from "../../../../tests/support/manifest.ts";
import { objectsOf, serviceFacts } from "../../../../tests/support/mesh_fixture.ts";
import {
  changeOf,
  proxyNode,
  startTranslation,
  TAKES_PARTS,
} from "../../../../tests/support/translation_fixture.ts";
import type { ConfigObject } from "../../model/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const HOST = "db.test.svc.cluster.local";

/** The row of a Service with an HTTP port. */
function row(port: number, headless = true): ConfigObject<ServiceEntry> {
  const address: Spec = headless ? {} : { addresses: ["10.96.0.1"] };
  const more = { resolution: headless ? "NONE" : "STATIC", endpoints: [], ...address };
  const [object] = objectsOf(serviceEntry("db", [HOST], { number: port, protocol: "HTTP" }, more));
  return { ...object as ConfigObject<ServiceEntry>, service: serviceFacts({ headless }) };
}

const named = (host: string): string =>
  manifest("VirtualService", "named", { hosts: [host], http: [to(HOST)] });

const FULL = [HOST, `${HOST}.`, "db.test", "db.test.svc"];
const below = (names: readonly string[]): string[] => names.map((name) => `*.${name}`);

const CASES: readonly [
  what: string,
  service: ConfigObject<ServiceEntry>,
  namespace: string,
  documents: readonly string[],
  domains: readonly string[],
][] = [
  ["its own namespace", row(80), "test", [], [...FULL, "db", ...below([...FULL, "db"])]],
  ["another namespace", row(80), "other", [], [...FULL, ...below(FULL)]],
  ["a Service with an address", row(80, false), "other", [], [...FULL, "10.96.0.1"]],
  ["names that a VirtualService has", row(80), "other", [named(`*.${HOST}`)], [
    ...FULL,
    ...below(FULL.slice(2)),
  ]],
  ["names that a VirtualService has at port 80 only", row(81), "other", [named(`*.${HOST}`)], [
    ...FULL,
    ...below(FULL),
  ]],
];

for (const [what, service, namespace, documents, expected] of CASES) {
  Deno.test(`names of instances: ${what}`, () => {
    const bench = startTranslation();
    bench.apply({ objects: [changeOf(service)] });
    for (const text of documents) bench.set(text);
    const [{ number: port } = { number: 0 }] = service.spec.ports;
    const name = `${HOST}:${port}`;
    const plain = bench.translation.source.bind(proxyNode(namespace), () => {});
    const table = plain.view(TYPE_URLS.route)!.get(`${port}`)!;
    const { virtualHosts } = fromBinary(RouteConfigurationSchema, table.bytes);
    const whole = virtualHosts.find((one) => one.name === name)!;
    assert.deepEqual([...whole.domains].sort(), [...expected].sort());
    const apart = bench.translation.source.bind(proxyNode(namespace, TAKES_PARTS), () => {});
    const part = apart.view(TYPE_URLS.virtualHost)!.get(`${port}/${name}`)!;
    assert.deepEqual(fromBinary(VirtualHostSchema, part.bytes).domains, whole.domains);
  });
}
