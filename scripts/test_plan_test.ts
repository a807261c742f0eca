import assert from "node:assert/strict";
import { type PlannedTier, planOf, secondsOf } from "./test_plan.ts";

const UNIT: PlannedTier = { name: "unit", seconds: 100, cpu: 190 };
const WIRE: PlannedTier = { name: "wire", seconds: 100, cpu: 100 };
const NODE: PlannedTier = { name: "node", seconds: 400, cpu: 200, place: "beside" };
const ORCH: PlannedTier = { name: "orch", seconds: 100, cpu: 90, place: "beside" };
const ATTACKS: PlannedTier = { name: "attacks", seconds: 50, cpu: 80, place: "last" };
const GIB = 1024 ** 3;

const CASES: readonly {
  readonly name: string;
  readonly tiers: readonly PlannedTier[];
  readonly memory?: number;
  readonly plan: readonly (readonly string[])[];
  readonly seconds: number;
}[] = [
  { name: "one tier", tiers: [UNIT], plan: [["unit"]], seconds: 100 },
  { name: "tiers that compute", tiers: [UNIT, WIRE], plan: [["unit wire"]], seconds: 200 },
  {
    name: "a tier that waits, and no other but the last",
    tiers: [NODE, ATTACKS],
    plan: [["node attacks"]],
    seconds: 450,
  },
  {
    name: "a tier that waits beside others, which are done before it",
    tiers: [UNIT, WIRE, NODE, ATTACKS],
    plan: [["node", "wire unit"], ["attacks"]],
    seconds: 450,
  },
  {
    name: "two tiers that wait, one after the other",
    tiers: [UNIT, WIRE, ORCH, NODE, ATTACKS],
    plan: [["orch node", "wire unit"], ["attacks"]],
    seconds: 550,
  },
  {
    name: "little memory",
    tiers: [UNIT, NODE, ATTACKS],
    memory: 8 * GIB,
    plan: [["unit node attacks"]],
    seconds: 550,
  },
  {
    name: "both lanes together use all processors",
    tiers: [{ ...UNIT, cpu: 900 }, NODE],
    plan: [["node", "unit"]],
    seconds: 550,
  },
];

for (const { name, tiers, memory = 16 * GIB, plan, seconds } of CASES) {
  Deno.test(`test plan: ${name}`, () => {
    const stages = planOf(tiers, memory);
    const names = stages.map((lanes) => lanes.map((lane) => lane.map((one) => one.name).join(" ")));
    assert.deepEqual(names, plan);
    assert.equal(secondsOf(stages), seconds);
  });
}
