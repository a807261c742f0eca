import assert from "node:assert/strict";
import fc from "fast-check";
import { type RootChange, type RootEvent, stepRootChange, trustedRoots } from "./mod.ts";

const TIMES = { timeout: 100, longestTtl: 1000 };
const STABLE: RootChange<string> = { phase: "stable", active: "A" };

/** Steps from `stable` through events, each with its time. */
function after(...events: [number, RootEvent<string>][]): RootChange<string> {
  return events.reduce<RootChange<string>>(
    (state, [now, event]) => stepRootChange(state, event, { ...TIMES, now }),
    STABLE,
  );
}

const BEGIN: RootEvent<string> = { type: "begin", next: "B" };
const tick = (...pending: string[]): RootEvent<string> => ({ type: "tick", pending });

Deno.test("a new root is trusted by all before it signs, and the old one until its last certificate expired", () => {
  const announced = after([0, BEGIN]);
  assert.deepEqual(trustedRoots(announced), ["B", "A"]);
  assert.equal(announced.active, "A");
  const waiting = after([0, BEGIN], [50, tick("p", "q")]);
  assert.equal(waiting.phase, "announced");
  const switched = after([0, BEGIN], [50, tick("p")], [60, tick()]);
  assert.deepEqual(switched, { phase: "switched", active: "B", previous: "A", until: 1060 });
  assert.deepEqual(trustedRoots(switched), ["A", "B"]);
  assert.equal(after([0, BEGIN], [60, tick()], [1059, tick()]).phase, "switched");
  assert.deepEqual(after([0, BEGIN], [60, tick()], [1060, tick("late")]), {
    phase: "stable",
    active: "B",
  });
});

Deno.test("after the time the laggards are named, and the operator decides", () => {
  const overdue = after([0, BEGIN], [100, tick("q", "p")]);
  assert.deepEqual(overdue, {
    phase: "overdue",
    active: "A",
    next: "B",
    since: 0,
    laggards: ["p", "q"],
  });
  // The change continues when the laggards are gone, and not before.
  assert.equal(after([0, BEGIN], [100, tick("p")], [5000, tick("p")]).phase, "overdue");
  assert.equal(after([0, BEGIN], [100, tick("p")], [101, tick()]).phase, "switched");
  assert.equal(after([0, BEGIN], [100, tick("p")], [101, { type: "proceed" }]).active, "B");
  assert.deepEqual(after([0, BEGIN], [100, tick("p")], [101, { type: "abort" }]), STABLE);
});

Deno.test("law: only a root that was trusted before signs, and none is dropped while it signs", () => {
  const event = fc.oneof(
    fc.constantFrom<RootEvent<string>>({ type: "proceed" }, { type: "abort" }),
    fc.array(fc.constantFrom("p", "q"), { maxLength: 2 }).map((pending) => tick(...pending)),
    fc.nat(100).map((n): RootEvent<string> => ({ type: "begin", next: `R${n}` })),
  );
  fc.assert(fc.property(fc.array(fc.tuple(fc.nat(400), event), { maxLength: 40 }), (steps) => {
    let state = after();
    let now = 0;
    for (const [gap, event] of steps) {
      now += gap;
      const next = stepRootChange(state, event, { ...TIMES, now });
      assert.ok(trustedRoots(state).includes(next.active), "signs with a trusted root");
      assert.ok(trustedRoots(next).includes(next.active));
      assert.ok(trustedRoots(next).includes(state.active), "the signing root stays trusted");
      if (state.phase === "switched" && next !== state) assert.ok(now >= state.until);
      state = next;
    }
  }));
});
