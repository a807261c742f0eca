import assert from "node:assert/strict";
import { namingFaults } from "./metric_names.ts";

const family = (name: string, kind: string, help = "Help.") => ({ name, kind, help, buckets: [] });

Deno.test("names that follow the conventions have no faults", () => {
  const families = [
    family("mesh_pushes_total", "counter"),
    family("mesh_rollout_seconds", "histogram"),
    family("mesh_receipts_bytes", "gauge"),
  ];
  assert.deepEqual(namingFaults(families), []);
});

for (
  const [name, kind, fault] of [
    ["mesh_pushes", "counter", "a counter ends in _total"],
    ["mesh_receipts_total", "gauge", "a gauge does not end in _total"],
    ["mesh_receipts_count", "gauge", "_count is the name of a part of a histogram"],
    ["mesh_lag_ms", "gauge", "use seconds in place of ms"],
    ["meshLag", "gauge", "use lower case, digits and underscores"],
  ] as const
) {
  Deno.test(`${kind} ${name}: ${fault}`, () => {
    assert.deepEqual(namingFaults([family(name, kind)]), [`${name}: ${fault}`]);
  });
}

Deno.test("a metric without help is a fault", () => {
  assert.deepEqual(namingFaults([family("mesh_a", "gauge", " ")]), ["mesh_a: has no help text"]);
});
