/**
 * Debug pages, metrics, readiness and version of the daemon.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Daemon, eventually, freePort, startBackend } from "../../scripts/harness/mod.ts";
import { create, encode } from "../../lib/kit/proto/mod.ts";
import { openStream } from "../../lib/kit/rpc/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";
import { metricOf, problemsOf, syncOf } from "../support/views.ts";
import { assertNothingRejected, sidecars, startWorld, type World } from "../support/world.ts";

const HOST = "shop.test";
const TYPES = ["cluster", "listener", "route", "endpoint"] as const;

async function get(url: string, init: RequestInit = {}): Promise<{
  readonly status: number;
  readonly type: string;
  readonly body: string;
}> {
  const answer = await fetch(url, init);
  return {
    status: answer.status,
    type: answer.headers.get("content-type") ?? "",
    body: await answer.text(),
  };
}

const proxyIds = ({ testProxies }: World): string[] =>
  testProxies.map(({ agent }) => `${agent.name}.test`);

interface Page {
  readonly name: string;
  readonly check: (daemon: Daemon, world: World) => Promise<void>;
}

interface Clients {
  readonly totalClients: number;
  readonly clients: readonly {
    readonly connectionId: string;
    readonly connectedAt: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly watches?: Readonly<Record<string, readonly string[]>>;
  }[];
}

/** The row of a proxy in the overview. */
function rowOf(page: string, id: string): string | undefined {
  return page.split("<tr").find((part) => part.includes(id));
}

/** The number of types that are in sync, with their age. */
function syncedTypes(row: string): number {
  return row.match(/SYNCED \(\d+[hms.\d]*s\)/g)?.length ?? 0;
}

/** The number of types that a proxy subscribes to; delta has virtual hosts, too. */
function typesOf(id: string): number {
  return TYPES.length + (id.includes("delta") ? 1 : 0);
}

const PAGES: readonly Page[] = [
  {
    name: "/ready",
    check: async ({ http }) => {
      const { status, body } = await get(`${http}/ready`);
      assert.deepEqual({ status, body }, { status: 200, body: "" });
    },
  },
  {
    name: "/debug lists proxies with state and age",
    check: async ({ http }, world) => {
      const { status, type, body } = await get(`${http}/debug`);
      assert.equal(status, 200);
      assert.match(type, /^text\/html/);
      for (const id of proxyIds(world)) {
        const row = rowOf(body, id);
        assert.ok(row, `${id} is not on the page`);
        assert.match(row, /sidecar/);
        assert.equal(syncedTypes(row), typesOf(id), row);
      }
    },
  },
  {
    name: "/debug/syncz",
    check: async (daemon, world) => {
      const rows = await syncOf(daemon);
      assert.deepEqual(rows.map((row) => row.proxy).sort(), proxyIds(world).sort());
      for (const row of rows) {
        assert.equal(row.proxy_type, "sidecar");
        for (const type of TYPES) {
          const all = row as unknown as Record<string, string>;
          assert.notEqual(all[`${type}_sent`], "");
          assert.equal(all[`${type}_acked`], all[`${type}_sent`]);
          assert.equal(all[`${type}_status`], "SYNCED");
        }
      }
      assert.deepEqual(await daemon.debug("syncz?namespace=elsewhere"), []);
    },
  },
  {
    name: "/debug/adsz and /debug/connections",
    check: async (daemon, world) => {
      const { totalClients, clients } = await daemon.debug<Clients>("adsz");
      assert.equal(totalClients, world.testProxies.length);
      for (const client of clients) {
        assert.ok(Date.parse(client.connectedAt) <= Date.now());
        assert.ok(["delta", "sotw"].includes(client.labels.transport ?? ""));
        const watched = Object.entries(client.watches ?? {})
          .find(([type]) => type.endsWith("ClusterLoadAssignment"))?.[1] ?? [];
        assert.ok(watched.some((name) => name.endsWith(`||${HOST}`)), `${watched}`);
      }
      const bare = await daemon.debug<Clients>("connections");
      assert.deepEqual(bare.clients.map((c) => c.watches), [undefined, undefined]);
      assert.deepEqual(
        bare.clients.map((c) => c.connectionId).sort(),
        clients.map((c) => c.connectionId).sort(),
      );
    },
  },
  {
    name: "/debug/config_dump shows what Envoy holds",
    check: async ({ http, debug }, { testProxies }) => {
      for (const { agent } of testProxies) {
        const dump = await debug<{ configs: Record<string, unknown>[] }>(
          `config_dump?proxyID=${agent.name}.test`,
        );
        const text = JSON.stringify(dump);
        for (const kind of ["cluster", "listener", "route"] as const) {
          const held = await agent.held(kind);
          assert.ok(held.length > 0);
          for (const name of held) assert.ok(text.includes(`"${name}"`), name);
        }
        assert.equal(dump.configs.length, 4);
        const clusters = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
        const one = await debug<{ configs: unknown[] }>(
          `config_dump?proxyID=${agent.name}.test&types=${clusters}`,
        );
        assert.equal(one.configs.length, 1);
      }
      assert.equal((await get(`${http}/debug/config_dump`)).status, 400);
      assert.equal((await get(`${http}/debug/config_dump?proxyID=nobody.test`)).status, 404);
    },
  },
  {
    name: "/debug/configz",
    check: async ({ http, debug }) => {
      type Row = {
        kind: string;
        metadata: { name: string };
        origin: { file: string; line: number };
      };
      const all = await debug<Row[]>("configz");
      const kinds = new Set(all.map((row) => row.kind));
      assert.deepEqual([...kinds].sort(), ["ServiceEntry", "Sidecar", "VirtualService"]);
      const [route, ...others] = await debug<Row[]>("configz?resource=VirtualService");
      assert.deepEqual(others, []);
      assert.equal(route?.metadata.name, "shop");
      assert.equal(route?.origin.file, "shop.yaml");
      assert.ok((route?.origin.line ?? 0) > 1);
      const unknown = await get(`${http}/debug/configz?resource=Nothing`);
      assert.equal(unknown.status, 400);
      assert.match(unknown.body, /VirtualService/);
    },
  },
  {
    name: "/debug/registryz",
    check: async ({ debug }) => {
      assert.deepEqual(await debug("registryz?brief"), [HOST]);
      const [service] = await debug<{ host: string; endpoints: { address: string }[] }[]>(
        "registryz",
      );
      assert.equal(service?.host, HOST);
      assert.deepEqual(service?.endpoints.map((e) => e.address), ["127.0.0.1"]);
    },
  },
  {
    name: "/debug/list names pages that are there",
    check: async ({ http, debug }) => {
      const paths = await debug<string[]>("list");
      for (const path of ["adsz", "syncz", "config_dump", "configz", "registryz", "connections"]) {
        assert.ok(paths.includes(`/debug/${path}`), path);
      }
      for (const path of paths) {
        assert.notEqual((await get(http + path)).status, 500, path);
      }
    },
  },
  {
    name: "/metrics and /version, with the debug pages beside them",
    check: async (daemon, { testProxies }) => {
      const metrics = await get(`${daemon.monitoring}/metrics`);
      assert.equal(metrics.status, 200);
      assert.match(metrics.type, /^text\/plain/);
      assert.match(metrics.body, /^# HELP pilot_xds_pushes /m);
      assert.equal(await metricOf(daemon, "pilot_xds"), testProxies.length);
      assert.equal(await metricOf(daemon, "pilot_services"), 1);
      assert.ok((await metricOf(daemon, "pilot_xds_pushes") ?? 0) >= 4 * testProxies.length);
      assert.equal(await metricOf(daemon, "pilot_total_xds_rejects") ?? 0, 0);
      const version = await get(`${daemon.monitoring}/version`);
      assert.match(version.body, /^\S+\n$/);
      const sync = await get(`${daemon.monitoring}/debug/syncz`);
      assert.equal(JSON.parse(sync.body).length, testProxies.length);
    },
  },
  {
    name: "unknown paths and methods",
    check: async ({ http }) => {
      assert.equal((await get(`${http}/nothing`)).status, 404);
      assert.equal((await get(`${http}/debug/nothing`)).status, 404);
      assert.equal((await get(`${http}/debug/syncz`, { method: "POST" })).status, 405);
    },
  },
];

/** A proxy of any name, which asks for clusters and never answers. */
function connectAs(id: string, { xds }: Daemon) {
  const stream = openStream({
    target: xds,
    path: "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
  });
  stream.send(encode(
    DeltaDiscoveryRequestSchema,
    create(DeltaDiscoveryRequestSchema, {
      node: { id },
      typeUrl: "type.googleapis.com/envoy.config.cluster.v3.Cluster",
    }),
  ));
  return stream;
}

/** Names that would be code, were they not escaped. */
const EVIL = "<script>alert(1)</script>";

async function assertEscaped({ daemon, config }: World): Promise<void> {
  const stream = connectAs(`sidecar~10.9.9.9~${EVIL}.test~test.svc.cluster.local`, daemon);
  await config.write(
    "evil.yaml",
    manifest("ServiceEntry", "evil", { hosts: ["evil.test"], [EVIL]: 1 }),
  );
  try {
    await eventually("a problem", async () => (await problemsOf(daemon)).problems.length === 1);
    const page = await eventually("the problem and the proxy on the page", async () => {
      const { body } = await get(`${daemon.http}/debug`);
      const problems = body.split('aria-label="Problems"')[1]?.split("</section>")[0] ?? "";
      const proxies = body.split("<table").find((part) => part.includes("<caption>Proxies (")) ??
        "";
      return [problems, proxies].every((part) => part.includes("&lt;script")) && body;
    });
    assert.ok(!page.includes("<script>alert"), page);
  } finally {
    stream.close();
    await stream.ended;
    await config.remove("evil.yaml");
  }
  await eventually(
    "nothing to be left of it",
    async () => !(await get(`${daemon.http}/debug`)).body.includes("alert(1)"),
  );
}

Deno.test("the daemon shows what it does", async (t) => {
  await using v1 = startBackend("v1");
  const port = freePort();
  const http = { number: port, protocol: "HTTP" };
  // An empty directory is no mistake: proxies become ready.
  await using world = await startWorld();
  const { daemon, config } = world;
  await t.step("with an empty directory there is nothing but proxies", async () => {
    assert.deepEqual(await daemon.debug("configz"), []);
    assert.deepEqual(await daemon.debug("registryz"), []);
    assert.equal((await syncOf(daemon)).length, world.testProxies.length);
  });
  await config.write("sidecars.yaml", sidecars([http]));
  await config.write(
    "shop.yaml",
    documents(
      serviceEntry("shop", [HOST], http, [endpoint(v1.port)]),
      manifest("VirtualService", "shop", { hosts: [HOST], http: [to(HOST)] }),
    ),
  );
  await eventually("all to be in sync", async () => {
    const rows = await syncOf(daemon) as unknown as Record<string, string>[];
    const { body } = await get(`${daemon.http}/debug`);
    return rows.every((row) => TYPES.every((type) => row[`${type}_status`] === "SYNCED")) &&
      proxyIds(world).every((id) => syncedTypes(rowOf(body, id) ?? "") === typesOf(id));
  });
  for (const { name, check } of PAGES) await t.step(name, () => check(daemon, world));
  await t.step("names are shown, not run", () => assertEscaped(world));
  await t.step("a proxy that goes is forgotten", async () => {
    const [gone] = world.testProxies;
    await gone!.agent[Symbol.asyncDispose]();
    await eventually("one proxy", async () => (await syncOf(daemon)).length === 1);
    assert.equal(await metricOf(daemon, "pilot_xds"), 1);
  });
  await t.step(
    "no update was refused",
    () => assertNothingRejected({ ...world, testProxies: world.testProxies.slice(1) }),
  );
});
