import assert from "node:assert/strict";
import { drainOf, openConnections } from "./drain.ts";

const PORTS = { admin: 15000, status: 15020, health: 15021, prometheus: 15090 };
const OPTIONS = { duration: 0, untilZero: false, minimum: 0, interval: 0, ports: PORTS };
const never = new AbortController().signal;

/** An admin API that counts calls and returns these connection counts in order. */
function fakeAdmin(counts: number[]) {
  const asked = { drains: 0, counts: 0 };
  return {
    asked,
    stats: () => {
      asked.counts++;
      return Promise.resolve(
        new Map([["listener.0.0.0.0_80.downstream_cx_active", counts.shift() ?? 0]]),
      );
    },
    drainListeners: () => {
      asked.drains++;
      return Promise.resolve();
    },
  };
}

Deno.test("a drain asks once, however often it is started", async () => {
  const admin = fakeAdmin([]);
  const drain = drainOf(admin, OPTIONS);
  assert.equal(drain.started, false);
  await drain.start();
  assert.equal(drain.started, true);
  await drain.finish(never);
  assert.deepEqual(admin.asked, { drains: 1, counts: 0 });
});

Deno.test("a drain until zero ends when no connection is left", async () => {
  const admin = fakeAdmin([3, 1, 1, 0, 5]);
  await drainOf(admin, { ...OPTIONS, untilZero: true, duration: 1e9 }).finish(never);
  assert.deepEqual(admin.asked, { drains: 1, counts: 4 });
});

Deno.test("a drain ends when its signal is aborted", async () => {
  const aborted = new AbortController();
  const waiting = drainOf(fakeAdmin([]), { ...OPTIONS, duration: 1e9 }).finish(aborted.signal);
  aborted.abort();
  await waiting;
});

Deno.test("a proxy that cannot be asked does not stop the drain", async () => {
  const admin = {
    stats: () => Promise.reject(new Error("gone")),
    drainListeners: () => Promise.reject(new Error("gone")),
  };
  await drainOf(admin, { ...OPTIONS, untilZero: true }).finish(never);
});

Deno.test("connections to the agent's own listeners and repeated counts are left out", () => {
  const cx = "downstream_cx_active";
  const stats = new Map([
    [`listener.0.0.0.0_80.${cx}`, 2],
    [`listener.0.0.0.0_80.worker_0.${cx}`, 2],
    [`listener.[__]_443.${cx}`, 3],
    [`listener.admin.${cx}`, 10],
    [`listener.admin.main_thread.${cx}`, 10],
    [`listener.0.0.0.0_15090.${cx}`, 20],
    [`listener.[__]_15021.${cx}`, 40],
  ]);
  assert.equal(openConnections(stats, PORTS), 5);
});
