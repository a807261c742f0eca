import assert from "node:assert/strict";
import { forecast, type MachineFacts, type TierFacts } from "./test_forecast.ts";

const TIERS: readonly TierFacts[] = [
  { name: "unit", seconds: 120, cpu: 200 },
  { name: "orch", seconds: 180, cpu: 200, cluster: true },
  { name: "node", seconds: 60, cpu: 60, nodes: true },
];

const READY: MachineFacts = {
  cores: 2,
  memory: 16e9,
  isRoot: true,
  hasGo: true,
  lackingCluster: undefined,
  lackingNodes: undefined,
  canBuildNodes: true,
  missingPrograms: [],
};

const CASES: readonly [string, Partial<MachineFacts>, readonly string[]][] = [
  ["all is there", {}, ["about 6 minutes (on two cores)"]],
  ["programs are built first", { lackingCluster: "needs x", lackingNodes: "needs x" }, [
    "about 16 minutes (on two cores, 10 minutes of them to build programs)",
  ]],
  ["without Go", { hasGo: false, lackingCluster: "needs x", lackingNodes: "needs x" }, [
    "about 2 minutes (on two cores)",
    "skipped: orch (needs Go 1.21 or newer)",
    "skipped: node (needs Go 1.21 or newer)",
  ]],
  ["programs built before, without Go", { hasGo: false }, ["about 6 minutes (on two cores)"]],
  ["an ordinary user", { isRoot: false, canBuildNodes: false, lackingNodes: "needs root" }, [
    "about 5 minutes (on two cores)",
    "skipped: node (needs root)",
    "skipped: some tests (needs root: network namespaces)",
  ]],
  ["missing programs, more cores", { cores: 8, missingPrograms: ["dig"] }, [
    "about 6 minutes (as measured on two cores; here are 8)",
    "skipped: some tests (needs dig)",
  ]],
];

for (const [name, facts, lines] of CASES) {
  Deno.test(`test forecast: ${name}`, () => {
    assert.deepEqual(forecast(TIERS, { ...READY, ...facts }), lines);
  });
}
