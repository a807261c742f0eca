import assert from "node:assert/strict";
import { useEnvironment } from "../../../kit/env/mod.ts";
import { settled } from "../../../../tests/support/settled.ts";
import { createPace, statusPace } from "./pace.ts";

/** Variables of a pace without limits, one write after another. */
const FREE = {
  PILOT_STATUS_QPS: "0",
  PILOT_STATUS_MAX_WORKERS: "1",
  PILOT_STATUS_UPDATE_INTERVAL: "0s",
};
const WRITER = { signal: new AbortController().signal, controller: "status" };

function paceOf(env: Record<string, string>): ReturnType<typeof createPace> {
  using _ = useEnvironment({ ...FREE, ...env });
  return createPace(statusPace());
}

/** Runs writes that end in the order of their start, and returns the most at the same time. */
async function mostAtOnce(workers: number, writes: number): Promise<number> {
  let [running, most] = [0, 0];
  const write = async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
  };
  const pace = paceOf({ PILOT_STATUS_MAX_WORKERS: `${workers}` });
  assert.equal(await pace.run(WRITER, () => Array(writes).fill(write)), writes);
  return most;
}

Deno.test("PILOT_STATUS_MAX_WORKERS: so many writes run at the same time", async () => {
  assert.deepEqual([await mostAtOnce(1, 5), await mostAtOnce(3, 5), await mostAtOnce(9, 5)], [
    1,
    3,
    5,
  ]);
});

Deno.test("PILOT_STATUS_QPS and BURST: writes beyond the burst wait", async () => {
  const controller = new AbortController();
  const burst = Promise.withResolvers<void>();
  let writes = 0;
  const write = () => {
    if (++writes === 2) burst.resolve();
    return Promise.resolve();
  };
  // The third write would wait for an hour.
  const pace = paceOf({ PILOT_STATUS_QPS: "0.0003", PILOT_STATUS_BURST: "2" });
  const round = pace.run({ ...WRITER, signal: controller.signal }, () => Array(3).fill(write));
  await burst.promise;
  await settled();
  controller.abort(new Error("ended"));
  await assert.rejects(round, /ended/);
  assert.equal(writes, 2);
});

Deno.test("PILOT_STATUS_UPDATE_INTERVAL: the next round of writes waits", async () => {
  const pace = paceOf({ PILOT_STATUS_UPDATE_INTERVAL: "1h" });
  const controller = new AbortController();
  assert.equal(await pace.run(WRITER, () => []), 0);
  assert.equal(
    await pace.run(WRITER, () => [() => Promise.resolve()]),
    1,
    "a round without writes",
  );
  let ended = false;
  const waiting = pace.run({ ...WRITER, signal: controller.signal }, () => {
    assert.ok(ended, "the round began before its time");
    return [];
  });
  await Promise.resolve();
  ended = true;
  controller.abort();
  assert.equal(await waiting, 0);
});

Deno.test("a failed write does not end the others", async () => {
  let writes = 0;
  const fail = () => Promise.reject(new Error("no"));
  const write = () => Promise.resolve(writes++);
  await assert.rejects(paceOf({}).run(WRITER, () => [write, fail, write]), /no/);
  assert.equal(writes, 2);
});
