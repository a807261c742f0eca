import assert from "node:assert/strict";
import { nameserversOf } from "./nameservers.ts";
import type { CniPod } from "./types.ts";

const KNOWN = { cluster: ["10.96.0.10"], node: ["192.0.2.1", "192.0.2.2"] };

function pod(dnsPolicy?: string, ...nameservers: string[]): CniPod {
  return {
    metadata: { name: "a" },
    spec: { ...dnsPolicy !== undefined && { dnsPolicy }, dnsConfig: { nameservers } },
  };
}

const CASES: readonly [name: string, pod: CniPod, expected: readonly string[]][] = [
  ["no policy", pod(), ["10.96.0.10"]],
  ["ClusterFirst", pod("ClusterFirst", "192.0.2.9"), ["10.96.0.10", "192.0.2.9"]],
  ["ClusterFirst, given twice", pod("ClusterFirst", "10.96.0.10"), ["10.96.0.10"]],
  ["Default", pod("Default"), ["192.0.2.1", "192.0.2.2"]],
  ["None", pod("None", "192.0.2.9"), ["192.0.2.9"]],
  ["more than resolv.conf takes", pod("Default", "a", "b"), ["192.0.2.1", "192.0.2.2", "a"]],
];

for (const [name, given, expected] of CASES) {
  Deno.test(`nameservers of a pod: ${name}`, () => {
    assert.deepEqual(nameserversOf(given, KNOWN), expected);
  });
}

Deno.test("nameservers of a pod: those of the cluster are not known", () => {
  assert.equal(nameserversOf(pod(), {}), undefined);
  assert.deepEqual(nameserversOf(pod("None", "192.0.2.9"), {}), ["192.0.2.9"]);
});
