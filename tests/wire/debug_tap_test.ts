/**
 * The debug tap of a real agent: debug queries to a real daemon over the agent's own connection.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  type Daemon,
  eventually,
  freePort,
  makeConfigDir,
  startAgent,
  startDaemon,
  startProgram,
} from "../../scripts/harness/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import { startTokenIssuer, writePluggedCa } from "../support/identity.ts";
import { connectJudging } from "../support/judging_client.ts";
import { ask, askJson } from "../support/query_client.ts";
import { withoutAges } from "../support/sync_rows.ts";

const VARIANTS = ["sotw", "delta"] as const;

async function get(url: string, headers?: Record<string, string>): Promise<[number, string]> {
  const answer = await fetch(url, { headers });
  return [answer.status, await answer.text()];
}

/** An agent without a proxy, with a tap. */
async function tapped(
  dir: string,
  xds: string,
  port: number,
  chosen: {
    readonly name?: string;
    readonly env?: Record<string, string>;
    readonly secured?: boolean;
  } = {},
): Promise<Agent> {
  const agent = await startAgent({
    role: "sidecar",
    name: chosen.name ?? "app",
    namespace: "shop",
    ip: "127.0.0.1",
    xds,
    envoy: "/none",
    dir,
    noWait: true,
    env: {
      DISABLE_DATAPROXY: "true",
      PROXY_XDS_DEBUG_VIA_AGENT: "true",
      PROXY_XDS_DEBUG_VIA_AGENT_PORT: `${port}`,
      ...chosen.env,
    },
    secured: chosen.secured,
  });
  await eventually(
    "the agent to start",
    async () => (await get(`${agent.status}/metrics`))[0] === 200,
  );
  await eventually(
    "the tap to listen",
    async () => (await get(`http://127.0.0.1:${port}/other`))[0] === 404,
  );
  return agent;
}

async function connected(daemon: Daemon): Promise<AsyncDisposable> {
  const proxy = connectJudging(daemon.xds, { name: "web", ip: "10.0.0.9" });
  await eventually("the proxy", () => proxy.held.size > 0);
  await eventually(
    "the proxy to be in sync",
    async () =>
      (await daemon.debug<{ cluster_status: string }[]>("syncz"))[0]?.cluster_status === "SYNCED",
  );
  return proxy;
}

Deno.test("the debug tap relays debug queries over HTTP and gRPC", async (t) => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-tap-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const config = stack.use(await makeConfigDir());
  const daemon = stack.use(await startDaemon({ configDir: config.path }));
  stack.use(await connected(daemon));
  const port = freePort();
  const agent = stack.use(await tapped(dir, daemon.xds, port));
  const tap = `http://127.0.0.1:${port}`;
  const target = `127.0.0.1:${port}`;

  await t.step("GET /debug/… has the answer of the daemon's page", async () => {
    for (const query of ["syncz", "config_dump?proxyID=web.test"]) {
      const [status, body] = await get(`${tap}/debug/${query}`);
      assert.equal(status, 200, body);
      assert.deepEqual(withoutAges(JSON.parse(body)), withoutAges(await daemon.debug(query)));
    }
    assert.deepEqual((await get(`${tap}/debug/nothing`))[0], 404);
    assert.deepEqual((await get(`${tap}/debug/config_dump?proxyID=no.body`))[0], 404);
    assert.deepEqual((await get(`${tap}/other`))[0], 404);
  });
  await t.step("pilot-agent request reaches it on port 15004 only", async () => {
    const request = startProgram(["pilot-agent", "request", "--debug-port=15005", "GET", "/debug"]);
    assert.notEqual((await request.status).code, 0);
    assert.match(request.output(), /not in allowed list \[15000 15021 15020 15004\]/);
  });
  await t.step("gRPC, both variants, whatever node the client names", async () => {
    for (const variant of VARIANTS) {
      const asked = await askJson(variant, { target, typeUrl: "mesh.io/debug", names: ["syncz"] });
      assert.deepEqual(withoutAges(asked), withoutAges(await daemon.debug("syncz")));
      const connections = await askJson<{ totalClients: number }>(
        variant,
        { target, typeUrl: "mesh.io/connections", namespace: "another" },
      );
      assert.equal(connections.totalClients, 1);
    }
  });
  await t.step("gRPC takes no types of configuration", async () => {
    const typeUrl = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
    for (const variant of VARIANTS) {
      await using asking = ask(variant, { target, typeUrl });
      await assert.rejects(asking.next(), { status: "PERMISSION_DENIED" });
    }
  });
  await t.step("other host names than those of loopback are refused (DNS rebinding)", async () => {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const request = "GET /debug/syncz HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n";
    await connection.write(new TextEncoder().encode(request));
    const buffer = new Uint8Array(64);
    const length = await connection.read(buffer);
    assert.match(new TextDecoder().decode(buffer.subarray(0, length ?? 0)), /^HTTP\/1.1 403 /);
  });
  await t.step("a second agent runs without the tap when the port is taken", async () => {
    await using second = await tapped(dir, daemon.xds, port, { name: "second" });
    await second.program.printed("the debug tap is not available", 60_000);
  });
  await t.step("a daemon that is away is 503", async () => {
    await daemon[Symbol.asyncDispose]();
    assert.equal((await get(`${tap}/debug/syncz`))[0], 503);
  });
  agent.program.kill("SIGTERM");
  assert.equal((await agent.program.status).code, 0, agent.program.output());
});

Deno.test(
  withCertificates(
    "the debug tap asks as the agent, over its authenticated connection",
    async () => {
      await using stack = new AsyncDisposableStack();
      const dir = await Deno.makeTempDir({ prefix: "mesh-tap-" });
      stack.defer(() => Deno.remove(dir, { recursive: true }));
      const issuer = stack.use(await startTokenIssuer());
      const { certificate: { pem: root } } = await writePluggedCa(`${dir}/ca`);
      const config = stack.use(await makeConfigDir());
      const secured = freePort();
      stack.use(
        await startDaemon({
          configDir: config.path,
          secured,
          env: {
            JWT_RULE: issuer.rule,
            ROOT_CA_DIR: `${dir}/ca`,
          },
        }),
      );
      const files = {
        "var/run/secrets/tokens/mesh-token": await issuer.token("shop", "app"),
        "var/run/secrets/mesh/root-cert.pem": root,
      };
      for (const [path, text] of Object.entries(files)) {
        const file = `${dir}/app/${path}`;
        await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
        await Deno.writeTextFile(file, text);
      }
      const port = freePort();
      await using _ = await tapped(dir, `localhost:${secured}`, port, {
        secured: true,
        env: { SERVICE_ACCOUNT: "app", ECC_SIGNATURE_ALGORITHM: "ECDSA" },
      });
      const [status, body] = await get(`http://127.0.0.1:${port}/debug/connections`);
      assert.equal(status, 200, body);
      const { others } = JSON.parse(body) as { others: { metadata: unknown }[] };
      assert.deepEqual(others.map(({ metadata }) => Object(metadata).SERVICE_ACCOUNT), ["app"]);
      // The daemon takes no unauthenticated client there.
      const unknown = {
        target: `localhost:${secured}`,
        typeUrl: "mesh.io/debug",
        names: ["syncz"],
      };
      await using asking = ask("sotw", { ...unknown, tls: { ca: root } });
      await assert.rejects(asking.next(), { status: "UNAUTHENTICATED" });
    },
  ),
);
