import assert from "node:assert/strict";
import { MeshConfig_DefaultTrafficPolicySchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { TrafficPolicySchema } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { NO_DECISIONS } from "../../../kit/base/mod.ts";
import { fromJson, type JsonValue, toJson } from "../../../kit/proto/mod.ts";
import { mergeTrafficPolicy } from "./traffic_policy.ts";

interface Case {
  readonly name: string;
  readonly rule?: JsonValue;
  readonly subset?: JsonValue;
  readonly defaults?: JsonValue;
  readonly merged: JsonValue | undefined;
}

const random = { loadBalancer: { simple: "RANDOM" } };

const pool = { connectionPool: { tcp: { maxConnections: 7 } } };

const roundRobin = { loadBalancer: { simple: "ROUND_ROBIN" } };

const budget = { retryBudget: { minRetryConcurrency: 4 } };

const at = (port: number, groups: Record<string, JsonValue>): JsonValue => ({
  port: { number: port },
  ...groups,
});

const CASES: readonly Case[] = [
  { name: "without settings", merged: undefined },
  { name: "the rule's", rule: { ...random, ...pool }, merged: { ...random, ...pool } },
  { name: "the subset's alone", subset: random, merged: random },
  {
    name: "the subset's groups over the rule's, the others stay",
    rule: { ...random, ...pool },
    subset: roundRobin,
    merged: { ...roundRobin, ...pool },
  },
  {
    name: "a group is taken whole",
    rule: { connectionPool: { tcp: { maxConnections: 7 }, http: { maxRetries: 3 } } },
    subset: { connectionPool: { http: { maxRetries: 9 } } },
    merged: { connectionPool: { http: { maxRetries: 9 } } },
  },
  {
    name: "the port's settings leave nothing of the destination's four groups",
    rule: { ...random, ...pool, ...budget, portLevelSettings: [at(80, roundRobin)] },
    merged: { ...roundRobin, ...budget },
  },
  {
    name: "another port's settings do not count",
    rule: { ...random, portLevelSettings: [at(81, roundRobin)] },
    merged: random,
  },
  {
    name: "the subset's port settings replace the rule's, said or not",
    rule: { ...pool, ...random },
    subset: { portLevelSettings: [at(80, roundRobin)] },
    merged: roundRobin,
  },
  {
    name: "the subset's groups over the rule's port settings",
    rule: { portLevelSettings: [at(80, { ...random, ...pool })] },
    subset: roundRobin,
    merged: { ...roundRobin, ...pool },
  },
  {
    name: "the mesh's groups where nobody has one",
    rule: random,
    defaults: { ...pool, outlierDetection: { interval: "5s" } },
    merged: { ...random, ...pool, outlierDetection: { interval: "5s" } },
  },
];

for (const { name, rule, subset, defaults, merged } of CASES) {
  Deno.test(`traffic policy: ${name}`, () => {
    const policy = (json?: JsonValue) =>
      json === undefined ? undefined : fromJson(TrafficPolicySchema, json);
    const result = mergeTrafficPolicy(NO_DECISIONS, {
      rule: policy(rule),
      subset: policy(subset),
      port: 80,
      defaults: defaults === undefined
        ? undefined
        : fromJson(MeshConfig_DefaultTrafficPolicySchema, defaults),
    });
    assert.deepEqual(result && toJson(TrafficPolicySchema, result), merged);
  });
}

Deno.test("merging leaves its inputs alone", () => {
  const rule = fromJson(TrafficPolicySchema, { ...random, ...pool });
  const subset = fromJson(TrafficPolicySchema, roundRobin);
  mergeTrafficPolicy(NO_DECISIONS, { rule, subset, port: 80 });
  assert.deepEqual(toJson(TrafficPolicySchema, rule), { ...random, ...pool });
});
