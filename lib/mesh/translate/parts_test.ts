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

/** Items of a list that is divided, and of one that is not. */
const [MANY, FEW] = [1_000, 10];

type Make = <T>(make: (i: number) => T) => T[];
const times = (count: number): Make => (make) => Array.from({ length: count }, (_, i) => make(i));
const route = [{ destination: { host: "a.test" } }];
const rules = (many: Make) => [
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
const policy = (rules: readonly unknown[]): string =>
  manifest("AuthorizationPolicy", "large", { rules }).replace("networking", "security");

const entry = (many: Make, number: number, protocol: string): string =>
  manifest("ServiceEntry", "large", {
    hosts: ["large.test"],
    addresses: many((i) => `10.0.${i >> 8}.${i & 255}`),
    ports: [{ number, name: "a", protocol }],
    resolution: "STATIC",
    endpoints: [{ address: "172.16.0.2" }],
  });

/** Objects with long lists, and the parts of their translation at least. */
const LARGE: readonly [string, number, (many: Make) => string][] = [
  [
    "rules of a host",
    6,
    (many) => manifest("VirtualService", "large", { hosts: ["a.test"], http: rules(many) }),
  ],
  ["rules of a gateway", 6, (many) =>
    manifest("VirtualService", "large", {
      hosts: ["g.test"],
      gateways: ["g"],
      http: rules(many),
    })],
  ["headers of rules", 6, (many) =>
    manifest("VirtualService", "large", {
      hosts: ["a.test"],
      http: [0, 1, 2, 3].map((i) => ({
        match: [{ uri: { prefix: `/p${i}/` } }],
        headers: { request: { set: Object.fromEntries(many((j) => [`x-${j}`, "v"])) } },
        route,
      })),
    })],
  [
    "hosts of a VirtualService",
    3,
    (many) =>
      manifest("VirtualService", "large", { hosts: many((i) => `h${i}.test`), http: [{ route }] }),
  ],
  ["ports of a PeerAuthentication", 3, (many) =>
    manifest("PeerAuthentication", "large", {
      selector: { matchLabels: { app: "own" } },
      portLevelMtls: Object.fromEntries(many((i) => [1_000 + i, { mode: "STRICT" }])),
    }).replace("networking", "security")],
  ["subsets of a DestinationRule", 3, (many) =>
    manifest("DestinationRule", "large", {
      host: "a.test",
      subsets: many((i) => ({ name: `s${i}`, labels: { version: `v${i}` } })),
    })],
  ["servers of a Gateway", 30, (many) =>
    manifest("Gateway", "large", {
      selector: { app: "own" },
      servers: many((i) => ({
        port: { number: 443, name: `https-${i}`, protocol: "HTTPS" },
        tls: { mode: "SIMPLE", credentialName: `c${i}` },
        hosts: [`h${i}.test`],
      })),
    })],
  ["TCP addresses of a ServiceEntry", 12, (many) => entry(many, 5432, "TCP")],
  ["HTTP addresses of a ServiceEntry", 6, (many) => entry(many, 80, "HTTP")],
  [
    "rules of an AuthorizationPolicy",
    9,
    (many) => policy(many((i) => ({ to: [{ operation: { paths: [`/p${i}`] } }] }))),
  ],
  [
    "addresses of an AuthorizationPolicy",
    12,
    (many) =>
      policy([{ from: [{ source: { ipBlocks: many((i) => `10.0.${i >> 8}.${i & 255}`) } }] }]),
  ],
  [
    "operations of an AuthorizationPolicy",
    9,
    (many) => policy([{ to: many((i) => ({ operation: { paths: [`/p${i}`] } })) }]),
  ],
  [
    "conditions of an AuthorizationPolicy",
    9,
    (many) =>
      policy([{ when: many((i) => ({ key: `request.headers[x-${i}]`, values: ["v", "w*"] })) }]),
  ],
];

/** The resources of a sidecar and a gateway after the publication of an object, and the number of slices. */
function served(large: string, divided: boolean) {
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
  writer.write({ objects: objectsOf(large).map(changeOf) });
  let slices = 1;
  while (!translation.precompute(0)) slices++;
  const { computed } = graph.stats();
  translation.publish();
  const later = graph.stats().computed - computed;
  return { slices, later, sidecar: everything(sidecar), gateway: everything(gateway) };
}

for (const [what, least, textOf] of LARGE) {
  Deno.test(`${what}: translated in parts to what they are at once`, () => {
    const text = textOf(times(MANY));
    const [whole, divided] = [served(text, false), served(text, true)];
    assert.equal(whole.slices, 1);
    const parts = divided.slices - served(textOf(times(FEW)), true).slices;
    assert.ok(parts >= least, `${parts} parts`);
    assert.deepEqual(divided.sidecar, whole.sidecar);
    assert.deepEqual(divided.gateway, whole.gateway);
    assert.equal(divided.later, whole.later);
  });
}
