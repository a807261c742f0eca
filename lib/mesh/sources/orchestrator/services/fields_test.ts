/** Fields of Services, EndpointSlices, pods and nodes reach the row of the Service. */
import assert from "node:assert/strict";
import { type ApiService, type ApiSlice, podFacts } from "./api.ts";
import { nodeFacts } from "./locality.ts";
import { serviceRow } from "./row.ts";

interface World {
  readonly service: NonNullable<ApiService["spec"]>;
  readonly endpoint: object;
  readonly pod: object;
  readonly labels: Readonly<Record<string, string>>;
}

const WORLD: World = {
  service: { ports: [{ name: "http", port: 80 }] },
  endpoint: {},
  pod: {},
  labels: {},
};

/** The row as JSON. */
function rowOf(change: Partial<World>): string {
  const { service, endpoint, pod, labels } = { ...WORLD, ...change };
  const slice = {
    metadata: { name: "web-1", namespace: "shop" },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: [{
      addresses: ["10.1.0.1"],
      nodeName: "n1",
      targetRef: { kind: "Pod", name: "p" },
      ...endpoint,
    }],
  } as ApiSlice;
  const facts = podFacts({ metadata: { name: "p", namespace: "shop" }, spec: pod } as never);
  const { spec, service: more, digest } = serviceRow(
    { metadata: { name: "web", namespace: "shop" }, spec: service },
    {
      slices: [slice],
      pod: () => facts,
      podAt: () => undefined,
      node: (name) => nodeFacts({ metadata: { name, labels } }),
      nodes: () => [],
      addressesOf: () => [],
      isNamedGateway: false,
      network: "",
      domain: "cluster.local",
      source: "c",
      selectEntries: true,
    },
  );
  return JSON.stringify([spec, more, digest]);
}

const CASES: readonly (readonly [what: string, change: Partial<World>, found: string])[] = [
  ["targetPort, for WorkloadEntries", {
    service: { ports: [{ name: "http", port: 80, targetPort: 8081 }] },
  }, '"targetPort":8081'],
  ["hostname of an endpoint", { endpoint: { hostname: "web-0" } }, '"hostname":"web-0"'],
  [
    "serviceAccountName of the pod",
    { pod: { serviceAccountName: "own" } },
    '"serviceAccount":"own"',
  ],
  [
    "topology.mesh.io/subzone of the Node",
    { labels: { "topology.kubernetes.io/region": "r1", "topology.mesh.io/subzone": "s7" } },
    '"r1//s7"',
  ],
];

for (const [what, change, found] of CASES) {
  Deno.test(`a row has ${what}`, () => {
    assert.ok(rowOf(change).includes(found), rowOf(change));
    assert.ok(!rowOf({}).includes(found));
  });
}
