/**
 * Commands of `meshctl` about a real daemon, real agents and real Envoys.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually, freePorts } from "../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry } from "../support/manifest.ts";
import { meshctl, type MeshctlRun } from "../support/meshctl.ts";
import { syncOf } from "../support/views.ts";
import { sidecars, startWorld, type World } from "../support/world.ts";

const HOST = "shop.test";
const [PORT, INBOUND] = freePorts(2) as [number, number];

const FILES = {
  "shop.yaml": documents(
    serviceEntry("shop", [HOST], { number: PORT, protocol: "HTTP" }, [endpoint(9999)]),
    manifest("DestinationRule", "shop", {
      host: HOST,
      trafficPolicy: { connectionPool: { tcp: { maxConnections: 7 } } },
    }),
    manifest("VirtualService", "shop", {
      hosts: [HOST],
      http: [{
        match: [{ uri: { prefix: "/cart" } }],
        route: [{ destination: { host: HOST } }],
      }, { route: [{ destination: { host: HOST } }] }],
    }),
    manifest("AuthorizationPolicy", "only-get", {
      rules: [{ to: [{ operation: { methods: ["GET"] } }] }],
    }).replace("networking.mesh.io", "security.mesh.io"),
    sidecars([{ number: PORT, protocol: "HTTP" }], {
      ingress: [{
        port: { number: INBOUND, protocol: "HTTP", name: "http-own" },
        defaultEndpoint: "127.0.0.1:9998",
      }],
    }),
  ),
};

/** Asserts success and returns the lines of a table without its heading, cells split at blanks. */
function rows({ out, err, status }: MeshctlRun, head: string): string[][] {
  assert.deepEqual([status, err], [0, ""]);
  const [first = "", ...rest] = out.trimEnd().split("\n").map((line) => line.split(/ {2,}/));
  assert.equal(String(first), String(head.split(", ")));
  return rest;
}

async function inSync(world: World): Promise<void> {
  await eventually("the proxies to be in sync", async () => {
    const all = await syncOf(world.daemon);
    return all.length === world.testProxies.length &&
      all.every((row) => row.cluster_status === "SYNCED" && row.listener_status === "SYNCED");
  }, 60_000);
}

Deno.test("meshctl: daemon and proxies", async (t) => {
  await using world = await startWorld({ files: FILES });
  await inSync(world);
  const { daemon, testProxies } = world;
  // The other proxy receives virtual hosts only when requests ask for them.
  const first = testProxies.find(({ transport }) => transport === "sotw");
  assert.ok(first);
  const xds = ["--xds-address", daemon.xds, "--plaintext"];
  const http = ["--xds-address", daemon.http];
  const admin = first.agent.admin;
  const proxy = `${first.agent.name}.test`;

  await t.step("proxy-status lists proxies, over xDS and HTTP", async () => {
    const head = "NAME, CLUSTER, CDS, LDS, EDS, RDS, ECDS, MESHD, VERSION";
    // An agent reports some time after its Envoy took its configuration that it is ready.
    await eventually("the agents to report that their Envoys are ready", async () => {
      const { err } = await meshctl(["proxy-status", ...http]);
      return err === "";
    });
    for (const access of [xds, http]) {
      const found = rows(await meshctl(["proxy-status", ...access]), head);
      assert.deepEqual(found.map(([name]) => name), ["sidecar-delta.test", "sidecar-sotw.test"]);
      for (const [, , ...types] of found) {
        for (const cell of types.slice(0, 2)) assert.match(cell, /^SYNCED \(\d+[smh]\)$/);
      }
    }
    const settings = { MESHCTL_XDS_ADDRESS: daemon.xds, MESHCTL_PLAINTEXT: "true" };
    assert.equal(rows(await meshctl(["ps"], { env: settings }), head).length, 2);
    assert.equal(rows(await meshctl(["ps", "-n", "none", ...xds]), head).length, 0);
  });

  await t.step("proxy-status compares the dump of a proxy with the daemon", async () => {
    const same = await meshctl(["ps", proxy, "-f", admin, ...xds]);
    assert.deepEqual(same, {
      out: "Clusters Match\nListeners Match\nRoutes Match\n",
      err: "",
      status: 0,
    });
    const dump = JSON.stringify(await first.agent.configDump()).replace(
      '"max_connections":7',
      '"max_connections":8',
    );
    const other = await meshctl(["ps", proxy, "-f", "-", ...xds], { input: dump });
    assert.match(
      other.out,
      new RegExp(
        `^Clusters Don't Match\\n- outbound\\|${PORT}\\|\\|shop\\.test: .*maxConnections: 7\\n`,
      ),
    );
  });

  await t.step("unknown proxies give near names", async () => {
    const { err, status } = await meshctl(["ps", "sidecar-delt.test", "-f", admin, ...xds]);
    assert.equal(status, 1);
    assert.match(
      err,
      /^Error: the daemon has no proxy sidecar-delt\.test\nDid you mean sidecar-delta\.test/,
    );
  });

  for (
    const [source, args] of [
      ["daemon", [proxy, ...xds]],
      ["admin interface", ["-f", admin]],
    ] as const
  ) {
    await t.step(
      `proxy-config: clusters, listeners, routes, endpoints of the ${source}`,
      async () => {
        const clusters = rows(
          await meshctl(["pc", "cluster", "--fqdn", HOST, ...args]),
          "SERVICE FQDN, PORT, SUBSET, DIRECTION, TYPE, DESTINATION RULE",
        );
        assert.deepEqual(clusters, [[HOST, `${PORT}`, "-", "outbound", "EDS", "shop.test"]]);
        const listeners = rows(
          await meshctl(["pc", "listener", "--port", `${PORT}`, ...args]),
          "ADDRESSES, PORT, MATCH, DESTINATION",
        );
        assert.deepEqual(listeners[0]?.slice(0, 2), [first.address, `${PORT}`]);
        assert.match(listeners[0]?.[3] ?? "", /^Route: /);
        const routes = await meshctl(["pc", "route", ...args]);
        assert.match(routes.out, new RegExp(`${PORT} +shop\\.test:${PORT} +shop\\.test +/cart\\*`));
        const eds = rows(
          await meshctl(["pc", "eds", "--port", "9999", ...args]),
          "NAME, STATUS, LOCALITY, CLUSTER",
        );
        assert.match(String(eds[0]), /^127\.0\.0\.1:9999,HEALTHY,/);
        assert.equal(String(eds[0]).split(",").at(-1), `outbound|${PORT}||shop.test`);
        const json = await meshctl(["pc", "cluster", "--fqdn", HOST, "-o", "json", ...args]);
        assert.equal(JSON.parse(json.out)[0].name, `outbound|${PORT}||${HOST}`);
        const check = rows(
          await meshctl(["x", "authz", "check", ...args]),
          "ACTION, AuthorizationPolicy, RULES",
        );
        assert.deepEqual(check, [["ALLOW", "only-get.test", "1"]]);
        const all = await meshctl(["pc", "all", ...args]);
        assert.match(all.out, /SERVICE FQDN[^]*ADDRESSES[^]*VHOST NAME[^]*RESOURCE NAME/);
      },
    );
  }

  await t.step("proxy-config: the state of the proxy itself", async () => {
    const short = await meshctl(["pc", "bootstrap", "-f", admin, "-o", "short"]);
    assert.match(
      short.out,
      /^Mesh Version: \S+\nMesh Proxy Version: .*\nDataproxy Version: 1\.\d+/,
    );
    const hosts = rows(
      await meshctl(["pc", "endpoint", "-f", admin, "--port", "9999"]),
      "ENDPOINT, STATUS, OUTLIER CHECK, CLUSTER",
    );
    assert.match(
      String(hosts[0]),
      new RegExp(`^127\\.0\\.0\\.1:9999,HEALTHY,OK,outbound\\|${PORT}`),
    );
    const { err, status } = await meshctl(["pc", "endpoint", proxy, ...xds]);
    assert.equal(status, 1);
    assert.match(err, /does not know the state of endpoints\nUse `meshctl proxy-config eds`/);
    const ds = await meshctl(["x", "ds", "-f", admin]);
    assert.match(ds.out, /^server\.live: 1$/m);
    const clusters = await meshctl(["x", "ds", "-t", "clusters", "-o", "json", "-f", admin]);
    assert.ok(JSON.parse(clusters.out).cluster_statuses.length > 0);
  });

  await t.step("proxy-config log reads, changes and resets levels", async () => {
    const read = async () => (await meshctl(["pc", "log", "-f", admin, "-o", "json"])).out;
    const changed = await meshctl(["pc", "log", "-f", admin, "--level", "rbac:debug"]);
    assert.deepEqual([changed.status, changed.err], [0, ""]);
    assert.match(changed.out, /active loggers:\n[^]*rbac: debug/);
    assert.equal(JSON.parse(await read())[admin].rbac, "debug");
    await meshctl(["pc", "log", "-f", admin, "-r"]);
    assert.equal(JSON.parse(await read())[admin].rbac, "warning");
    for (
      const [level, err] of [["nosuch:debug", /no logger nosuch/], [
        "rbac:loud",
        /unknown level/,
      ]] as const
    ) {
      const wrong = await meshctl(["pc", "log", "-f", admin, "--level", level]);
      assert.match(wrong.err, err);
      assert.notEqual(wrong.status, 0);
    }
  });

  await t.step("admin log reads, changes and resets levels of the daemon", async () => {
    const base = daemon.introspection;
    const set = rows(
      await meshctl(["admin", "log", base, "--level", "ads:debug"]),
      "SCOPE, DESCRIPTION, LEVEL, STACK TRACE LEVEL",
    );
    assert.deepEqual(set.map(([scope, , level]) => [scope, level]), [["ads", "debug"]]);
    const all = JSON.parse((await meshctl(["admin", "log", base, "-o", "json"])).out);
    assert.equal(all.find(({ name }: { name: string }) => name === "ads").output_level, "debug");
    await meshctl(["admin", "log", base, "--reset"]);
    const after = JSON.parse((await meshctl(["admin", "log", base, "-o", "json"])).out);
    assert.ok(after.every(({ output_level }: { output_level: string }) => output_level === "info"));
    const wrong = await meshctl(["admin", "log", base, "--level", "adz:debug"]);
    assert.match(wrong.err, /no scope adz\nDid you mean ads\?/);
  });

  await t.step("wait returns when the proxies have acknowledged an edit", async () => {
    const changed = FILES["shop.yaml"].replace("maxConnections: 7", "maxConnections: 9");
    assert.notEqual(changed, FILES["shop.yaml"]);
    await world.config.write("shop.yaml", changed);
    const wait = ["x", "wait", "DestinationRule", "shop.test", ...xds];
    const done = await meshctl([...wait, "--generation", "2", "--timeout", "60s"]);
    assert.deepEqual([done.err, done.status], ["", 0]);
    assert.match(done.out, /^DestinationRule\/test\/shop: generation 2 is acknowledged by 2 of 2/);
    const dump = await first.agent.configDump(".*shop.*");
    assert.match(JSON.stringify(dump), /"max_connections":9/);
    const late = await meshctl([...wait, "--generation", "3", "--timeout", "1s"]);
    assert.equal(late.status, 1);
    assert.match(late.err, /has not landed: no such edit was seen/);
  });

  await t.step("version and internal-debug", async () => {
    const { out, err } = await meshctl(["version", ...xds]);
    assert.match(
      out,
      /^client version: \S+\ncontrol plane version: \S+\ndata plane version: \S+ \(2 proxies\)\n$/,
    );
    assert.equal(err, "");
    const json = JSON.parse((await meshctl(["version", "-o", "json", ...xds])).out);
    assert.deepEqual([json.meshVersion[0].Component, json.dataPlaneVersion.length], ["meshd", 2]);
    const alone = await meshctl(["version"]);
    assert.deepEqual([alone.status, alone.out.split("\n").length], [0, 2]);
    assert.match(
      alone.err,
      /^control plane: not asked: no daemon is named, and no orchestrator is configured\. Use/,
    );
    const debug = await meshctl(["x", "internal-debug", "syncz", ...xds]);
    assert.equal(JSON.parse(debug.out).length, 2);
    assert.match((await meshctl(["x", "iD", "--list", ...xds])).out, /^\/debug\/syncz$/m);
    const unknown = await meshctl(["x", "iD", "synz", ...xds]);
    assert.equal(unknown.status, 1);
    assert.match(unknown.err, /^Error: /);
  });
});
