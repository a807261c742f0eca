/** Requests between sidecars, workloads in ambient mode, waypoints and programs outside: their outcomes and hops. */
import assert from "node:assert/strict";
import {
  type Bench,
  featuresWith,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { manifest, type Spec } from "../../../../tests/support/manifest.ts";
import {
  service,
  USE_WAYPOINT,
  waypoint,
  workload,
} from "../../../../tests/support/ambient_objects.ts";
import { OfflineMesh } from "../../offline/mod.ts";
import type { Explanation } from "../../verdict/mod.ts";

const ADDRESS = {
  caller: "10.0.0.1",
  ambient: "10.0.0.2",
  sidecar: "10.0.0.3",
  client: "10.0.0.4",
  wp: "10.0.0.5",
} as const;

const ports = [{ number: 80, name: "http", protocol: "HTTP", targetPort: 8080 }];
const selecting = (app: string): Spec => ({
  ports,
  location: "MESH_INTERNAL",
  workloadSelector: { labels: { app } },
});
const listing = (address: string): Spec => ({
  ports,
  location: "MESH_EXTERNAL",
  endpoints: [{ address, labels: { app: "outside" } }],
});

const VIPS = {
  sidecar: "10.96.8.1",
  ambient: "10.96.8.2",
  outside: "10.96.8.3",
  "wp-sidecar": "10.96.8.4",
  "wp-ambient": "10.96.8.5",
  "wp-outside": "10.96.8.6",
} as const;

const MESH = [
  workload("caller", ADDRESS.caller),
  workload("ambient", ADDRESS.ambient),
  workload("sidecar", ADDRESS.sidecar, "mesh"),
  workload("client", ADDRESS.client, "mesh"),
  service("sidecar", VIPS.sidecar, selecting("sidecar")),
  service("ambient", VIPS.ambient, selecting("ambient")),
  service("outside", VIPS.outside, listing("10.9.0.1")),
  service("wp-sidecar", VIPS["wp-sidecar"], selecting("sidecar"), USE_WAYPOINT),
  service("wp-ambient", VIPS["wp-ambient"], selecting("ambient"), USE_WAYPOINT),
  service("wp-outside", VIPS["wp-outside"], listing("10.9.0.2"), USE_WAYPOINT),
  waypoint(ADDRESS.wp),
].join("---\n");

function policy(kind: string, spec: Spec, name = "p"): string {
  return manifest(kind, name, spec, "shop").replace("networking.mesh.io", "security.mesh.io");
}

const STRICT = policy("PeerAuthentication", { mtls: { mode: "STRICT" } });

function world(...more: readonly string[]): {
  bench: Bench;
  ask: (from: string, url: string) => Explanation;
} {
  const bench = startTranslation(undefined, featuresWith({ PILOT_ENABLE_AMBIENT: "true" }));
  bench.set([MESH, ...more].join("---\n"));
  const mesh = OfflineMesh.over(bench.translation);
  return { bench, ask: (from, url) => mesh.ask({ from, url }) };
}

/** The outcome in short, with the proxies on the way. */
function shown({ hops, outcomes }: Explanation): string {
  const way = hops.map(({ proxy }) => proxy.replace(/node proxy of /, "~").replace(".shop", ""));
  return `${outcomes.map(({ kind }) => kind).join("+")}: ${way.join(" ")}`;
}

/** From, to → the outcome; under STRICT the same but where another one is given. */
const CELLS: readonly [from: string, to: string, outcome: string, strict?: string][] = [
  ["client.shop", "sidecar.test", "reached: client sidecar"],
  ["client.shop", "ambient.test", "reached: client ~ambient"],
  ["client.shop", "outside.test", "reached: client"],
  ["client.shop", "wp-sidecar.test", "reached: client sidecar"],
  ["client.shop", "wp-ambient.test", "reached: client ~ambient"],
  ["client.shop", "wp-outside.test", "reached: client"],
  ["caller.shop", "sidecar.test", "reached: ~caller sidecar"],
  ["caller.shop", "ambient.test", "reached: ~caller ~ambient"],
  ["caller.shop", "outside.test", "reached: ~caller"],
  ["caller.shop", "wp-sidecar.test", "reached: ~caller wp sidecar"],
  ["caller.shop", "wp-ambient.test", "reached: ~caller wp ~ambient"],
  ["caller.shop", "wp-outside.test", "reached: ~caller wp"],
  ["192.0.2.20", `${ADDRESS.sidecar}:8080`, "reached: sidecar", "refused: sidecar"],
  ["192.0.2.20", `${ADDRESS.ambient}:8080`, "reached: ~ambient", "refused: ~ambient"],
  ["192.0.2.20", "10.9.0.1:8080", "reached: "],
];

for (const [mode, more] of [["PERMISSIVE", []], ["STRICT", [STRICT]]] as const) {
  Deno.test(`explained: sidecars, node proxies, waypoints and programs outside, ${mode}`, () => {
    const { ask } = world(...more);
    const found = CELLS.map(([from, to]) => [from, to, shown(ask(from, `http://${to}/`))]);
    const wanted = CELLS.map(([from, to, outcome, strict = outcome]) => [
      from,
      to,
      mode === "STRICT" ? strict : outcome,
    ]);
    assert.deepEqual(found, wanted);
  });
}

Deno.test("explained: the PeerAuthentication that refuses at a node proxy is named", () => {
  const { ask } = world(STRICT);
  const [outcome] = ask("192.0.2.20", `http://${ADDRESS.ambient}:8080/`).outcomes;
  assert.deepEqual(outcome?.refusal?.causes.map(({ object }) => object), [
    "PeerAuthentication/shop/p",
  ]);
});

const rule = (principal: string): Spec => ({
  from: [{ source: { principals: [`cluster.local/ns/shop/sa/${principal}`] } }],
});
const selector = { selector: { matchLabels: { app: "ambient" } } };

Deno.test("explained: node proxies decide by the client of the tunnel, waypoints by requests", () => {
  const cases: [what: string, spec: Spec, from: string, to: string, outcome: string][] = [
    [
      "denied to the caller",
      { ...selector, action: "DENY", rules: [rule("caller")] },
      "caller.shop",
      "ambient.test",
      "refused: ~caller ~ambient",
    ],
    [
      "denied to another",
      { ...selector, action: "DENY", rules: [rule("client")] },
      "caller.shop",
      "ambient.test",
      "reached: ~caller ~ambient",
    ],
    [
      "allowed to the waypoint alone",
      { ...selector, rules: [rule("wp")] },
      "caller.shop",
      "wp-ambient.test",
      "reached: ~caller wp ~ambient",
    ],
    [
      "past the waypoint",
      { ...selector, rules: [rule("wp")] },
      "client.shop",
      "wp-ambient.test",
      "refused: client ~ambient",
    ],
    [
      "a path that the waypoint denies",
      {
        targetRefs: [{ group: "networking.mesh.io", kind: "ServiceEntry", name: "wp-ambient" }],
        action: "DENY",
        rules: [{ to: [{ operation: { paths: ["/"] } }], ...rule("caller") }],
      },
      "caller.shop",
      "wp-ambient.test",
      "refused: ~caller wp",
    ],
    [
      "a path in a rule that allows: node proxies allow nothing",
      { ...selector, rules: [{ to: [{ operation: { paths: ["/"] } }] }] },
      "caller.shop",
      "ambient.test",
      "refused: ~caller ~ambient",
    ],
    [
      "ports",
      { ...selector, action: "DENY", rules: [{ to: [{ operation: { ports: ["8080"] } }] }] },
      "caller.shop",
      "ambient.test",
      "refused: ~caller ~ambient",
    ],
    [
      "addresses",
      {
        ...selector,
        action: "DENY",
        rules: [{ from: [{ source: { notIpBlocks: ["10.0.0.0/8"] } }] }],
      },
      "caller.shop",
      "ambient.test",
      "reached: ~caller ~ambient",
    ],
  ];
  for (const [what, spec, from, to, outcome] of cases) {
    const { ask } = world(policy("AuthorizationPolicy", spec));
    assert.equal(shown(ask(from, `http://${to}/`)), outcome, what);
  }
});

Deno.test("explained: an outcome that cannot be known has its reason", () => {
  const { bench, ask } = world();
  assert.match(JSON.stringify(ask("caller.shop", "http://absent.test/").outcomes), /absent\.test/);
  bench.set(MESH.replaceAll("mesh.io/use-waypoint: wp", "mesh.io/use-waypoint: none-here"));
  const { hops, outcomes } = ask("caller.shop", "http://wp-ambient.test/");
  assert.equal(outcomes[0]?.kind, "reached");
  assert.match(JSON.stringify(hops), /none-here.*does not exist/);
  assert.match(
    JSON.stringify(ask("caller.shop", "http://ambient.test:81/").outcomes),
    /has no port 81/,
  );
});

Deno.test("explained: endpoints at which the same follows are one hop", () => {
  const many = 300;
  const entries = Array.from({ length: many }, (_, at) => {
    const labels = at === 7 ? "app: ambient\n    odd: very" : "app: ambient";
    return workload(`one-${at}`, `10.7.${at >> 8}.${at & 255}`).replace(`app: one-${at}`, labels);
  });
  const { ask } = world(
    ...entries,
    policy("AuthorizationPolicy", {
      selector: { matchLabels: { odd: "very" } },
      action: "DENY",
      rules: [rule("caller")],
    }),
  );
  for (
    const [from, to, hops] of [
      ["caller.shop", "ambient.test", 3],
      ["caller.shop", "wp-ambient.test", 4],
      ["client.shop", "ambient.test", 3],
      ["192.0.2.20", VIPS.ambient, 2],
    ] as const
  ) {
    const found = ask(from, `http://${to}/`);
    assert.equal(found.hops.length, hops, `${from} to ${to}`);
    const all = found.outcomes.reduce((sum, { share }) => sum + share, 0);
    assert.ok(Math.abs(all - 1) < 1e-9, `${from} to ${to}: ${all}`);
  }
  const { outcomes } = ask("caller.shop", "http://ambient.test/");
  const refused = outcomes.find(({ kind }) => kind === "refused");
  assert.ok(Math.abs(refused!.share - 1 / (many + 1)) < 1e-9);
  assert.match(
    outcomes.find(({ kind }) => kind === "reached")!.text,
    /or to 299 endpoints like it/,
  );
});
