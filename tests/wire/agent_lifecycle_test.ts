/**
 * The agent with a real Envoy, from start to end.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  type AgentOptions,
  eventually,
  freePort,
  startAgent,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { type AdsServer, answeringListener, LISTENER, startAds } from "../support/ads.ts";

interface World {
  readonly dir: string;
  readonly ads: AdsServer;
  /** Port of the listener that Envoy gets. */
  readonly port: number;
  start(chosen?: Partial<AgentOptions>): Promise<Agent>;
}

async function inWorld(run: (world: World) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-agent-" });
  const port = freePort();
  const envoy = await envoyPath();
  const ads = await startAds({
    [LISTENER]: { answer: answeringListener("answer", port, "hello") },
  });
  const agents: Agent[] = [];
  const start = async (chosen: Partial<AgentOptions> = {}) => {
    const agent = await startAgent({
      role: "sidecar",
      name: "app",
      ip: "127.0.0.1",
      xds: `127.0.0.1:${ads.port}`,
      envoy,
      dir,
      ...chosen,
    });
    agents.push(agent);
    return agent;
  };
  try {
    await run({ dir, ads, port, start });
  } finally {
    for (const agent of agents) await agent[Symbol.asyncDispose]();
    await ads[Symbol.asyncDispose]();
    await Deno.remove(dir, { recursive: true });
  }
}

/** Process id of the agent's Envoy. */
function envoyPid(agent: Agent): number {
  return Number(/started the proxy\tpid=(\d+)/.exec(agent.program.output())?.[1]);
}

async function runs(pid: number): Promise<boolean> {
  try {
    // An ended process whose parent did not ask for its status yet is still listed, as a zombie.
    return !/\) Z /.test(await Deno.readTextFile(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}

async function get(url: string, init?: RequestInit): Promise<[number, string]> {
  const answer = await fetch(url, init);
  return [answer.status, await answer.text()];
}

Deno.test("an agent becomes ready, serves, and on SIGTERM drains and ends with 0", () =>
  inWorld(async ({ ads, dir, port, start }) => {
    const agent = await start({ labels: { app: "shop", "mesh-locality": "r1.z1" } });
    assert.deepEqual(await get(`http://127.0.0.1:${port}/`), [200, "hello"]);
    const { node } = ads.requests[0] ?? {};
    assert.equal(node?.id, "sidecar~127.0.0.1~app.default~default.svc.cluster.local");
    assert.equal(node?.cluster, "shop.default");
    assert.equal(node?.locality?.zone, "z1");
    const [, metrics] = await get(`${agent.status}/stats/prometheus`);
    assert.match(metrics, /^mesh_agent_xds_proxy_responses [1-9]/m);
    assert.match(metrics, /^mesh_agent_startup_duration_seconds [\d.]+/m);
    assert.match(metrics, /^envoy_server_live\{\} 1/m);
    const pid = envoyPid(agent);
    agent.program.kill("SIGTERM");
    await agent.program.printed("draining the proxy's inbound listeners");
    await eventually("it to be unready", async () => (await readiness(agent)) !== 200);
    assert.equal((await agent.program.status).code, 0, agent.program.output());
    assert.equal(await runs(pid), false);
    await assert.rejects(Deno.lstat(`${dir}/app/etc/XDS`), Deno.errors.NotFound);
  }));

async function readiness(agent: Agent): Promise<number> {
  return (await get(`${agent.status}/healthz/ready`))[0];
}

Deno.test("Envoy keeps serving while the daemon is stopped, and reports its versions to the next one", () =>
  inWorld(async ({ ads, port, start }) => {
    await start();
    await ads[Symbol.asyncDispose]();
    assert.deepEqual(await get(`http://127.0.0.1:${port}/`), [200, "hello"]);
    await using next = await startAds(
      { [LISTENER]: { answer: answeringListener("answer", port, "hello") } },
      ads.port,
    );
    await eventually(
      "Envoy to come back",
      () => next.requests.some((request) => request.initialResourceVersions.answer === "v1"),
      60_000,
    );
    assert.deepEqual(await get(`http://127.0.0.1:${port}/`), [200, "hello"]);
  }));

Deno.test("an agent whose Envoy dies ends with an error", () =>
  inWorld(async ({ start }) => {
    const agent = await start();
    Deno.kill(envoyPid(agent), "SIGKILL");
    assert.notEqual((await agent.program.status).code, 0);
    assert.match(agent.program.output(), /Error: the proxy ended by SIGKILL/);
  }));

Deno.test("POST /quitquitquit ends the agent at once, other methods do not", () =>
  inWorld(async ({ start }) => {
    const agent = await start();
    assert.equal((await get(`${agent.status}/quitquitquit`))[0], 405);
    assert.deepEqual(
      await get(`${agent.status}/quitquitquit`, { method: "POST" }),
      [200, "OK"],
    );
    assert.equal((await agent.program.status).code, 0);
    assert.doesNotMatch(agent.program.output(), /draining/);
    assert.equal(await runs(envoyPid(agent)), false);
  }));

Deno.test("with EXIT_ON_ZERO_ACTIVE_CONNECTIONS a drain lasts as long as a connection", () =>
  inWorld(async ({ port, start }) => {
    const env = { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true", MINIMUM_DRAIN_DURATION: "1ms" };
    const agent = await start({ env });
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await eventually("the connection to be counted", async () => {
      const stats = await agent.stats(`listener.*${port}.downstream_cx_active`);
      return Object.values(stats).includes(1);
    });
    assert.deepEqual(await get(`${agent.status}/drain`, { method: "POST" }), [200, "OK"]);
    await agent.program.printed("draining the proxy's inbound listeners");
    agent.program.kill("SIGTERM");
    await agent.program.printed(/waiting for connections to end\topen=1/);
    assert.ok(await runs(envoyPid(agent)));
    connection.close();
    assert.equal((await agent.program.status).code, 0, agent.program.output());
  }));

Deno.test("a second signal ends agent and Envoy at once", () =>
  inWorld(async ({ port, start }) => {
    const env = { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: "true", MINIMUM_DRAIN_DURATION: "1h" };
    const agent = await start({ env });
    assert.equal((await get(`http://127.0.0.1:${port}/`))[0], 200);
    const pid = envoyPid(agent);
    agent.program.kill("SIGTERM");
    await agent.program.printed("draining the proxy's inbound listeners");
    agent.program.kill("SIGTERM");
    assert.equal((await agent.program.status).code, 143);
    await eventually("Envoy to be gone", async () => !await runs(pid));
  }));

const REFUSALS: Readonly<Record<string, readonly [Record<string, string>, RegExp]>> = {
  "a daemon over TLS whose roots are missing": [
    { PROXY_CONFIG: "discoveryAddress: 127.0.0.1:15012" },
    /root-cert\.pem: the root certificates of the daemon are missing/,
  ],
  "a proxy program that is not there": [
    {
      PROXY_CONFIG:
        `{controlPlaneAuthPolicy: NONE, binaryPath: /nowhere/envoy, statusPort: ${freePort()}}`,
    },
    /Error: the proxy \/nowhere\/envoy cannot be run/,
  ],
  "configuration that cannot be read": [
    { PROXY_CONFIG: "statusPort: many" },
    /PROXY_CONFIG:1:\d+: statusPort/,
  ],
  "a variable of the wrong type": [
    { DATAPROXY_STATUS_PORT: "some" },
    /DATAPROXY_STATUS_PORT is set to "some"/,
  ],
};

for (const [what, [env, message]] of Object.entries(REFUSALS)) {
  Deno.test(`an agent refuses to start with ${what}`, () =>
    inWorld(async ({ start }) => {
      const agent = await start({ env, noWait: true });
      assert.equal((await agent.program.status).code, 1, agent.program.output());
      assert.match(agent.program.output(), message);
      assert.doesNotMatch(agent.program.output(), /started the proxy/);
    }));
}
