import assert from "node:assert/strict";
import fc from "fast-check";
import { assertGolden } from "../../../tests/support/golden.ts";
import { testEndpoint } from "../cluster/cases.ts";
import type { Endpoint } from "../../model/mod.ts";
import { toBinary, toJson } from "../../proto/mod.ts";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { type AssignmentInput, buildAssignment, encodeAssignment, telemetryLabel } from "./mod.ts";

const ENDPOINTS: readonly Endpoint[] = [
  testEndpoint({ address: "10.1.0.2", locality: { region: "r2", zone: "", subzone: "" } }),
  testEndpoint({ address: "10.1.0.1", weight: 5 }),
  testEndpoint({ address: "2001:db8::1", weight: 2, labels: { version: "v2" } }),
  testEndpoint({ address: "unix:///var/run/app.sock", ports: {} }),
  testEndpoint({ address: "10.1.0.3", health: "unhealthy" }),
  testEndpoint({ address: "10.1.0.4", health: "draining" }),
  testEndpoint({ address: "a.example.com" }),
  testEndpoint({ address: "10.1.0.5", ports: { grpc: 9090 } }),
];

const CASES: Readonly<Record<string, Partial<AssignmentInput>>> = {
  all: { telemetryLabel: true, clusterId: "c1" },
  subset: { subsetLabels: { version: "v1" } },
  unhealthy: { sendUnhealthy: true },
  host_names: { hostNames: true },
  empty: { portName: "nobody" },
};

for (const [name, over] of Object.entries(CASES)) {
  Deno.test(`assignment: ${name}`, async () => {
    const input = { clusterName: "c", endpoints: ENDPOINTS, portName: "http", ...over };
    await assertGolden(
      new URL(`./testdata/${name}.golden.json`, import.meta.url),
      toJson(ClusterLoadAssignmentSchema, buildAssignment(input)),
    );
  });
}

Deno.test("telemetry labels name workload, namespace, canonical service, revision, cluster", () => {
  const cases: [labels: Record<string, string>, label: string][] = [
    [{}, "w;ns;w;latest;c1"],
    [{ app: "a", version: "2" }, "w;ns;a;2;c1"],
    [{ app: "a", "app.kubernetes.io/name": "n", "app.kubernetes.io/version": "3" }, "w;ns;n;3;c1"],
    [{
      app: "a",
      "service.mesh.io/canonical-name": "s",
      "service.mesh.io/canonical-revision": "4",
    }, "w;ns;s;4;c1"],
  ];
  for (const [labels, label] of cases) {
    const endpoint = testEndpoint({ labels, workload: "w", namespace: "ns" });
    assert.equal(telemetryLabel(endpoint, "c1"), label);
  }
});

/** Names as users write them, with empty ones and ones beyond ASCII. */
const name = fc.oneof(fc.stringMatching(/^[a-z0-9-]{0,12}$/), fc.string({ unit: "grapheme" }));

const endpoint: fc.Arbitrary<Endpoint> = fc.record({
  address: fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom("a.example.com", "bücher.example", "unix:///run/ä.sock"),
  ),
  ports: fc.constantFrom<Record<string, number>>(
    { http: 8080 },
    { http: 1 },
    { http: 65535 },
    { other: 80 },
    { http: 0 },
  ),
  labels: fc.dictionary(fc.constantFrom("app", "version"), name, { noNullPrototype: true }),
  network: fc.constant(""),
  locality: fc.record({ region: name, zone: name, subzone: name }),
  weight: fc.oneof(
    fc.integer({ min: 0, max: 300 }),
    fc.integer({ min: 0, max: 0xffff_ffff }),
    fc.constant(0xffff_ffff),
  ),
  serviceAccount: fc.constant(""),
  namespace: name,
  health: fc.constantFrom("healthy", "unhealthy", "draining"),
  workload: name,
});

const input: fc.Arbitrary<AssignmentInput> = fc.record({
  clusterName: name,
  endpoints: fc.array(endpoint, { maxLength: 40 }),
  portName: fc.constant("http"),
  subsetLabels: fc.constantFrom<(Record<string, string> | undefined)[]>(undefined, {}, { app: "" }),
  telemetryLabel: fc.boolean(),
  clusterId: name,
  sendUnhealthy: fc.boolean(),
  hostNames: fc.boolean(),
  mutual: fc.constantFrom(undefined, () => true, ({ weight }: Endpoint) => weight > 5),
});

Deno.test("the fast encoder writes the bytes of the library", () => {
  fc.assert(
    fc.property(input, (given) => {
      const expected = toBinary(ClusterLoadAssignmentSchema, buildAssignment(given));
      assert.deepEqual(encodeAssignment(given), expected);
    }),
    { numRuns: 500 },
  );
});

Deno.test("weights never add up to more than Envoy takes, and none is lost", () => {
  fc.assert(fc.property(input, (given) => {
    const { endpoints } = buildAssignment(given);
    let sum = 0;
    for (const { lbEndpoints, loadBalancingWeight } of endpoints) {
      const weights = lbEndpoints.map((e) => e.loadBalancingWeight ?? 0);
      assert.ok(weights.every((w) => w >= 1));
      const total = weights.reduce((a, b) => a + b, 0);
      assert.equal(loadBalancingWeight, total);
      sum += total;
    }
    assert.ok(sum <= 0xffff_ffff);
  }));
});

Deno.test("the order of endpoints decides nothing about localities", () => {
  const common = { clusterName: "c", portName: "http" };
  const zones = (endpoints: readonly Endpoint[]) =>
    buildAssignment({ ...common, endpoints }).endpoints.map((e) => e.locality?.region);
  assert.deepEqual(zones(ENDPOINTS), zones([...ENDPOINTS].reverse()));
  assert.deepEqual(zones(ENDPOINTS), ["r1", "r2"]);
});
