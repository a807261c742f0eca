/**
 * Configuration objects and debug queries over discovery streams of a real daemon, and clients that
 * are refused.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Daemon,
  eventually,
  freePort,
  makeConfigDir,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { startTokenIssuer, writePluggedCa } from "../support/identity.ts";
import { connectJudging } from "../support/judging_client.ts";
import { serviceEntry } from "../support/manifest.ts";
import { ask, askJson, objectNames } from "../support/query_client.ts";
import { metricOf } from "../support/views.ts";
import { withoutAges } from "../support/sync_rows.ts";

const ENTRIES = "networking.mesh.io/v1alpha3/ServiceEntry";
const PORT = { number: 80, protocol: "HTTP" };
const VARIANTS = ["sotw", "delta"] as const;

function entry(name: string): string {
  return serviceEntry(name, [`${name}.test`], PORT, []);
}

Deno.test("GENERATOR: api is served configuration objects by type URL, with their changes, over both variants", async () => {
  await using config = await makeConfigDir();
  await config.write("a.yaml", entry("a"));
  await using daemon = await startDaemon({ configDir: config.path });
  const question = { target: daemon.xds, typeUrl: ENTRIES, generator: "api" };
  await using sotw = ask("sotw", question);
  await using delta = ask("delta", question);
  assert.deepEqual(objectNames((await sotw.next()).values), ["test/a"]);
  assert.deepEqual(objectNames((await delta.next()).values), ["test/a"]);
  await config.write("b.yaml", entry("b"));
  assert.deepEqual(objectNames((await sotw.next()).values), ["test/a", "test/b"]);
  assert.deepEqual(objectNames((await delta.next()).values), ["test/b"]);
  await config.remove("a.yaml");
  assert.deepEqual(objectNames((await sotw.next()).values), ["test/b"]);
  assert.deepEqual((await delta.next()).removed, ["test/a"]);
  // They are no proxies.
  assert.deepEqual(await daemon.debug("syncz"), []);
  const { totalClients, others } = await daemon.debug<{ totalClients: number; others: unknown[] }>(
    "connections",
  );
  assert.deepEqual([totalClients, others.length], [0, 2]);
});

Deno.test("debug queries over discovery streams have the answers of the debug pages", async () => {
  await using config = await makeConfigDir();
  await config.write("a.yaml", entry("a"));
  await using daemon = await startDaemon({
    configDir: config.path,
    env: { ENABLE_DEBUG_ON_HTTP: "true" },
  });
  await using proxy = connectJudging(daemon.xds, { name: "web", ip: "10.0.0.9" });
  await eventually("the proxy", () => Promise.resolve(proxy.held.size > 0));
  await eventually(
    "the proxy to be in sync",
    async () =>
      (await daemon.debug<{ cluster_status: string }[]>("syncz"))[0]?.cluster_status === "SYNCED",
  );
  const dump = await daemon.debug("config_dump?proxyID=web.test");
  const query = "config_dump?proxyID=web.test";
  for (const variant of VARIANTS) {
    const target = daemon.xds;
    const asked = <T>(typeUrl: string, ...names: string[]) =>
      askJson<T>(variant, { target, typeUrl, names });
    assert.deepEqual(await asked("mesh.io/debug", query), dump);
    assert.deepEqual(await asked("mesh.io/debug/config_dump", "web.test"), dump);
    const rows = await asked<{ proxy: string }[]>("mesh.io/debug/syncz");
    assert.deepEqual(rows.map((row) => row.proxy), ["web.test"]);
    assert.deepEqual(
      withoutAges(await asked("mesh.io/debug", "syncz")),
      withoutAges(await daemon.debug("syncz")),
    );
    const event = { target, typeUrl: "mesh.io/connections", generator: "event" };
    const connected = await askJson<{ totalClients: number }>(variant, event);
    assert.equal(connected.totalClients, 1);
    await using wrong = ask(variant, { target, typeUrl: "mesh.io/debug", names: ["nothing"] });
    await assert.rejects(wrong.next(), { status: "NOT_FOUND" });
  }
});

/** An address of this machine that is not loopback. */
function outerAddress(): string | undefined {
  return Deno.networkInterfaces()
    .find(({ family, address }) => family === "IPv4" && !address.startsWith("127."))?.address;
}

function refusedIn(daemon: Daemon): Promise<number | undefined> {
  return metricOf(daemon, 'mesh_xds_refused_total{reason="permission"}');
}

Deno.test("peers of other machines get neither objects nor answers on the plain port", async () => {
  const outer = outerAddress();
  if (outer === undefined) throw new Error("this machine has no address besides loopback");
  await using config = await makeConfigDir();
  const port = freePort();
  await using daemon = await startDaemon({
    configDir: config.path,
    args: [`--grpcAddr=:${port}`],
  });
  let refused = 0;
  for (const variant of VARIANTS) {
    for (
      const question of [
        { typeUrl: ENTRIES, generator: "api" },
        { typeUrl: "mesh.io/debug", names: ["syncz"] },
        { typeUrl: "mesh.io/debug/syncz", generator: "event" },
        { typeUrl: "mesh.io/connections", generator: "event" },
      ]
    ) {
      await using far = ask(variant, { target: `${outer}:${port}`, ...question });
      await assert.rejects(far.next(), { status: "PERMISSION_DENIED" }, question.typeUrl);
      refused++;
      await using near = ask(variant, { target: `127.0.0.1:${port}`, ...question });
      await near.next();
    }
  }
  await eventually("the refusals to be counted", async () => await refusedIn(daemon) === refused);
});

Deno.test("on the secured port identities of the system namespace read everything, others their own proxies", async () => {
  const outer = outerAddress();
  if (outer === undefined) throw new Error("this machine has no address besides loopback");
  await using config = await makeConfigDir();
  await config.write("a.yaml", entry("a"));
  await using issuer = await startTokenIssuer();
  const caDir = await Deno.makeTempDir({ prefix: "mesh-generators-" });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(caDir, { recursive: true }));
  const { certificate } = await writePluggedCa(caDir);
  const port = freePort();
  await using daemon = await startDaemon({
    configDir: config.path,
    args: [`--secureGRPCAddr=:${port}`, "--namespace=control"],
    env: { JWT_RULE: issuer.rule, ROOT_CA_DIR: caDir },
  });
  await using proxy = connectJudging(daemon.xds, { name: "web", ip: "10.0.0.9" });
  await eventually("the proxy", () => Promise.resolve(proxy.held.size > 0));
  const tls = { ca: certificate.pem, serverName: "meshd.control.svc" };
  const status = async (
    namespace: string,
    question: { typeUrl: string; names?: string[]; generator?: string },
  ): Promise<string> => {
    const token = await issuer.token(namespace, "tool");
    const target = `${outer}:${port}`;
    await using asking = ask("delta", { target, tls, token, namespace, ...question });
    return await asking.next().then(() => "answered", (error) => error.status);
  };
  const objects = { typeUrl: ENTRIES, generator: "api" };
  // The certificate has the names of the service in this namespace.
  await assert.rejects(
    ask("delta", {
      target: `${outer}:${port}`,
      tls: { ...tls, serverName: "meshd.mesh-system.svc" },
      ...objects,
    }).next(),
    { status: "UNAVAILABLE" },
  );
  const debug = (query: string) => ({ typeUrl: "mesh.io/debug", names: [query] });
  assert.equal(await status("control", objects), "answered");
  assert.equal(await status("test", objects), "PERMISSION_DENIED");
  assert.equal(await status("mesh-system", objects), "PERMISSION_DENIED");
  assert.equal(await status("control", debug("syncz")), "answered");
  assert.equal(await status("test", debug("config_dump?proxyID=web.test")), "answered");
  for (
    const query of [
      "syncz",
      "configz",
      "config_dump",
      "config_dump?proxyID=other.elsewhere",
      "pro\txyID",
      "config_dump?pro\txyID=other.elsewhere&proxyID=web.test",
      "config_dump?proxyID=web.test&proxyID=other.elsewhere",
      "../config_dump?proxyID=web.test",
    ]
  ) {
    assert.equal(await status("test", debug(query)), "PERMISSION_DENIED", query);
  }
  assert.equal(
    await status("elsewhere", debug("config_dump?proxyID=web.test")),
    "PERMISSION_DENIED",
  );
});
