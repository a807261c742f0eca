import assert from "node:assert/strict";
import { manualClock } from "../../../tests/support/ingest_fixture.ts";
import { createDebouncer, type Trigger } from "./debounce.ts";

function published(
  changes: readonly [at: number, ...kinds: Trigger[]][],
  endpointsWait = true,
): number[] {
  const time = manualClock();
  const at: number[] = [];
  const debouncer = createDebouncer({
    after: 100,
    max: 1000,
    endpointsWait,
    now: time.now,
    timer: time.timer,
    publish: () => at.push(time.now()),
  });
  for (const [when, ...kinds] of changes) {
    time.to(when);
    debouncer.changed(...kinds);
  }
  time.to(10_000);
  assert.equal(debouncer.waiting, false);
  assert.equal(time.waiting, 0);
  return at;
}

Deno.test("changes are published after a quiet time, at the latest after the longest", () => {
  const steady = Array.from({ length: 30 }, (_, i) => [i * 50, "config"] as [number, Trigger]);
  const cases: [name: string, changes: [number, ...Trigger[]][], want: number[]][] = [
    ["one", [[0, "config"]], [100]],
    ["two close together", [[0, "config"], [60, "service"]], [160]],
    ["two apart", [[0, "config"], [150, "config"]], [100, 250]],
    ["without a pause", steady, [1000, 1550]],
    ["nothing", [], []],
  ];
  for (const [name, changes, want] of cases) assert.deepEqual(published(changes), want, name);
});

Deno.test("endpoint changes may be published at once, but never ahead of waiting changes", () => {
  assert.deepEqual(published([[10, "endpoint"], [20, "endpoint"]], false), [10, 20]);
  assert.deepEqual(published([[10, "config"], [20, "endpoint"]], false), [120]);
  assert.deepEqual(published([[10, "endpoint", "config"]], false), [110]);
  assert.deepEqual(published([[10, "endpoint"]], true), [110]);
});

Deno.test("a change that is reported late has already waited a part of the quiet time", () => {
  const time = manualClock();
  const at: number[] = [];
  const debouncer = createDebouncer({
    after: 100,
    max: 1000,
    endpointsWait: true,
    now: time.now,
    timer: time.timer,
    publish: () => at.push(time.now()),
  });
  const cases: [name: string, notified: number, changed: number, want: number][] = [
    ["half of it", 1050, 1000, 1100],
    ["all of it", 2300, 2000, 2300],
    ["nothing, from a clock ahead", 3000, 3050, 3100],
  ];
  for (const [name, notified, changed, want] of cases) {
    time.to(notified);
    debouncer.changedAt(changed, ["config"]);
    time.to(notified + 500);
    assert.equal(at.pop(), want, name);
  }
  assert.deepEqual(at, []);
});

Deno.test("waiting changes wait for noticed ones, at most one more quiet time", () => {
  const published: [why: string, at: number][] = [];
  const run = (why: string, noticed: readonly [from: number, notified: number]) => {
    const time = manualClock();
    const debouncer = createDebouncer({
      after: 100,
      max: 1000,
      endpointsWait: true,
      now: time.now,
      moreExpected: () => time.now() >= noticed[0] && time.now() < noticed[1],
      timer: time.timer,
      publish: () => published.push([why, time.now()]),
    });
    time.to(50);
    debouncer.changedAt(0, ["config"]);
    time.to(noticed[1] - 1);
    if (noticed[1] === 110) debouncer.changedAt(noticed[0], ["config"]);
    time.to(5000);
  };
  run("nothing noticed", [0, 50]);
  run("told as a change", [60, 110]);
  run("never told", [60, 4000]);
  assert.deepEqual(published, [
    ["nothing noticed", 100],
    ["told as a change", 160],
    ["never told", 200],
  ]);
});

Deno.test("waiting changes can be published at once, or dropped", () => {
  const time = manualClock();
  let count = 0;
  const debouncer = createDebouncer({
    after: 100,
    max: 1000,
    endpointsWait: true,
    now: time.now,
    timer: time.timer,
    publish: () => count++,
  });
  debouncer.changed("config");
  assert.ok(debouncer.waiting);
  debouncer.flush();
  assert.equal(count, 1);
  debouncer.flush();
  assert.equal(count, 1, "nothing waits any more");
  debouncer.changed("config");
  debouncer.stop();
  time.to(1000);
  assert.equal(count, 1);
});
