/**
 * Configuration on demand: a proxy is sent virtual hosts and clusters when requests need them, and
 * further proxies of its workload class are sent what it asked for.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import type { Explanation } from "../../lib/insight/verdict/mod.ts";
import {
  call,
  eventually,
  freePort,
  portsOf,
  spread,
  startAgent,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { documents, endpoint, manifest, NAMESPACE, serviceEntry, to } from "../support/manifest.ts";

import { runInProcess } from "../support/program_run.ts";

/** A workload class on `/debug/on_demand`. */
interface ScopeView {
  readonly namespace: string;
  readonly names: readonly {
    readonly kind: string;
    readonly name: string;
    readonly host: string;
    readonly askers: number;
  }[];
}

/** Services of the mesh; a proxy uses a few of them. */
const SERVICES = 300;
const host = (i: number): string => `s${i}.shop.test`;

Deno.test("a proxy asks for the hosts that its requests need", async (t) => {
  await using v1 = startBackend("v1");
  await using v2 = startBackend("v2");
  await using stack = new AsyncDisposableStack();
  const folder = async () => {
    const dir = await Deno.makeTempDir({ prefix: "mesh-e2e-" });
    stack.defer(() => Deno.remove(dir, { recursive: true }));
    return dir;
  };
  const config = await folder();
  const write = (file: string, text: string) => Deno.writeTextFile(`${config}/${file}`, text);
  const port = freePort();
  const http = { number: port, protocol: "HTTP" };
  const service = (name: string, hosts: string[], to: { port: number }) =>
    serviceEntry(name, hosts, http, [endpoint(to.port)]);
  await write(
    "services.yaml",
    documents(...Array.from({ length: SERVICES }, (_, i) => service(`s${i}`, [host(i)], v1))),
  );
  await write("wild.yaml", service("wild", ["*.wild.test"], v2));
  const env = { MESH_ON_DEMAND_NAMES: "100", PILOT_ENABLE_ON_DEMAND: "true" };
  let daemon = stack.use(await startDaemon({ configDir: config, env }));
  const start = async (name: string, ip: string, more: Record<string, string> = {}) =>
    stack.use(
      await startAgent({
        role: "sidecar",
        name,
        namespace: NAMESPACE,
        ip,
        xds: daemon.xds,
        envoy: await envoyPath(),
        dir: await folder(),
        interception: "NONE",
        env: more,
      }),
    );
  const first = await start("first", "127.0.9.12");
  const url = `http://127.0.0.1:${port}/`;
  const ask = (name: string) => call(url, { host: name });
  const hosts = async (agent: typeof first): Promise<string[]> => {
    const dump = await agent.configDump();
    const text = JSON.stringify(dump);
    return [...new Set([...text.matchAll(/"name":"(\d+\/[^"]+)"/g)].map(([, name]) => name!))]
      .sort();
  };
  const clusters = async (agent: typeof first) =>
    (await agent.held("cluster")).filter((name) => name.startsWith("outbound|")).sort();

  await t.step("at first it holds no hosts and no clusters", async () => {
    assert.deepEqual([await hosts(first), await clusters(first)], [[], []]);
  });
  await t.step("a request to a host that it has not asked for is explained", async () => {
    const asked = new URLSearchParams([
      ["from", `first.${NAMESPACE}`],
      ["url", `http://127.0.0.1:${port}/`],
      ["header", `host: ${host(7)}`],
    ]);
    const explained = await daemon.debug<Explanation>(`request?${asked}`);
    assert.deepEqual(explained.outcomes.map(({ kind }) => kind), ["reached"]);
    assert.ok(explained.assumptions.some((one) => one.includes("on demand")));
    assert.deepEqual([await hosts(first), await clusters(first)], [[], []]);
  });
  await t.step("first requests to many hosts at once are all served", async () => {
    const all = await Promise.all(Array.from({ length: 200 }, (_, i) => ask(host(i % 40))));
    const failed = all.filter(({ status }) => status !== 200);
    assert.deepEqual(failed, []);
    assert.equal((await clusters(first)).length, 40);
    assert.equal((await hosts(first)).length, 40);
  });
  await t.step("a request with a body is held and arrives whole", async () => {
    const sent = await call(url, { method: "POST", host: host(50), body: "x".repeat(200_000) });
    assert.equal(sent.status, 200);
  });
  await t.step("a pattern serves the hosts that it covers", async () => {
    assert.deepEqual(await spread(3, url, { host: "a.wild.test" }), { v2: 3 });
  });
  await t.step(
    "an unknown host is answered by the policy, and served when it appears",
    async () => {
      assert.notEqual((await ask("late.shop.test")).status, 404);
      await write("late.yaml", service("late", ["late.shop.test"], v2));
      await eventually("the host", async () => (await ask("late.shop.test")).status === 200);
      await Deno.remove(`${config}/late.yaml`);
      await eventually("its end", async () => (await ask("late.shop.test")).status !== 200);
    },
  );
  await t.step("routes of a host that was asked for are kept up to date", async () => {
    await write(
      "routes.yaml",
      manifest("VirtualService", "s0", { hosts: [host(0)], http: [to("a.wild.test")] }),
    );
    await eventually(
      "other routes",
      async () => (await spread(2, url, { host: host(0) }))["v1"] === undefined,
    );
    await Deno.remove(`${config}/routes.yaml`);
    await eventually("its own", async () => (await spread(2, url, { host: host(0) }))["v1"] === 2);
  });
  await t.step("nothing was rejected", async () => {
    const rejected = await first.stats("update_rejected$");
    assert.ok(Object.values(rejected).every((n) => n === 0), JSON.stringify(rejected));
  });
  await t.step(
    "without the daemon what is known answers, and the rest fails with a reason",
    async () => {
      daemon.program.kill("SIGKILL");
      await daemon.program.status;
      assert.equal((await ask(host(1))).status, 200);
      const unknown = await ask(host(200));
      assert.equal(unknown.status, 504);
      assert.match(unknown.body, /stream timeout/);
    },
  );
  await t.step(
    "a restarted daemon keeps what the proxy asked for, and answers it again",
    async () => {
      const before = await hosts(first);
      daemon = stack.use(await startDaemon({ configDir: config, ports: portsOf(daemon), env }));
      await eventually("new hosts", async () => (await ask(host(210))).status === 200);
      const now = await hosts(first);
      assert.deepEqual(before.filter((name) => !now.includes(name)), []);
      assert.equal((await ask(host(1))).status, 200);
    },
  );
  await t.step("the daemon shows what was asked for, and gives it as a Sidecar", async () => {
    const [scope] = await daemon.debug<readonly ScopeView[]>("on_demand");
    assert.equal(scope!.namespace, NAMESPACE);
    const wild = scope!.names.find(({ name }) => name === `${port}/a.wild.test:${port}`) ??
      scope!.names.find(({ name }) => name === `${port}/a.wild.test`);
    assert.deepEqual([wild?.kind, wild?.host, wild?.askers], ["host", "*.wild.test", 1]);
    const sidecar = await fetch(`${daemon.monitoring}/debug/on_demand?format=sidecar`);
    assert.match(await sidecar.text(), /kind: Sidecar[^]*\*\/s1\.shop\.test/);
    const argv = ["x", "learned-scopes", "--xds-address", daemon.xds, "--plaintext"];
    const [table, errors, status] = await runInProcess(MESHCTL, argv);
    assert.deepEqual([status, errors], [0, ""]);
    assert.match(table, new RegExp(`host +${port}/a\\.wild\\.test\\S* +\\*\\.wild\\.test +1/1`));
    const [yaml] = await runInProcess(MESHCTL, [...argv, "--output", "sidecar"]);
    assert.match(yaml, /kind: Sidecar[^]*\*\/s1\.shop\.test/);
  });
  let second: typeof first;
  await t.step("the next proxy of the class is sent what the first one asked for", async () => {
    const before = await hosts(first);
    await first[Symbol.asyncDispose]();
    second = await start("second", "127.0.9.12");
    assert.deepEqual(await hosts(second), before);
    assert.ok((await clusters(second)).includes(`outbound|${port}||${host(1)}`));
    assert.equal((await ask(host(1))).status, 200);
  });
  await t.step("a host beyond MESH_ON_DEMAND_NAMES is answered 503", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(host(220 + i))));
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.length > 0);
    assert.ok(refused.every(({ status, body }) => status === 503 && body.includes("ON_DEMAND")));
  });
  await t.step("MESH_ON_DEMAND_RETENTION bounds the time of a learned scope", async () => {
    daemon.program.kill("SIGKILL");
    await daemon.program.status;
    const short = { ...env, MESH_ON_DEMAND_RETENTION: "1ms" };
    daemon = stack.use(
      await startDaemon({ configDir: config, ports: portsOf(daemon), env: short }),
    );
    const connected = async () =>
      (await daemon.debug<{ totalClients: number }>("connections")).totalClients;
    await eventually("the proxy to be back", async () => await connected() === 1);
    await second[Symbol.asyncDispose]();
    await eventually("the proxy to be gone", async () => await connected() === 0);
    const third = await start("third", "127.0.9.12");
    assert.deepEqual(await hosts(third), []);
  });
});
