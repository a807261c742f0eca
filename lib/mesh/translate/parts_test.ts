/** Large objects that are translated in parts, in many slices, are what they are at once. */
import assert from "node:assert/strict";
import {
  changeOf,
  everything,
  proxyNode,
  startTranslation,
} from "../../../tests/support/translation_fixture.ts";
import { documents, manifest } from "../../../tests/support/manifest.ts";
import { objectsOf } from "../../../tests/support/mesh_fixture.ts";
import { createGraph } from "../graph/mod.ts";

const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 1_000 }, (_, i) => make(i));
const route = [{ destination: { host: "a.test" } }];
const rules = [
  ...many((i) => ({ match: [{ uri: { prefix: `/p${i}/` } }], route })),
  { route },
  { match: [{ uri: { prefix: "/never" } }], route },
];

const BEFORE = documents(
  manifest("ServiceEntry", "a", {
    hosts: ["a.test"],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    endpoints: [{ address: "172.16.0.1" }],
  }),
  manifest("Gateway", "g", {
    selector: { app: "own" },
    servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
  }),
);
const LARGE = documents(
  manifest("VirtualService", "mesh", { hosts: ["a.test"], http: rules }),
  manifest("VirtualService", "gateway", { hosts: ["g.test"], gateways: ["g"], http: rules }),
  manifest("VirtualService", "hosts", { hosts: many((i) => `h${i}.test`), http: [{ route }] }),
  manifest("PeerAuthentication", "ports", {
    selector: { matchLabels: { app: "own" } },
    portLevelMtls: Object.fromEntries(many((i) => [1_000 + i, { mode: "STRICT" }])),
  }).replace("networking", "security"),
);

/** The resources of a sidecar and a gateway after a publication of large objects, and the number of slices. */
function served(divided: boolean) {
  let time = 0;
  // The clock moves with each look, so that a slice of 0 ms is one part.
  const graph = createGraph(divided ? { now: () => ++time } : {});
  const { translation, writer, set } = startTranslation(undefined, undefined, graph);
  set(BEFORE);
  const bind = (role: "sidecar" | "router") =>
    translation.source.bind(proxyNode("test", { role, labels: { app: "own" } }), () => {});
  const [sidecar, gateway] = [bind("sidecar"), bind("router")];
  everything(sidecar);
  everything(gateway);
  writer.write({ objects: objectsOf(LARGE).map(changeOf) });
  let slices = 1;
  while (!translation.precompute(0)) slices++;
  const { computed } = graph.stats();
  translation.publish();
  const later = graph.stats().computed - computed;
  return { slices, later, sidecar: everything(sidecar), gateway: everything(gateway) };
}

Deno.test("large objects are translated in parts to what they are at once", () => {
  const [whole, divided] = [served(false), served(true)];
  assert.equal(whole.slices, 1);
  assert.ok(divided.slices > 20, `${divided.slices} slices`);
  assert.deepEqual(divided.sidecar, whole.sidecar);
  assert.deepEqual(divided.gateway, whole.gateway);
  assert.equal(divided.later, whole.later);
});
