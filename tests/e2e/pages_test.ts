/**
 * Every debug path and every page in a browser, on a mesh with real proxies. Screenshots are stored
 * with those of other tests, light and dark.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { Prediction } from "../../lib/insight/whatif/mod.ts";
import { type Daemon, eventually, freePort, startBackend } from "../../scripts/harness/mod.ts";
import { create, encode } from "../../lib/kit/proto/mod.ts";
import { openStream } from "../../lib/kit/rpc/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { openBrowser, PICTURES } from "../support/browser.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";
import { syncOf } from "../support/views.ts";
import { assertNothingRejected, sidecars, startWorld, type World } from "../support/world.ts";

const HOST = "shop.test";
const PROXY = "sidecar-delta.test";

/** Id of the daemon's own cluster. */
const OWN_CLUSTER = "home";

/** Networks of the mesh with their gateways. */
const NETWORKS = `networks:
  far:
    gateways: [{address: 192.0.2.1, port: 15443, locality: r1/z1}]
  near:
    gateways: [{registryServiceName: ${HOST}, port: 443}]
`;
const CLUSTERS = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

/** Names that would be elements, were they not escaped. */
const EVIL = "<b>loud</b><script>alert(1)</script>";

/** Expected response of a path: its status, and for 200 a check of the JSON. */
interface Path {
  readonly path: string;
  readonly status?: number;
  // deno-lint-ignore no-explicit-any -- JSON of any shape is looked into
  readonly json?: (body: any) => void;
  readonly text?: RegExp;
}

interface Cost {
  readonly name: string;
  readonly micros: number;
  readonly bytes: number;
  readonly pushes: number;
}

function keys(...names: readonly string[]): (body: object) => void {
  return (body) => {
    for (const name of names) assert.ok(name in body, `${name}: ${JSON.stringify(body)}`);
  };
}

const PATHS: readonly Path[] = [
  { path: "ecdsz", status: 400, text: /proxyID=NAME\.NAMESPACE/ },
  {
    path: "ecdsz?proxyID=nobody.test",
    status: 404,
    text: /no proxy nobody\.test is connected here/,
  },
  {
    path: "proxy_states?namespace=test",
    json: (list) => {
      assert.ok(
        list.some((one: { proxy: string; state: string }) =>
          one.proxy === PROXY && one.state === "ready"
        ),
      );
    },
  },
  { path: `ecdsz?proxyID=${PROXY}`, json: (list) => assert.deepEqual(list, []) },
  {
    path: `ndsz?proxyID=${PROXY}`,
    json: ([table]) => assert.match(table["@type"], /nds\.v1\.NameTable$/),
  },
  {
    path: `edsz?proxyID=${PROXY}`,
    json: (list) =>
      assert.ok(list.some((e: { clusterName: string }) => e.clusterName.includes(HOST))),
  },
  {
    path: "endpointShardz",
    json: (all) => {
      const [endpoint] = all[HOST].test.Shards[`File/${OWN_CLUSTER}`];
      assert.equal(endpoint.address, "127.0.0.1");
      assert.deepEqual(all[HOST].test.ServiceAccounts, []);
    },
  },
  { path: "endpointz", json: keys(HOST) },
  { path: "instancesz", json: (all) => assert.deepEqual(all[PROXY], []) },
  {
    path: "cachez",
    json: (all) => assert.ok(all.cds.some((line: string) => line.includes(HOST))),
  },
  { path: "cachez?sizes=true", json: (all) => assert.match(all.cds, /^[\d.]+(B|kB|MB)$/) },
  { path: "cachez?clear=true", text: /^Cache cleared: \d+ collections and \d+ unused cells/ },
  {
    path: `sidecarz?proxyID=${PROXY}`,
    json: (scope) => {
      assert.equal(scope.name, "proxy-delta");
      assert.deepEqual(scope.services.map((s: { host: string }) => s.host), [HOST]);
      assert.deepEqual(scope.egressListeners[0].services, [HOST]);
    },
  },
  {
    path: "resourcesz",
    json: (list) =>
      assert.deepEqual(list.find((k: { kind: string }) => k.kind === "Gateway"), {
        group: "networking.mesh.io",
        version: "v1",
        kind: "Gateway",
      }),
  },
  {
    path: "authorizationz",
    json: ({ authorization_policies: policies }) => {
      assert.equal(policies.root_namespace, "mesh-system");
      assert.equal(typeof policies.namespace_to_policies, "object");
    },
  },
  { path: "telemetryz", json: keys("namespace_to_telemetries", "root_namespace") },
  { path: "push_status", json: (all) => assert.deepEqual(all, {}) },
  {
    path: "pushcontext",
    json: (all) => {
      assert.equal(all.objects.VirtualService, 1);
      assert.equal(all.services, 1);
      assert.ok(all.proxyClasses >= 2);
    },
  },
  { path: "mesh", json: (mesh) => assert.equal(mesh.rootNamespace, "mesh-system") },
  {
    path: "clusterz",
    json: (list) =>
      assert.deepEqual(list, [{ id: OWN_CLUSTER, secretName: "", syncStatus: "synced" }]),
  },
  {
    path: "networkz",
    json: (list) =>
      assert.deepEqual(list, [
        { network: "far", address: "192.0.2.1", service: "", port: 15443, locality: "r1/z1" },
        { network: "near", address: "", service: HOST, port: 443, locality: "" },
        { network: "near", address: "127.0.0.1", service: "", port: 443, locality: "" },
      ]),
  },
  { path: "mcsz", status: 404, text: /no exports and imports without an orchestrator/ },
  { path: "inject", status: 404, text: /there is no injection: / },
  { path: "ambientz", status: 404, text: /ambient mode is off: set PILOT_ENABLE_AMBIENT=true/ },
  {
    path: "krtz",
    json: (list) => {
      const rows = list.filter((t: { kind: string; size: number }) => t.kind === "input");
      assert.ok(
        rows.some((t: { name: string; size: number }) => t.name === "Sidecar" && t.size === 2),
      );
    },
  },
  { path: `force_disconnect?proxyID=${PROXY}`, status: 404 },
  { path: "pprof/cmdline", status: 404 },
  { path: "pushes", json: (list) => assert.ok(list.length > 0 && list[0].revision > 0) },
  {
    path: "costs?top=2",
    json: (costs) => {
      for (const list of ["tables", "inputs", "objects", "namespaces", "classes"]) {
        assert.ok(costs[list].length > 0 && costs[list].length <= 2, list);
      }
      assert.ok(costs.objects.some((o: Cost) => o.micros > 0 && o.bytes > 0 && o.pushes > 0));
      const [test] = costs.namespaces.filter((n: Cost) => n.name === "test");
      assert.ok(test.bytes > 0 && test.pushes >= 2);
      for (const one of costs.classes) {
        assert.equal(one.namespace, "test");
        assert.ok(one.bytes > 0 && one.pushes > 0 && one.micros > 0 && one.proxies === 1);
      }
      assert.ok(costs.connects.bytes > 0);
    },
  },
  {
    path: "receipts?resource=VirtualService/test/shop",
    json: ([receipt]) => {
      assert.equal(receipt.generation, 1);
      assert.ok(receipt.resourceCount >= 1 && receipt.sessions.concerned >= 2);
      assert.equal(receipt.complete, true);
    },
  },
  { path: "receipts?resource=x", status: 400, text: /Kind\/namespace\/name/ },
  {
    path: "history?limit=1",
    json: (list) => {
      assert.equal(list.length, 1);
      assert.ok(list[0].edited >= 1 && list[0].changed >= 1);
    },
  },
  { path: "history?revision=1000000", status: 404, text: /nothing is known of that revision/ },
  { path: `history?proxyID=${PROXY}`, status: 400, text: /from= and to=/ },
  { path: "request/history", status: 400, text: /from=NAME\.NAMESPACE/ },
  { path: "request/compare", status: 400, text: /documents=YAML/ },
  { path: "request/proxies", json: (list) => assert.deepEqual(list, []) },
  {
    path: "samples",
    json: (list) => {
      assert.ok(list.length > 0);
      for (const one of list) keys("time", "edits", "refused", "proxies", "memory")(one);
    },
  },
  {
    path: "map",
    json: ({ nodes, seen }) => {
      assert.ok(nodes.some((one: { id: string }) => one.id === `test/${HOST}`));
      assert.match(seen, /not seen/);
    },
  },
  { path: "audit", json: keys("audited", "skipped", "differences", "passes", "reports") },
  { path: "quarantine", json: (list) => assert.deepEqual(list, []) },
];

async function get(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers });
  const type = answer.headers.get("content-type") ?? "";
  return { status: answer.status, type, body: await answer.text(), headers: answer.headers };
}

async function checkPath({ http }: Daemon, { path, status = 200, json, text }: Path) {
  const answer = await get(`${http}/debug/${path}`);
  assert.equal(answer.status, status, answer.body);
  if (json !== undefined) {
    assert.equal(answer.type, "application/json");
    json(JSON.parse(answer.body));
  }
  if (text !== undefined) assert.match(answer.body, text);
}

/** A page, and what a reader must find on it. */
interface Page {
  readonly name: string;
  readonly path: string;
  readonly shows: readonly (string | RegExp)[];
  /** Height of the picture. */
  readonly height?: number;
}

/** The port of every service here, which the proxies listen at themselves. */
const PORT = freePort();
const CLUSTER = `outbound|${PORT}||${HOST}`;

const PAGES: Page[] = [
  {
    name: "overview",
    path: "",
    shows: [PROXY, "1 problem", "is rejected", "egres", "/debug/syncz"],
    height: 1100,
  },
  {
    name: "proxies",
    path: "/proxies",
    shows: [PROXY, "sidecar-sotw.test", /SYNCED \(\d/, "in sync"],
  },
  {
    name: "proxy",
    path: `/proxies/${PROXY}`,
    shows: [CLUSTER, "ServiceEntry", "transport=delta"].slice(0, 1),
    height: 1500,
  },
  {
    name: "resource",
    path: `/proxies/${PROXY}/cds/${encodeURIComponent(CLUSTER)}`,
    shows: [
      "ServiceEntry test/shop",
      "shop.yaml:1",
      "Held by",
      "Decided by",
      '"connectTimeout"',
      "sidecar-sotw.test",
    ],
    height: 1500,
  },
  { name: "objects", path: "/objects", shows: ["VirtualService test/shop", "shop.yaml:"] },
  {
    name: "object",
    path: "/objects/ServiceEntry/test/shop",
    shows: [CLUSTER, PROXY, "affected resources", "all acknowledged", '"hosts"'],
    height: 1300,
  },
  { name: "pushes", path: "/pushes", shows: ["ServiceEntry test/shop", "Time to last response"] },
  { name: "receipts", path: "/receipts", shows: ["VirtualService test/shop", "acknowledged"] },
  {
    name: "costs",
    path: "/costs",
    shows: [
      "ServiceEntry test/shop",
      "/debug/objects?q=test%2F",
      "sidecar in test",
      "transport=delta",
      "Most expensive tables",
    ],
    height: 1300,
  },
  { name: "faults", path: "/faults", shows: ["No computation fails", "egres"] },
  { name: "quarantine", path: "/quarantine", shows: ["Nothing is quarantined"] },
  { name: "audit", path: "/audit", shows: ["equal to a computation from scratch"] },
  { name: "whatif", path: "/whatif", shows: ["Compute", "YAML documents"] },
];

async function checkPage({ http }: Daemon, page: Page): Promise<void> {
  const answer = await get(`${http}/debug${page.path}`, { accept: "text/html" });
  assert.equal(answer.status, 200, answer.body);
  assert.match(answer.type, /^text\/html/);
  const policy = answer.headers.get("content-security-policy") ?? "";
  assert.match(policy, /^default-src 'none'; style-src 'unsafe-inline'/);
  const { body } = answer;
  assert.match(body, /<a class="skip" href="#main">/);
  assert.match(body, /<main id="main"/);
  assert.equal(body.match(/<h1>/g)?.length, 1);
  assert.doesNotMatch(body, /<script|https?:\/\/|<img|@import|url\(/);
  const plain = body.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
  for (const text of page.shows) {
    if (typeof text === "string") assert.ok(plain.includes(text), `${page.name}: ${text}\n${body}`);
    else assert.match(plain, text);
  }
  for (const [, href] of body.matchAll(/<a href="([^"#]+)"/g)) {
    LINKS.add(href!.replaceAll("&amp;", "&"));
  }
}

/** Links that pages have, followed once each at the end. */
const LINKS = new Set<string>();

async function checkLinks({ http }: Daemon): Promise<void> {
  for (const link of LINKS) {
    assert.ok(link.startsWith("/debug"), link);
    const { status, body } = await get(http + link, { accept: "text/html" });
    const absent = /\/(ambientz|inject|mcsz)$/.test(link);
    const asksProxy =
      /\/(config_dump|request\/(?:history|compare)|why|[en]dsz|ecdsz|sidecarz|proxyconfigz)$/
        .test(link);
    assert.equal(status, absent ? 404 : asksProxy ? 400 : 200, `${link}: ${body}`);
  }
}

const RULE = (timeout: string) =>
  manifest("VirtualService", "shop", { hosts: [HOST], http: [to(HOST, undefined, { timeout })] });

function ask({ http }: Daemon, body: string, query = "", headers: Record<string, string> = {}) {
  return fetch(`${http}/debug/whatif${query}`, { method: "POST", body, headers });
}

async function statusOf(asked: Promise<Response>): Promise<number> {
  const { status, body } = await asked;
  await body?.cancel();
  return status;
}

/** The page with the prediction. */
let ANSWER = "";

/** Rehearses an edit, applies it, and compares what the proxies then are served with what was said. */
async function checkPrediction({ daemon, config }: World): Promise<void> {
  const edited = documents(
    serviceEntry("cart", ["cart.test"], { number: PORT, protocol: "HTTP" }, [endpoint(9)]),
    RULE("7s"),
  );
  const answer = await ask(daemon, edited);
  assert.equal(answer.status, 200);
  const said = await answer.json() as Prediction;
  assert.deepEqual(said.edits.map(({ change }) => change), ["added", "changed"]);
  assert.equal(said.proxies.concerned, said.proxies.connected);
  const form = await ask(daemon, new URLSearchParams({ documents: edited }).toString(), "", {
    accept: "text/html",
    "content-type": "application/x-www-form-urlencoded",
  });
  ANSWER = await form.text();
  assert.match(ANSWER, /2 of 2.*cart\.test.*timeout/s);
  const text = await (await ask(daemon, edited, "", { accept: "text/plain" })).text();
  assert.match(text, /timeout: 7s|timeout: .* → 7s/);
  assert.ok(!(await get(`${daemon.http}/debug/registryz?brief`)).body.includes("cart.test"));
  await config.write("shop.yaml", documents(SHOP(), RULE("7s")));
  await config.write("cart.yaml", documents(edited.split("---\n")[0]!));
  await eventually(
    "the edit to be published",
    async () => (await get(`${daemon.http}/debug/registryz?brief`)).body.includes("cart.test"),
  );
  const versions = () => cachedVersions(daemon);
  await eventually("the versions foretold", async () => {
    const now = await versions();
    return said.changes.every(({ name, versions: { after } }) =>
      after === undefined || now.has(`${name} ${after}`)
    );
  });
}

async function cachedVersions(daemon: Daemon): Promise<Set<string>> {
  const all = await daemon.debug<Record<string, string[]>>("cachez");
  return new Set(Object.values(all).flat());
}

/** Response for a page whose own host name was made to resolve to this machine. */
async function rebound(http: string): Promise<string> {
  const port = Number(new URL(http).port);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const lines = ["GET /debug/syncz HTTP/1.1", "Host: evil.example", "Connection: close", "", ""];
  await connection.write(new TextEncoder().encode(lines.join("\r\n")));
  const head = new Uint8Array(1024);
  return new TextDecoder().decode(head.subarray(0, await connection.read(head) ?? 0));
}

async function checkRefusals({ daemon }: World): Promise<void> {
  const { http } = daemon;
  const wrong = await ask(daemon, manifest("VirtualService", "x", { hots: [HOST] }));
  assert.equal(wrong.status, 400);
  const { problems: [problem] } = await wrong.json();
  assert.equal(problem.path, "spec.hots");
  assert.ok(problem.line > 1 && problem.remedy !== "");
  assert.equal(await statusOf(ask(daemon, "")), 400);
  const gone = await ask(daemon, "", "?remove=VirtualService/test/nothing&format=text");
  assert.equal(gone.status, 400);
  assert.match(await gone.text(), /^\?remove:1:1: there is no VirtualService test\/nothing/);
  // The answer may come, or the connection end, before all is sent.
  const huge = await statusOf(ask(daemon, "x".repeat(2 << 20))).catch(() => undefined);
  if (huge !== undefined) assert.equal(huge, 413);
  // Long enough to be at it when the others come, on whichever listener.
  const many = Array.from(
    { length: 400 },
    (_, i) =>
      serviceEntry(`s${i}`, [`s${i}.test`], { number: PORT, protocol: "HTTP" }, [endpoint(9)]),
  );
  const asked = await Promise.all(
    [http, daemon.monitoring, http].map((base) =>
      statusOf(fetch(`${base}/debug/whatif`, { method: "POST", body: documents(...many) }))
    ),
  );
  assert.deepEqual([...new Set(asked)].sort(), [200, 429]);
  const foreign = { "sec-fetch-site": "cross-site" };
  assert.equal(await statusOf(ask(daemon, RULE("1s"), "", foreign)), 403);
  for (const path of ["adsz?push=true", "cachez?clear=true"]) {
    assert.equal((await get(`${http}/debug/${path}`, foreign)).status, 403);
  }
  assert.match(await rebound(http), /^HTTP\/1.1 403 /);
}

/** A proxy whose name and labels are elements, which asks for clusters and never answers. */
function connectEvil({ xds }: Daemon) {
  const stream = openStream({
    target: xds,
    path: "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
  });
  stream.send(encode(
    DeltaDiscoveryRequestSchema,
    create(DeltaDiscoveryRequestSchema, {
      node: {
        id: `sidecar~10.9.9.9~${EVIL}.test~test.svc.cluster.local`,
        metadata: { LABELS: { app: EVIL } },
      },
      typeUrl: CLUSTERS,
    }),
  ));
  return stream;
}

async function checkEscaping({ daemon }: World): Promise<void> {
  const stream = connectEvil(daemon);
  const browser = openBrowser();
  try {
    const id = `${EVIL}.test`;
    const paths = [
      "",
      "/proxies",
      `/proxies/${encodeURIComponent(id)}`,
      `/proxies?q=${encodeURIComponent(EVIL)}`,
    ];
    await eventually("the proxy", async () => (await syncOf(daemon)).some((s) => s.proxy === id));
    for (const path of paths) {
      const { body } = await get(`${daemon.http}/debug${path}`);
      assert.ok(body.includes("&lt;b>loud") && !/<b>|<script/.test(body), `${path}: ${body}`);
      if (browser === undefined) continue;
      const dom = await browser.dom(`${daemon.http}/debug${path}`);
      assert.ok(!/<b>|<script/.test(dom), dom);
    }
    const reply = await ask(
      daemon,
      new URLSearchParams({ documents: EVIL, remove: `</textarea>${EVIL}` }).toString(),
      "",
      { accept: "text/html", "content-type": "application/x-www-form-urlencoded" },
    );
    assert.equal(reply.status, 400);
    assert.ok(!/<b>|<script/.test(await reply.text()));
  } finally {
    stream.close();
    await stream.ended;
  }
}

/** Checks the history of the latest publication, for the mesh and for a proxy. */
async function checkHistory({ daemon }: World): Promise<void> {
  const [{ revision, previous }] = await daemon.debug<{ revision: number; previous: number }[]>(
    "history?limit=1",
  ) as [{ revision: number; previous: number }];
  const one = await daemon.debug<{ changes: { name: string }[] }>(`history?revision=${revision}`);
  const between = await daemon.debug<{ changes: { name: string; fields: unknown[] }[] }>(
    `history?proxyID=${PROXY}&from=${previous}&to=${revision}`,
  );
  assert.ok(between.changes.length > 0);
  for (const { name } of between.changes) {
    assert.ok(one.changes.some((c) => c.name === name), name);
  }
  const then = await daemon.debug<{ resources: Record<string, { name: string }[]> }>(
    `history?proxyID=${PROXY}&revision=${revision}`,
  );
  assert.ok(then.resources[CLUSTERS]!.some(({ name }) => name === CLUSTER));
  for (
    const query of [`revision=${revision}`, `proxyID=${PROXY}&from=${previous}&to=${revision}`]
  ) {
    await checkPage(daemon, { name: query, path: `/history?${query}`, shows: ["cart.test"] });
    PAGES.push({ name: query.replace(/=.*/, ""), path: `/history?${query}`, shows: [] });
  }
}

let SHOP: () => string;

Deno.test("every debug path and page", async (t) => {
  await using v1 = startBackend("v1");
  const http = { number: PORT, protocol: "HTTP" };
  SHOP = () => serviceEntry("shop", [HOST], http, [endpoint(v1.port)]);
  const networks = await Deno.makeTempFile({ suffix: ".yaml" });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(networks));
  await Deno.writeTextFile(networks, NETWORKS);
  await using world = await startWorld({
    daemon: { args: [`--networksConfig=${networks}`], env: { CLUSTER_ID: OWN_CLUSTER } },
    files: {
      "sidecars.yaml": sidecars([http]),
      "broken.yaml": manifest("Sidecar", "broken", { egres: [] }),
    },
  });
  const { daemon, config } = world;
  await config.write("shop.yaml", documents(SHOP(), RULE("3s")));
  await eventually("all to be acknowledged, and the proxy to be ready", async () => {
    const [receipt] = await daemon.debug<{ complete: boolean }[]>(
      "receipts?resource=VirtualService/test/shop",
    );
    return receipt?.complete === true &&
      (await syncOf(daemon)).every((row) => row.route_status === "SYNCED") &&
      (await daemon.debug<{ proxy: string; state: string }[]>("proxy_states"))
        .some(({ proxy, state }) => proxy === PROXY && state === "ready");
  });
  for (const path of PATHS) await t.step(`/debug/${path.path}`, () => checkPath(daemon, path));
  for (const page of PAGES) await t.step(`the page ${page.name}`, () => checkPage(daemon, page));
  await t.step("links lead somewhere", () => checkLinks(daemon));
  await t.step("the prediction comes true", () => checkPrediction(world));
  await t.step("the history pages show the record", () => checkHistory(world));
  await t.step("invalid requests are refused", () => checkRefusals(world));
  await t.step("names are shown, not run", () => checkEscaping(world));
  const browser = openBrowser();
  await t.step({
    name: browser === undefined ? "pictures [needs chromium]" : "pictures",
    ignore: browser === undefined,
    fn: async () => {
      const answer = `${PICTURES}/debug-whatif-answer.html`;
      await Deno.mkdir(PICTURES, { recursive: true });
      await Deno.writeTextFile(answer, ANSWER);
      await browser!.screenshot(`file://${answer}`, answer.replace("html", "png"), {
        height: 1400,
      });
      for (const { name, path, height = 900 } of PAGES) {
        for (const dark of [false, true]) {
          const file = `${PICTURES}/debug-${name}-${dark ? "dark" : "light"}.png`;
          await browser!.screenshot(`${daemon.http}/debug${path}`, file, { dark, height });
        }
      }
    },
  });
  await t.step("no update was refused", () => assertNothingRejected(world));
});

Deno.test("a proxy can be disconnected when that is enabled", async () => {
  await using world = await startWorld({
    daemon: { env: { UNSAFE_ENABLE_ADMIN_ENDPOINTS: "true" } },
  });
  const { daemon } = world;
  const url = `${daemon.http}/debug/force_disconnect`;
  assert.equal((await get(url)).status, 400);
  assert.equal((await get(`${url}?proxyID=nobody.test`)).status, 404);
  const ids = async () =>
    (await daemon.debug<{ clients: { connectionId: string }[] }>("connections")).clients
      .map((c) => c.connectionId).filter((id) => id.includes("sidecar-delta"));
  const before = await ids();
  assert.match((await get(`${url}?proxyID=${PROXY}`)).body, /^Disconnected 1 streams/);
  await eventually("it to come back on another stream", async () => {
    const now = await ids();
    return now.length === 1 && now[0] !== before[0];
  });
});
