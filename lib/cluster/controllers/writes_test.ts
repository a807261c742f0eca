import assert from "node:assert/strict";
import { useEnvironment } from "../../kit/env/mod.ts";
import { expose } from "../../kit/metrics/mod.ts";
import { applyAll } from "./writes.ts";

async function measured(controller: string): Promise<Record<string, number>> {
  const { body } = await expose();
  const series = new RegExp(
    `^(pilot_worker_queue_\\w+)\\{queueID="${controller}"\\} (\\S+)$`,
    "gm",
  );
  return Object.fromEntries(
    [...body.matchAll(series)]
      .filter(([, name]) => !name!.endsWith("_sum"))
      .map(([, name, value]) => [name, Number(value)]),
  );
}

Deno.test("MESH_ENABLE_CONTROLLER_QUEUE_METRICS: writes that wait, run and are left out", async () => {
  using _ = useEnvironment({ MESH_ENABLE_CONTROLLER_QUEUE_METRICS: "true" });
  const controller = new AbortController();
  const depths: (number | undefined)[] = [];
  const depth = async () => depths.push((await measured("few")).pilot_worker_queue_depth);
  const failing = async () => {
    await depth();
    controller.abort();
    throw new Error("refused");
  };
  const applied = applyAll(
    { signal: controller.signal, controller: "few" },
    [depth, failing, depth],
  );
  await assert.rejects(applied, /refused/);
  assert.deepEqual(depths, [3, 2], "the write after the end of the term is left out");
  const { body } = await expose();
  for (const name of ["latency", "duration"]) {
    const bounds = [...body.matchAll(
      new RegExp(`^pilot_worker_queue_${name}_bucket\\{le="([^"]+)",queueID="few"\\}`, "gm"),
    )].map(([, bound]) => bound);
    assert.deepEqual(bounds, ["0.01", "0.1", "0.2", "0.5", "1", "3", "5", "+Inf"], name);
  }
  assert.deepEqual(await measured("few"), {
    pilot_worker_queue_depth: 0,
    pilot_worker_queue_latency_count: 2,
    pilot_worker_queue_duration_count: 2,
  });
});

Deno.test("a write waits for its pace in the queue, and is left out when that fails", async () => {
  using _ = useEnvironment({ MESH_ENABLE_CONTROLLER_QUEUE_METRICS: "true" });
  const { signal } = new AbortController();
  const current = { signal, controller: "paced" };
  let takes = 0;
  const take = async () => {
    if (++takes === 2) throw new Error("no turn");
    assert.deepEqual(await measured("paced"), { pilot_worker_queue_depth: 2 });
  };
  const task = () => Promise.resolve();
  await assert.rejects(applyAll(current, [task, task], { take }), /no turn/);
  assert.deepEqual(await measured("paced"), {
    pilot_worker_queue_depth: 0,
    pilot_worker_queue_latency_count: 1,
    pilot_worker_queue_duration_count: 1,
  });
});

Deno.test("without the variable, queues are not measured", async () => {
  using _ = useEnvironment({});
  const current = { signal: new AbortController().signal, controller: "unmeasured" };
  assert.equal(await applyAll(current, [() => Promise.resolve()]), 1);
  assert.deepEqual(await measured("unmeasured"), {});
});
