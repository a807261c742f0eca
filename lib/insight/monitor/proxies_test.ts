import assert from "node:assert/strict";
import { manifest } from "../../../tests/support/manifest.ts";
import { startTranslation } from "../../../tests/support/translation_fixture.ts";
import { proxyWarnings, startProxyWarnings, type WarnedSession } from "./proxies.ts";

const gateway = manifest("Gateway", "edge", {
  selector: { app: "edge" },
  servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
});
const sidecar = manifest("Sidecar", "shop", {
  workloadSelector: { labels: { app: "shop" } },
  egress: [{ hosts: ["./*"] }],
});

function proxy(
  role: "sidecar" | "router",
  labels: Readonly<Record<string, string>>,
  namespace = "test",
): WarnedSession {
  const classKey = JSON.stringify({ labels, namespace, role });
  return { classKey, node: { name: `${role}-1`, namespace } };
}

const ROUTER = proxy("router", { app: "other" });

const CASES: readonly [name: string, yaml: string, WarnedSession, expected: string | undefined][] =
  [
    [
      "a gateway proxy that a Gateway selects",
      gateway,
      proxy("router", { app: "edge" }),
      undefined,
    ],
    [
      "a gateway proxy with other labels",
      gateway,
      ROUTER,
      "no Gateway selects this gateway proxy (labels: app=other), so it listens nowhere. Start it with " +
      "the labels of a selector in MESH_METAJSON_LABELS: app=edge (Gateway test/edge); or correct " +
      "the selector.",
    ],
    [
      "a gateway proxy without labels",
      gateway,
      proxy("router", {}),
      "no Gateway selects this gateway proxy (labels: none), so it listens nowhere. Start it with the " +
      "labels of a selector in MESH_METAJSON_LABELS: app=edge (Gateway test/edge); or correct the " +
      "selector.",
    ],
    [
      "a gateway proxy without any Gateway",
      sidecar,
      ROUTER,
      "no Gateway selects this gateway proxy (labels: app=other), so it listens nowhere. Create a " +
      "Gateway whose selector is app=other.",
    ],
    [
      "a sidecar without labels",
      sidecar,
      proxy("sidecar", {}),
      "this proxy has no labels, so no selector matches it: Sidecar test/shop. Start its agent with " +
      'MESH_METAJSON_LABELS, such as {"app": "shop"}, if one of them is meant for it.',
    ],
    ["a sidecar without labels elsewhere", sidecar, proxy("sidecar", {}, "other"), undefined],
    ["a sidecar with labels", sidecar, proxy("sidecar", { app: "x" }), undefined],
    ["a sidecar without labels beside Gateways", gateway, proxy("sidecar", {}), undefined],
  ];
for (const [name, yaml, session, expected] of CASES) {
  Deno.test(`warnings about proxies: ${name}`, () => {
    const { set, translation: { mesh } } = startTranslation();
    set(yaml);
    const [found] = proxyWarnings(mesh, [session], false);
    assert.equal(found && `${found.message}. ${found.remedy}`, expected);
    assert.deepEqual(
      found?.proxies,
      expected && [`${session.node.name}.${session.node.namespace}`],
    );
  });
}

Deno.test("warnings about proxies: Gateways of other namespaces count unless they are scoped", () => {
  const { set, translation: { mesh } } = startTranslation();
  set(gateway);
  const far = proxy("router", { app: "edge" }, "far");
  assert.equal(proxyWarnings(mesh, [far], false).length, 0);
  assert.equal(proxyWarnings(mesh, [far], true).length, 1);
});

Deno.test("warnings about proxies are logged once, and again when they return", () => {
  const bench = startTranslation();
  const lines: string[] = [];
  let tick = () => {};
  const sessions: WarnedSession[] = [];
  using running = startProxyWarnings({
    mesh: bench.translation.mesh,
    sessions: () => sessions,
    every: (_, run) => {
      tick = run;
      return () => {};
    },
    scoped: false,
    now: () => 0,
    logger: { warn: (text) => void lines.push(text) },
  });
  tick();
  assert.deepEqual(running.warnings(), []);
  sessions.push(ROUTER);
  tick();
  tick();
  assert.equal(lines.length, 1);
  bench.set(gateway.replace("app: edge", "app: other"));
  tick();
  assert.deepEqual(running.warnings(), []);
  bench.remove("Gateway", "test/edge");
  tick();
  assert.equal(lines.length, 2);
});
