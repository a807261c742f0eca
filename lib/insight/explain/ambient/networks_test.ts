/** Requests between networks: through gateways, to node proxies and waypoints on both sides. */
import assert from "node:assert/strict";
import { featuresWith, startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { manifest, type Spec } from "../../../../tests/support/manifest.ts";
import { service, workload } from "../../../../tests/support/ambient_objects.ts";
import { toYaml } from "../../../kit/text/mod.ts";
import { OfflineMesh } from "../../offline/mod.ts";
import type { Explanation } from "../../verdict/mod.ts";

const GLOBAL = { "mesh.io/global": "true" };
const ROOT = toYaml({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "mesh-system", labels: { "topology.mesh.io/network": "near" } },
});

function gateway(name: string, gatewayClassName: string, more: Spec = {}, account = "ew"): string {
  const isBetween = gatewayClassName !== "mesh-waypoint";
  return toYaml({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: {
      name,
      namespace: "shop",
      labels: isBetween ? { "topology.mesh.io/network": "far" } : {},
      annotations: isBetween ? { "gateway.mesh.io/service-account": account } : {},
    },
    spec: {
      gatewayClassName,
      listeners: [{ name: "mesh", port: 15008, protocol: "HBONE" }],
      ...more,
    },
  });
}

const GATEWAY = gateway("ew", "mesh-east-west");
const remote = (account?: string): string =>
  gateway("far", "mesh-remote", { addresses: [{ value: "192.0.2.9" }] }, account);

const SPEC: Spec = {
  location: "MESH_INTERNAL",
  ports: [{ number: 80, name: "http", protocol: "HTTP", targetPort: 8080 }],
  workloadSelector: { labels: { app: "web" } },
};

function waypoint(name: string, address: string, network: string): string[] {
  return [
    gateway(name, "mesh-waypoint"),
    service(name, network === "far" ? "10.96.9.8" : "10.96.9.9", {
      hosts: [`${name}-mesh-waypoint.shop.svc.cluster.local`],
      location: "MESH_INTERNAL",
      ports: [{ number: 15008, name: "mesh", protocol: "TLS" }],
      endpoints: [{
        address,
        network,
        serviceAccount: name,
        labels: { "gateway.networking.k8s.io/gateway-name": name },
      }],
    }, network === "far" ? GLOBAL : {}),
  ];
}

const behind = (name: string) => ({ ...GLOBAL, "mesh.io/use-waypoint": name });
const MESH = [
  ROOT,
  workload("client", "10.0.0.1", "disabled", "near"),
  workload("sidecar", "10.0.0.2", "mesh", "near"),
  workload("web", "10.0.1.1", "disabled", "far"),
  service("web", "10.96.9.1", SPEC, GLOBAL),
  service("own", "10.96.9.2", SPEC),
  service("behind-far", "10.96.9.3", SPEC, behind("wp-far")),
  service("behind-near", "10.96.9.4", SPEC, behind("wp-near")),
  workload("beside", "10.0.1.5", "mesh", "far"),
  service("beside", "10.96.9.5", {
    ...SPEC,
    workloadSelector: { labels: { app: "beside" } },
  }, GLOBAL),
  ...waypoint("wp-far", "10.0.1.9", "far"),
  ...waypoint("wp-near", "10.0.0.9", "near"),
];

function asking(...more: readonly string[]): (from: string, url: string) => Explanation {
  const features = featuresWith({
    PILOT_ENABLE_AMBIENT: "true",
    AMBIENT_ENABLE_MULTI_NETWORK: "true",
  });
  const bench = startTranslation(undefined, features);
  bench.set([...MESH, ...more].join("---\n"));
  const mesh = OfflineMesh.over(bench.translation);
  return (from, url) => mesh.ask({ from, url });
}

/** The outcomes in short, with the proxies on the way. */
function shown({ hops, outcomes }: Explanation): string {
  const way = hops.map(({ proxy }) => proxy.replace(/node proxy of /, "~").replace(".shop", ""));
  const ends = outcomes.map(({ kind, share }) =>
    share === 1 ? kind : `${kind} ${Math.round(share * 100)}`
  );
  return `${ends.join("+")}: ${way.join(" ")}`;
}

const CELLS: readonly (readonly [from: string, to: string, outcome: string])[] = [
  ["client.shop", "web.test", "reached: ~client ew ~web"],
  ["client.shop", "own.test", "refused: ~client"],
  ["client.shop", "web.test:81", "refused: ~client"],
  ["client.shop", "behind-far.test", "reached: ~client ew wp-far ~web"],
  ["client.shop", "behind-near.test", "reached: ~client wp-near ew ~web"],
  ["sidecar.shop", "web.test", "reached: sidecar ew ~web"],
  ["sidecar.shop", "own.test", "refused: sidecar"],
  ["client.shop", "beside.test", "reached: ~client ew beside"],
  ["sidecar.shop", "beside.test", "reached: sidecar ew beside"],
  ["client.shop", "beside.test:81", "refused: ~client"],
  ["web.shop", "beside.test", "reached: ~web beside"],
  ["web.shop", "web.test", "reached: ~web ~web"],
  ["web.shop", "behind-far.test", "reached: ~web wp-far ~web"],
];

Deno.test("explained: services of other networks, through their gateway and waypoints", () => {
  const ask = asking(GATEWAY, remote());
  for (const [from, to, outcome] of CELLS) {
    assert.equal(shown(ask(from, `http://${to}/`)), outcome, `${from} to ${to}`);
  }
});

Deno.test("explained: the steps at a gateway are its route, its cluster and the workload", () => {
  const { hops, objects } = asking(GATEWAY, remote())("client.shop", "http://web.test/");
  const { destination, direction, steps } = hops[1]!;
  assert.deepEqual([direction, destination], ["between networks", "web.test:80"]);
  assert.deepEqual(steps.map(({ name }) => name), [
    "connect_terminate",
    "web.test:80",
    "inbound-vip|80|tcp|web.test",
    "10.0.1.1:15008",
  ]);
  assert.match(steps[0]!.why, /spiffe:\/\/cluster\.local\/ns\/shop\/sa\/client$/);
  for (const one of ["ServiceEntry/shop/web", "WorkloadEntry/shop/web"]) {
    assert.ok(objects.includes(one), `${one}: ${objects}`);
  }
});

Deno.test("explained: node proxies of other networks deny the client of the inner tunnel", () => {
  const deny = (principal: string): string =>
    manifest("AuthorizationPolicy", "p", {
      selector: { matchLabels: { app: "web" } },
      action: "DENY",
      rules: [{ from: [{ source: { principals: [`cluster.local/ns/shop/sa/${principal}`] } }] }],
    }, "shop").replace("networking.mesh.io", "security.mesh.io");
  for (
    const [account, from, to, outcome] of [
      ["client", "client.shop", "web.test", "refused: ~client ew ~web"],
      ["sidecar", "client.shop", "web.test", "reached: ~client ew ~web"],
      ["ew", "client.shop", "web.test", "reached: ~client ew ~web"],
      ["sidecar", "sidecar.shop", "web.test", "refused: sidecar ew ~web"],
      ["wp-near", "client.shop", "behind-near.test", "refused: ~client wp-near ew ~web"],
      ["wp-far", "client.shop", "behind-far.test", "refused: ~client ew wp-far ~web"],
    ] as const
  ) {
    const ask = asking(GATEWAY, remote(), deny(account));
    assert.equal(shown(ask(from, `http://${to}/`)), outcome, `${account}: ${from} to ${to}`);
  }
});

Deno.test("explained: policies of a gateway refuse clients and services", () => {
  const GATEWAY_API = "gateway.networking.k8s.io";
  const deny = (rule: Spec, app?: string): string =>
    manifest("AuthorizationPolicy", "p", {
      ...app === undefined
        ? { targetRefs: [{ group: GATEWAY_API, kind: "Gateway", name: "ew" }] }
        : { selector: { matchLabels: { app } } },
      action: "DENY",
      rules: [rule],
    }, "shop").replace("networking.mesh.io", "security.mesh.io");
  const from = (account: string): Spec => ({
    from: [{ source: { principals: [`cluster.local/ns/shop/sa/${account}`] } }],
  });
  const to = (host: string, port: string): Spec => ({
    to: [{ operation: { hosts: [host], ports: [port] } }],
  });
  const client = "client.shop";
  for (
    const [policy, caller, host, outcome] of [
      [deny(from("client")), client, "web.test", "refused: ~client ew"],
      [deny(from("sidecar")), client, "web.test", "reached: ~client ew ~web"],
      [deny(from("sidecar")), "sidecar.shop", "web.test", "refused: sidecar ew"],
      [deny(to("beside.test", "80")), client, "beside.test", "refused: ~client ew"],
      [deny(to("beside.test", "81")), client, "beside.test", "reached: ~client ew beside"],
      [deny(to("beside.test", "80")), client, "web.test", "reached: ~client ew ~web"],
      [deny(from("client"), "beside"), client, "beside.test", "refused: ~client ew beside"],
      [deny(from("ew"), "beside"), client, "beside.test", "reached: ~client ew beside"],
    ] as const
  ) {
    const found = asking(GATEWAY, remote(), policy)(caller, `http://${host}/`);
    assert.equal(shown(found), outcome, `${policy}${caller} to ${host}`);
    if (!outcome.startsWith("refused")) continue;
    const causes = found.outcomes.flatMap(({ refusal }) => refusal?.causes ?? []);
    assert.ok(causes.some(({ object }) => object === "AuthorizationPolicy/shop/p"), outcome);
  }
});

Deno.test("explained: sidecars behind a gateway share its connections, each with its policies", () => {
  const more = workload("beside-2", "10.0.1.6", "mesh", "far")
    .replace("app: beside-2", "app: beside");
  const deny = manifest("AuthorizationPolicy", "p", {
    selector: { matchLabels: { release: "second" } },
    action: "DENY",
    rules: [{ from: [{ source: { principals: ["cluster.local/ns/shop/sa/client"] } }] }],
  }, "shop").replace("networking.mesh.io", "security.mesh.io");
  const second = more.replace("app: beside", "app: beside\n    release: second");
  for (
    const [documents, outcome] of [
      [[more], "reached: ~client ew beside beside-2"],
      [[second, deny], "reached 50+refused 50: ~client ew beside beside-2"],
    ] as const
  ) {
    const found = asking(GATEWAY, remote(), ...documents)("client.shop", "http://beside.test/");
    assert.equal(shown(found), outcome);
  }
});

Deno.test("explained: the node proxy of a waypoint opens its tunnels, if it ends them", () => {
  const wp = waypoint("wp-own", "10.0.0.8", "near");
  const behind = wp.map((one) =>
    one.replace(
      "annotations: {}",
      "annotations: {ambient.mesh.io/waypoint-inbound-binding: PROXY/15088}",
    )
  );
  const documents = [
    workload("local", "10.0.0.4", "disabled", "near"),
    service("local", "10.96.9.7", {
      ...SPEC,
      workloadSelector: { labels: { app: "local" } },
    }, { "mesh.io/use-waypoint": "wp-own" }),
    service("outer", "10.96.9.6", {
      location: "MESH_EXTERNAL",
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      endpoints: [{ address: "192.0.2.77" }],
    }, { "mesh.io/use-waypoint": "wp-own" }),
    manifest("PeerAuthentication", "strict", { mtls: { mode: "STRICT" } }, "shop")
      .replace("networking.mesh.io", "security.mesh.io"),
  ];
  for (
    const [own, to, outcome] of [
      [wp, "local.test", "reached: ~client wp-own ~local"],
      [behind, "local.test", "reached: ~client wp-own ~wp-own ~local"],
      [wp, "outer.test", "reached: ~client wp-own"],
      [behind, "outer.test", "reached: ~client wp-own ~wp-own"],
    ] as const
  ) {
    const found = asking(...documents, ...own)("client.shop", `http://${to}/`);
    assert.equal(shown(found), outcome, JSON.stringify(found.outcomes));
  }
});

Deno.test("explained: a gateway that is not known, and one with another identity than clients accept", () => {
  const away = asking(remote());
  for (const from of ["client.shop", "sidecar.shop"]) {
    const { outcomes, elsewhere } = away(from, "http://web.test/");
    assert.deepEqual(outcomes.map(({ kind }) => kind), ["unknown"], from);
    assert.match(outcomes[0]!.text, /gateway 192\.0\.2\.9 of the network far is not connected/);
    assert.ok(elsewhere.includes("192.0.2.9:15008"), from);
  }
  const wrong = asking(GATEWAY, remote("other"));
  for (const from of ["client.shop", "sidecar.shop"]) {
    const { outcomes } = wrong(from, "http://web.test/");
    assert.equal(outcomes[0]?.kind, "refused", from);
    assert.match(outcomes[0]!.text, /sa\/ew, and the client accepts .*sa\/other/, from);
    assert.deepEqual(outcomes[0]?.refusal?.causes.map(({ object }) => object), [
      "Gateway/shop/far",
    ]);
  }
});

Deno.test("explained: endpoints of both networks share connections by their weight", () => {
  const more = [
    workload("near-web", "10.0.0.3", "disabled", "near").replace("app: near-web", "app: web"),
    workload("far-web", "10.0.1.2", "disabled", "far").replace("app: far-web", "app: web"),
    workload("far-web-2", "10.0.1.3", "disabled", "far").replace("app: far-web-2", "app: web"),
  ];
  const ask = asking(GATEWAY, remote(), ...more);
  for (const from of ["client.shop", "sidecar.shop"]) {
    const { outcomes } = ask(from, "http://web.test/");
    const sum = outcomes.reduce((all, { share }) => all + share, 0);
    assert.ok(Math.abs(sum - 1) < 1e-9, `${from}: ${sum}`);
    const shares = outcomes.map(({ share, endpoints }) => [endpoints?.[0], share]);
    const near = shares.find(([endpoint]) => endpoint === "10.0.0.3:8080");
    assert.equal(near?.[1], 0.25, JSON.stringify(outcomes));
  }
  assert.equal(shown(ask("client.shop", "http://own.test/")), "reached: ~client ~near-web");
});
