import assert from "node:assert/strict";
import { MeshError } from "../../kit/base/mod.ts";
import { parseStats } from "./admin.ts";
import { configFault, readinessOf, serverFault, startReadiness } from "./readiness.ts";

const stats = (values: Record<string, number>) => new Map(Object.entries(values));
const CDS = "cluster_manager.cds.update_";
const LDS = "listener_manager.lds.update_";

const CONFIG: readonly (readonly [Record<string, number>, RegExp | undefined])[] = [
  [{}, /^no configuration received from the daemon/],
  [{ [`${CDS}success`]: 1 }, /^configuration received in part: listeners not received$/],
  [{ [`${LDS}success`]: 1 }, /^configuration received in part: clusters not received$/],
  [
    { [`${CDS}rejected`]: 2, [`${LDS}success`]: 1 },
    /^configuration rejected by the proxy: clusters rejected;/,
  ],
  [
    { [`${CDS}rejected`]: 2 },
    /^configuration rejected by the proxy: clusters rejected, listeners not received;/,
  ],
  [{ [`${CDS}success`]: 1, [`${CDS}rejected`]: 9, [`${LDS}success`]: 1 }, undefined],
];
for (const [values, expected] of CONFIG) {
  Deno.test(`the configuration's state of ${JSON.stringify(values)}`, () => {
    const fault = configFault(stats(values));
    if (expected === undefined) assert.equal(fault, undefined);
    else assert.match(fault ?? "", expected);
  });
}

const WORKERS = "listener_manager.workers_started";
const SERVER: readonly (readonly [Record<string, number>, RegExp | undefined])[] = [
  [{}, /does not report its state/],
  [{ "server.state": 2 }, /PRE_INITIALIZING/],
  [{ "server.state": 7 }, /7/],
  [{ "server.state": 0 }, /workers have not started/],
  [{ "server.state": 0, [WORKERS]: 1 }, undefined],
];
for (const [values, expected] of SERVER) {
  Deno.test(`the server's state of ${JSON.stringify(values)}`, () => {
    const fault = serverFault(stats(values));
    if (expected === undefined) assert.equal(fault, undefined);
    else assert.match(fault ?? "", expected);
  });
}

Deno.test("a probe that succeeded is not made again; draining is asked each time", async () => {
  const asked: string[] = [];
  let answers: Record<string, number> = { [`${CDS}success`]: 1, [`${LDS}success`]: 1 };
  let draining = false;
  let ready = 0;
  const admin = {
    stats: (filter: string) => {
      asked.push(filter);
      return Promise.resolve(stats(answers));
    },
    drainListeners: () => Promise.resolve(),
  };
  const readiness = readinessOf(admin, () => draining, () => ready++);
  assert.match(await readiness.check() ?? "", /state/);
  answers = { "server.state": 0, [WORKERS]: 1 };
  assert.equal(await readiness.check(), undefined);
  assert.equal(await readiness.check(), undefined);
  assert.equal(asked.length, 3);
  assert.equal(ready, 1);
  draining = true;
  assert.match(await readiness.check() ?? "", /draining/);
});

Deno.test("an admin API that does not answer is an error, and no verdict", async () => {
  const admin = {
    stats: () => Promise.reject(new MeshError("proxy-admin", "gone")),
    drainListeners: () => Promise.resolve(),
  };
  await assert.rejects(readinessOf(admin, () => false, () => {}).check(), /gone/);
});

Deno.test("the admin API's statistics are read by name", () => {
  const text = 'a.b: 1\nlistener.[__]_80.x: 23\ntext: "2"\nhistogram: P0(nan,1)\n\n';
  assert.deepEqual([...parseStats(text)], [["a.b", 1], ["listener.[__]_80.x", 23]]);
});

Deno.test("an agent without a proxy is ready after its start, not before", async () => {
  const start = startReadiness();
  assert.equal(await start.check(), "the agent is starting");
  start.end();
  assert.equal(await start.check(), undefined);
});
