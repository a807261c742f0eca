import assert from "node:assert/strict";
import fc from "fast-check";
import { ClusterLoadAssignmentSchema } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { LocalityLoadBalancerSettingSchema } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { testEndpoint } from "../../../../tests/support/envoy_cases/cluster_parts.ts";
import { assertGolden } from "../../../../tests/support/golden.ts";
import type { Endpoint, NetworkGateway, ProxyLocality } from "../../model/mod.ts";
import { fromJson, type JsonValue, toBinary, toJson } from "../../../kit/proto/mod.ts";
import { buildAssignment } from "./build.ts";
import { encodeAssignment } from "./encode.ts";
import { planAssignment } from "./plan.ts";
import type { AssignmentInput, LocalityRule } from "./planned.ts";
import { telemetryLabel } from "./workload_label.ts";

const ENDPOINTS: readonly Endpoint[] = [
  testEndpoint({ address: "10.1.0.2", locality: { region: "r2", zone: "", subzone: "" } }),
  testEndpoint({ address: "10.1.0.1", weight: 5 }),
  testEndpoint({ address: "2001:db8::1", weight: 2, labels: { version: "v2" } }),
  testEndpoint({ address: "unix:///var/run/app.sock" }),
  testEndpoint({ address: "10.1.0.3", health: "unhealthy" }),
  testEndpoint({ address: "10.1.0.4", health: "draining" }),
  testEndpoint({ address: "a.example.com" }),
  testEndpoint({ address: "10.1.0.5", ports: { grpc: 9090 } }),
];

/** A locality `r1/z1/s1` in network `one`, with overrides. */
function proxyAt(over: Partial<ProxyLocality> = {}): ProxyLocality {
  const locality = { region: "r1", zone: "z1", subzone: "s1" };
  return { locality, labels: {}, network: "one", view: [], rules: [], ...over };
}

function ruleOf(setting: JsonValue, failsOver = true): LocalityRule {
  return { setting: fromJson(LocalityLoadBalancerSettingSchema, setting), failsOver };
}

/** Endpoints at localities written as `region/zone/subzone`, by address. */
function endpointsAt(localities: Readonly<Record<string, string>>): Endpoint[] {
  return Object.entries(localities).map(([address, at]) => {
    const [region = "", zone = "", subzone = ""] = at.split("/");
    return testEndpoint({ address, locality: { region, zone, subzone } });
  });
}

/** Address → `priority:weight of the locality`. */
function orderOf(input: Partial<AssignmentInput>): Record<string, string> {
  const planned = planAssignment({
    clusterName: "c",
    portName: "http",
    endpoints: [],
    proxyLocality: proxyAt(),
    ...input,
  });
  return Object.fromEntries(
    planned.flatMap(({ priority, weight, endpoints }) =>
      endpoints.map((e) => [e.endpoint.address, `${priority}:${weight}`])
    ),
  );
}

const EVERYWHERE = endpointsAt({
  "10.0.0.1": "r1/z1/s1",
  "10.0.0.2": "r1/z1/s2",
  "10.0.0.3": "r1/z2/s1",
  "10.0.0.4": "r2/z1/s1",
  "10.0.0.5": "r3/z1/s1",
});

const ORDERS: readonly {
  readonly what: string;
  readonly rule: LocalityRule;
  readonly proxyLocality?: Partial<ProxyLocality>;
  readonly order: readonly string[];
}[] = [
  {
    what: "the nearest go first",
    rule: ruleOf({}),
    order: ["0:1", "1:1", "2:1", "3:1", "3:1"],
  },
  {
    what: "the region that a rule names stands in",
    rule: ruleOf({ failover: [{ from: "r1", to: "r3" }] }),
    order: ["0:1", "1:1", "2:1", "4:1", "3:1"],
  },
  {
    what: "a rule for another region says nothing",
    rule: ruleOf({ failover: [{ from: "r2", to: "r3" }] }),
    order: ["0:1", "1:1", "2:1", "3:1", "3:1"],
  },
  {
    what: "without outlier detection nobody would stand in",
    rule: ruleOf({ failover: [{ from: "r1", to: "r3" }] }, false),
    order: ["0:1", "0:1", "0:1", "0:1", "0:1"],
  },
  {
    what: "priorities have no gaps",
    rule: ruleOf({}),
    proxyLocality: { locality: { region: "r3", zone: "z9", subzone: "" } },
    order: ["1:1", "1:1", "1:1", "1:1", "0:1"],
  },
  {
    what: "a proxy that does not know where it is prefers nobody",
    rule: ruleOf({}),
    proxyLocality: { locality: { region: "", zone: "", subzone: "" } },
    order: ["0:1", "0:1", "0:1", "0:1", "0:1"],
  },
];

for (const { what, rule, proxyLocality, order } of ORDERS) {
  Deno.test(`localities: ${what}`, () => {
    const found = orderOf({
      endpoints: EVERYWHERE,
      localityRule: rule,
      proxyLocality: proxyAt(proxyLocality),
    });
    assert.deepEqual(Object.entries(found).sort().map(([, text]) => text), order);
  });
}

Deno.test("localities get the shares that a rule gives them, by their weight", () => {
  const distribute = [{ from: "r1/z1/*", to: { "r1/z1/*": 70, "r1/z2": 20, "r2": 10 } }];
  const shared = { endpoints: EVERYWHERE, localityRule: ruleOf({ distribute }, false) };
  assert.deepEqual(orderOf(shared), {
    "10.0.0.1": "0:35",
    "10.0.0.2": "0:35",
    "10.0.0.3": "0:20",
    "10.0.0.4": "0:10",
  });
  // The rule has no share for other regions.
  const proxyLocality = proxyAt({ locality: { region: "r2", zone: "z1", subzone: "" } });
  assert.equal(Object.keys(orderOf({ ...shared, proxyLocality })).length, EVERYWHERE.length);
});

Deno.test("endpoints that match the first labels have the highest priority", () => {
  const labelSets: Record<string, string>[] = [
    {},
    { app: "a" },
    { app: "a", version: "2" },
    { version: "2" },
  ];
  const endpoints = labelSets.map(
    (labels, i) => testEndpoint({ address: `10.0.0.${i}`, labels }),
  );
  const localityRule = ruleOf({ failoverPriority: ["app", "version=2"] });
  assert.deepEqual(
    orderOf({ endpoints, localityRule, proxyLocality: proxyAt({ labels: { app: "a" } }) }),
    {
      "10.0.0.0": "2:2",
      "10.0.0.1": "1:1",
      "10.0.0.2": "0:1",
      "10.0.0.3": "2:2",
    },
  );
  const topology = ruleOf({
    failoverPriority: ["topology.mesh.io/network", "topology.kubernetes.io/region"],
  });
  const labels = {
    "topology.mesh.io/network": "one",
    "topology.kubernetes.io/region": "r1",
  };
  const reach = {
    networkOf: (e: Endpoint) => e.address === "10.0.0.5" ? "" : "one",
    gateways: NO_WAYS,
  };
  assert.deepEqual(
    orderOf({
      endpoints: EVERYWHERE,
      localityRule: topology,
      proxyLocality: proxyAt({ labels }),
      reach,
    }),
    {
      "10.0.0.1": "0:1",
      "10.0.0.2": "0:1",
      "10.0.0.3": "0:1",
      "10.0.0.4": "1:1",
      "10.0.0.5": "2:1",
    },
  );
});

const NO_WAYS: ReadonlyMap<string, readonly NetworkGateway[]> = new Map();

Deno.test("labels go before distance where a rule says both", () => {
  const endpoints = [["r1/z1/s1", ""], ["r2", "a"], ["r3", "a"]].map(([at = "", app = ""], i) => {
    const [region = "", zone = "", subzone = ""] = at.split("/");
    return testEndpoint({
      address: `10.0.0.${i}`,
      labels: { app },
      locality: { region, zone, subzone },
    });
  });
  const localityRule = ruleOf({
    failoverPriority: ["app=a"],
    failover: [{ from: "r1", to: "r3" }],
  });
  assert.deepEqual(orderOf({ endpoints, localityRule }), {
    "10.0.0.0": "2:1",
    "10.0.0.1": "1:1",
    "10.0.0.2": "0:1",
  });
});

/** Endpoints in the networks `one` and `two`, and one in none. */
const NETWORKED: readonly Endpoint[] = [
  testEndpoint({ address: "10.0.0.1", weight: 3 }),
  testEndpoint({ address: "10.2.0.1", network: "two", weight: 4 }),
  testEndpoint({ address: "10.2.0.2", network: "two", weight: 1 }),
  testEndpoint({ address: "10.2.0.3", network: "two", labels: { plain: "true" } }),
  testEndpoint({ address: "10.3.0.1", network: "three" }),
  testEndpoint({ address: "10.9.0.1", network: "one" }),
];

const reachTwo = {
  networkOf: (endpoint: Endpoint) => endpoint.network,
  gateways: new Map([["two", [
    { address: "192.0.2.1", port: 15443 },
    { address: "192.0.2.2", port: 443, locality: { region: "r9", zone: "", subzone: "" } },
  ]]]),
};

/** Address and port → weight, and `mtls` if it accepts mutual TLS. */
function reached(proxyLocality: ProxyLocality): Record<string, string> {
  const planned = planAssignment({
    clusterName: "c",
    portName: "http",
    endpoints: NETWORKED,
    proxyLocality,
    reach: reachTwo,
    mutual: (endpoint) => endpoint.labels.plain === undefined,
  });
  return Object.fromEntries(
    planned.flatMap(({ locality, endpoints }) =>
      endpoints.map((e) => [
        `${e.endpoint.address}:${e.port}`,
        `${e.weight} ${locality.region}${e.mutual ? " mtls" : ""}`,
      ])
    ),
  );
}

Deno.test("other networks are entered by their gateways, which have the weight behind them", () => {
  assert.deepEqual(reached(proxyAt()), {
    "10.0.0.1:8080": "6 r1 mtls",
    "192.0.2.1:15443": "5 r1 mtls",
    "192.0.2.2:443": "5 r9 mtls",
    // A network without gateways is reached directly.
    "10.3.0.1:8080": "2 r1 mtls",
    "10.9.0.1:8080": "2 r1 mtls",
  });
  const direct = {
    "10.0.0.1:8080": "3 r1 mtls",
    "10.2.0.1:8080": "4 r1 mtls",
    "10.2.0.2:8080": "1 r1 mtls",
    "10.2.0.3:8080": "1 r1",
    "10.3.0.1:8080": "1 r1 mtls",
    "10.9.0.1:8080": "1 r1 mtls",
  };
  assert.deepEqual(reached(proxyAt({ network: "two" })), direct);
  assert.deepEqual(reached(proxyAt({ network: "" })), direct);
});

Deno.test("a view leaves other networks out", () => {
  assert.deepEqual(reached(proxyAt({ view: ["one"] })), {
    "10.0.0.1:8080": "3 r1 mtls",
    "10.9.0.1:8080": "1 r1 mtls",
  });
});

const CASES: Readonly<Record<string, Partial<AssignmentInput>>> = {
  all: { telemetryLabel: true },
  subset: { subsetLabels: { version: "v1" } },
  unhealthy: { sendUnhealthy: true },
  host_names: { hostNames: true },
  empty: { portName: "nobody" },
  draining: {
    endpoints: [
      testEndpoint({ labels: { "mesh.io/draining": "true" } }),
      testEndpoint({ address: "10.1.0.9" }),
    ],
    drainingLabel: "mesh.io/draining",
  },
  localities: {
    endpoints: EVERYWHERE,
    proxyLocality: proxyAt(),
    localityRule: ruleOf({ failover: [{ from: "r1", to: "r3" }] }),
  },
  networks: { endpoints: NETWORKED, proxyLocality: proxyAt(), reach: reachTwo, mutual: () => true },
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

Deno.test("telemetry labels name workload, namespace, canonical service, revision", () => {
  const cases: [labels: Record<string, string>, label: string][] = [
    [{}, "w;ns;w;latest"],
    [{ app: "a", version: "2" }, "w;ns;a;2"],
    [{ app: "a", "app.kubernetes.io/name": "n", "app.kubernetes.io/version": "3" }, "w;ns;n;3"],
    [{
      app: "a",
      "service.mesh.io/canonical-name": "s",
      "service.mesh.io/canonical-revision": "4",
    }, "w;ns;s;4"],
  ];
  for (const [labels, label] of cases) {
    const endpoint = testEndpoint({ labels, workload: "w", namespace: "ns" });
    assert.equal(telemetryLabel(endpoint), label);
  }
});

/** Names as users write them, including empty and non-ASCII names. */
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
  network: fc.constantFrom("", "one", "two"),
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

const ACROSS: NonNullable<AssignmentInput["across"]> = {
  service: "shop.example:80",
  allowed: true,
  strict: false,
  identities: ({ weight }) => weight > 3 ? "spiffe://cluster.local/ns/a/sa/b" : "",
  gateways: () => [
    { address: "192.0.2.1", port: 15008, to: "192.0.2.1:15008", identity: "spiffe://a/ns/b/sa/c" },
    { address: "192.0.2.2", port: 15009, to: "192.0.2.2:15009", identity: "" },
  ],
};

const input: fc.Arbitrary<AssignmentInput> = fc.record({
  clusterName: name,
  endpoints: fc.array(endpoint, { maxLength: 40 }).map((all) =>
    all.map((one, i) => i % 2 === 0 ? one : { ...one, redirected: true })
  ),
  portName: fc.constant("http"),
  subsetLabels: fc.constantFrom<(Record<string, string> | undefined)[]>(undefined, {}, { app: "" }),
  telemetryLabel: fc.boolean(),
  sendUnhealthy: fc.boolean(),
  hostNames: fc.boolean(),
  mutual: fc.constantFrom(undefined, () => true, ({ weight }: Endpoint) => weight > 5),
  tunnel: fc.constantFrom<AssignmentInput["tunnel"]>(
    undefined,
    ({ weight }, port) =>
      weight > 9 ? undefined : {
        to: `10.0.0.1:${port}`,
        waypoint: weight > 5 ? "10.0.0.2:15008" : "",
        identity: weight > 3 ? "spiffe://cluster.local/ns/a/sa/b" : "",
      },
  ),
  proxyLocality: fc.constantFrom(undefined, proxyAt(), proxyAt({ view: ["two"] })),
  reach: fc.constantFrom(undefined, reachTwo),
  across: fc.constantFrom<AssignmentInput["across"]>(undefined, ACROSS, {
    ...ACROSS,
    allowed: false,
  }),
  localityRule: fc.constantFrom(
    undefined,
    ruleOf({}),
    ruleOf({ failoverPriority: ["app"] }),
    ruleOf({ distribute: [{ from: "r1", to: { r1: 30, r2: 70 } }] }),
  ),
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
      const weights = lbEndpoints.map((e) => e.loadBalancingWeight ?? 1);
      assert.ok(weights.every((w) => w >= 1));
      const total = weights.reduce((a, b) => a + b, 0);
      // Locality weights of a rule are not the sum of their endpoints.
      if (given.localityRule?.setting.distribute.length !== 1) {
        assert.equal(loadBalancingWeight, total);
      }
      sum += loadBalancingWeight ?? 0;
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

Deno.test("endpoints that terminate are sent as draining only where sessions stay with them", () => {
  const endpoints = [
    testEndpoint({ address: "10.1.0.1" }),
    testEndpoint({ address: "10.1.0.4", health: "draining" }),
    testEndpoint({ address: "10.1.0.3", health: "unhealthy" }),
  ];
  const sent = (more: Partial<AssignmentInput>) =>
    planAssignment({ clusterName: "c", portName: "http", endpoints, ...more })
      .flatMap((one) => one.endpoints.map((e) => `${e.endpoint.address} ${e.health}`));
  assert.deepEqual(sent({}), ["10.1.0.1 healthy"]);
  assert.deepEqual(sent({ keepDraining: true }), ["10.1.0.1 healthy", "10.1.0.4 draining"]);
});
