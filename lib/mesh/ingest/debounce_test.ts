import assert from "node:assert/strict";
import { manualClock } from "../../../tests/support/ingest_fixture.ts";
import { createDebouncer, type Trigger } from "./debounce.ts";

/** A change: when it is seen, its kind, and `alone` if it can be published without others. */
type Change = readonly [at: number, kind: Trigger, alone?: "alone"];

/** The times at which changes are published: after a quiet time of 100 ms, at most 1,000 ms. */
function published(changes: readonly Change[], endpointsWait = true): number[] {
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
  for (const [when, kind, alone] of changes) {
    time.to(when);
    debouncer.changedAt(when, [kind], alone === "alone");
  }
  time.to(10_000);
  assert.equal(debouncer.waiting, false);
  assert.equal(time.waiting, 0);
  return at;
}

/** A change each 50 ms, 30 in all. */
function steady(kind: Trigger): Change[] {
  return Array.from({ length: 30 }, (_, i) => [1000 + i * 50, kind, "alone"]);
}

/** The times from `first` to `last`. */
function each(step: number, first: number, last: number): number[] {
  return Array.from({ length: (last - first) / step + 1 }, (_, i) => first + step * i);
}

Deno.test("changes are published after a quiet time, at the latest after the longest", () => {
  const cases: [name: string, changes: Change[], want: number[]][] = [
    ["one", [[0, "config"]], [100]],
    ["two close together", [[0, "config"], [60, "service"]], [160]],
    ["two apart", [[0, "config"], [150, "config"]], [100, 250]],
    ["without a pause", steady("config").map(([at, kind]) => [at, kind]), [2000, 2550]],
    ["nothing", [], []],
  ];
  for (const [name, changes, want] of cases) assert.deepEqual(published(changes), want, name);
});

Deno.test("changes that stand alone are published soon, a quiet time after the former ones", () => {
  const cases: [name: string, changes: Change[], want: number[]][] = [
    ["one", [[0, "config", "alone"]], [10]],
    ["one after another", [[0, "config", "alone"], [150, "config", "alone"]], [10, 160]],
    ["two at the same time", [[0, "config", "alone"], [4, "config", "alone"]], [10]],
    ["its followers wait", [[0, "config", "alone"], [60, "service", "alone"]], [10, 110]],
    ["without a pause", steady("config"), each(100, 1010, 2510)],
    ["one that needs others follows", [[0, "config", "alone"], [50, "config"]], [10, 150]],
    ["beside one that needs others", [[0, "config"], [50, "config", "alone"]], [100]],
    ["one that needs others extends", [[0, "config", "alone"], [5, "config"]], [105]],
  ];
  for (const [name, changes, want] of cases) assert.deepEqual(published(changes), want, name);
});

Deno.test("changes of endpoints always stand alone", () => {
  const cases: [name: string, changes: Change[], want: number[]][] = [
    ["one", [[0, "endpoint"], [9, "endpoint"]], [10]],
    ["later ones", [[0, "endpoint"], [20, "endpoint"], [90, "endpoint"]], [10, 110]],
    ["beside a change that waits", [[0, "config"], [60, "endpoint"]], [100]],
    ["an edit between them", [[0, "endpoint"], [50, "config", "alone"]], [10, 110]],
  ];
  for (const [name, changes, want] of cases) assert.deepEqual(published(changes), want, name);
});

Deno.test("endpoint changes may be published at once, but never ahead of waiting changes", () => {
  assert.deepEqual(published([[10, "endpoint"], [20, "endpoint"]], false), [10, 20]);
  assert.deepEqual(published([[10, "config"], [20, "endpoint"]], false), [110]);
  assert.deepEqual(published([[10, "endpoint"]], true), [20]);
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
    debouncer.changedAt(changed, ["config"], false);
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
    debouncer.changedAt(0, ["config"], false);
    time.to(noticed[1] - 1);
    if (noticed[1] === 110) debouncer.changedAt(noticed[0], ["config"], false);
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
  debouncer.changedAt(time.now(), ["config"], false);
  assert.ok(debouncer.waiting);
  debouncer.flush();
  assert.equal(count, 1);
  debouncer.flush();
  assert.equal(count, 1, "nothing waits any more");
  debouncer.changedAt(time.now(), ["config"], false);
  debouncer.stop();
  time.to(1000);
  assert.equal(count, 1);
});
